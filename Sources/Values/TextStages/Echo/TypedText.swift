import TextTools

/// Converts typed bytes into the items that the local echo shows.
struct TypedText: Sendable {
  /// The echo of a key.
  enum Item: Hashable {
    /// A character, or a control character in the form `^C`.
    case text([UInt8])
    /// Tab: spaces up to the next tab stop.
    case tab
    /// Enter: a new line.
    case newLine
    /// Backspace: the last character is erased.
    case erase
  }

  /// The bytes of an incomplete character.
  private var pending: [UInt8] = []
  private var character: UTF8Character?
  private var wasReturn = false

  /// Appends the items for a byte: none inside of a character, two where a character is cut short.
  mutating func decode(_ byte: UInt8, into items: inout [Item]) {
    if var character {
      if character.append(byte) {
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
    // A pasted CR LF is a single line end.
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
