/// Turns typed bytes into what the local echo shows for them.
struct TypedText: Sendable {
  /// What the echo shows for a key.
  enum Item: Hashable {
    /// A character, or a control character as `^C`.
    case text([UInt8])
    /// Tab: blanks up to the next tab stop.
    case tab
    /// Enter: a new line.
    case newLine
    /// Backspace: the last character disappears.
    case erase
  }

  /// The bytes of a character that is not complete.
  private var pending: [UInt8] = []
  private var character: UTF8Character?
  private var wasReturn = false

  /// Appends the items for a byte: none within a character, two where a character breaks off.
  mutating func take(_ byte: UInt8, into items: inout [Item]) {
    if var character {
      if character.take(byte) {
        pending.append(byte)
        self.character = character
        if character.isComplete { endCharacter(character, into: &items) }
        return
      }
      breakOff(into: &items)
    }
    let followsReturn = wasReturn
    wasReturn = byte == .carriageReturn
    switch byte {
    case .carriageReturn: items.append(.newLine)
    // A pasted CR LF is one end of a line.
    case .lineFeed: if !followsReturn { items.append(.newLine) }
    case .backspace, .delete: items.append(.erase)
    case .tab: items.append(.tab)
    case 0x00..<0x20: items.append(.text([UInt8(ascii: "^"), byte ^ 0x40]))
    case 0x20..<0x7F: items.append(.text([byte]))
    default:
      pending = [byte]
      character = UTF8Character(first: byte)
      if character == nil { breakOff(into: &items) }
    }
  }

  private mutating func endCharacter(_ character: UTF8Character, into items: inout [Item]) {
    var text: [UInt8] = []
    if character.isText {
      text = pending
    } else {
      text.append(markOf: character.codePoint)
    }
    items.append(.text(text))
    settle()
  }

  private mutating func breakOff(into items: inout [Item]) {
    items.append(.text(Array("\u{FFFD}".utf8)))
    settle()
  }

  private mutating func settle() {
    character = nil
    pending.removeAll(keepingCapacity: true)
  }
}
