import TerminalWidgets
import Time

/// Divides what a user types into data, the keys of commands, and escape sequences.
///
/// The input comes in the pieces in which it was read. What is left of a piece is the beginning of
/// the next one.
struct KeyboardParser {
  /// A part of the input.
  enum Item {
    /// Data: at least one byte of the input.
    case data(UnsafeRawBufferPointer)
    /// The held-back escape character turned out to be data. It comes before the rest of the input.
    case held(UInt8)
    /// A key in a form that the device has switched on, and its bytes, which are data for it.
    case key(ExtendedKey, UnsafeRawBufferPointer)
    /// The key after the prefix.
    case command(UInt8)
    /// A key after the prefix that no command can have.
    case otherKey(Key)
    /// An escape sequence.
    case escape(EscapeParser.Command)
  }

  /// The key that starts a command.
  var prefix: PrefixKey {
    get { prefixes.prefix }
    set { if newValue != prefix { prefixes = PrefixKeyParser(prefix: newValue) } }
  }

  /// The key that starts a command at the start of a line.
  var escape: EscapeKey {
    get { escapes.key }
    set { if newValue != escape { escapes = EscapeParser(newValue) } }
  }
  /// Whether escape sequences count now.
  var takesEscapes = true

  private var prefixes = PrefixKeyParser(prefix: .none)
  private var escapes = EscapeParser(.none)
  private var pastes = PasteDetector()
  /// The number of bytes at the beginning of the input that are data and were put back.
  private var putBackCount = 0
  /// The number of bytes after them that are data, and in which escape sequences are searched for.
  private var searchedCount = 0

  /// Records how many bytes were read at once. Escape sequences in a paste do not count.
  mutating func note(_ count: Int, at now: MonotonicTime) { pastes.note(count, at: now) }

  /// Takes the next item from the beginning of the input.
  ///
  /// - Returns: nil when there is no item. What is left of the input is the beginning of a key.
  mutating func next(
    in input: inout UnsafeRawBufferPointer, before following: PrefixKeyParser.Following = .unknown
  ) -> Item? {
    if putBackCount > 0 {
      defer { putBackCount = 0 }
      return .data(input.take(putBackCount))
    }
    while true {
      if let item = search(&input) { return item }
      let start = (input, prefixes)
      guard let item = prefixes.next(in: &input, before: following) else { return nil }
      if endsWait(item), let byte = escapes.takeHeld() {
        // The item comes next.
        (input, prefixes) = start
        return .held(byte)
      }
      switch item {
      case .data(let data):
        searchedCount = searchedCount(of: data)
        let passed = UnsafeRawBufferPointer(rebasing: data.dropLast(searchedCount))
        input = UnsafeRawBufferPointer(rebasing: data.suffix(searchedCount)).joined(with: input)
        if passed.isEmpty { continue }
        if takesEscapes { escapes.pass(passed) }
        return .data(passed)
      case .key(let key, let data):
        key.bytes.withUnsafeBytes { escapes.pass($0) }
        return .key(key, data)
      case .command(let key): return .command(key)
      case .otherKey(let key): return .otherKey(key)
      }
    }
  }

  /// Puts back the last bytes of a data item. They are the first item of the next input, and are
  /// not searched again.
  mutating func putBack(_ count: Int) { putBackCount = count }

  /// The number of bytes at the end of data in which escape sequences count.
  private func searchedCount(of data: UnsafeRawBufferPointer) -> Int {
    guard escape != .none, takesEscapes else { return 0 }
    return switch pastes.searched {
    case .whole: data.count
    case .end: escapes.sequenceCount(atEndOf: data)
    case .nothing: 0
    }
  }

  private mutating func search(_ input: inout UnsafeRawBufferPointer) -> Item? {
    guard searchedCount > 0 else { return nil }
    var data = input.take(searchedCount)
    defer {
      input = data.joined(with: input)
      searchedCount = data.count
    }
    return switch escapes.next(in: &data) {
    case .data(let part): .data(part)
    case .held(let byte): .held(byte)
    case .command(let command): .escape(command)
    case nil: nil
    }
  }

  /// Whether the escape character does not wait longer, because an item follows with which it is no
  /// sequence.
  private func endsWait(_ item: PrefixKeyParser.Item) -> Bool {
    switch item {
    case .data: escape != .none && takesEscapes && pastes.searched != .whole
    // The release of the escape character is no key.
    case .key(let key, _): !key.bytes.isEmpty
    case .command, .otherKey: true
    }
  }
}
