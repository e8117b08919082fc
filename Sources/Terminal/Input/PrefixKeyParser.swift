import TerminalWidgets

/// Separates commands from data for the device in the bytes of a terminal.
///
/// The prefix and the key after it are known in every form: the device may have changed what keys
/// send, where its sequences reach the terminal. See ``TerminalWidgets/ExtendedKey``.
package struct PrefixKeyParser {
  /// A piece of the input.
  enum Item {
    /// Data for the device: at least one byte of the input.
    case data(UnsafeRawBufferPointer)
    /// A key in a form that the device has switched on, and its bytes, which are data for it.
    case key(ExtendedKey, UnsafeRawBufferPointer)
    /// The key after the prefix.
    case command(UInt8)
    /// A key after the prefix that consists of several bytes, such as an arrow or a letter with an
    /// accent. No command has such a key, and none of its bytes is data.
    case otherKey(Key)
  }

  /// What follows the input.
  enum Following {
    /// More bytes: there was no room for them.
    case bytes
    /// Perhaps more bytes. Terminals send a key at once, so a last ESC is the escape key.
    case unknown
    /// Nothing soon: the input does not end inside of a key.
    case nothing
  }

  let prefix: PrefixKey
  /// Whether the last key was the prefix, because a read may end with it.
  private var isAfterPrefix = false

  init(prefix: PrefixKey) { self.prefix = prefix }

  /// Takes the next item from the beginning of the input. The prefix typed twice is the prefix
  /// as data.
  ///
  /// - Returns: nil when there is no item. What is left of the input then needs more bytes.
  mutating func next(
    in input: inout UnsafeRawBufferPointer, before following: Following = .unknown
  ) -> Item? {
    while let first = input.first {
      switch Self.match(input, before: following) {
      case .incomplete: return nil
      case .key(let key, let count):
        if let item = handle(key, input.take(count)) { return item }
      case .none:
        guard isAfterPrefix else {
          if first != prefix.byte { return .data(input.take(dataCount(in: input, following))) }
          _ = input.take(1)
          isAfterPrefix = true
          continue
        }
        return takeKeyAfterPrefix(first, from: &input)
      }
    }
    return nil
  }

  /// - Returns: nil if the key is the prefix, or no key that was pressed after it.
  private mutating func handle(_ key: ExtendedKey, _ bytes: UnsafeRawBufferPointer) -> Item? {
    let byte = key.commandByte
    let isPrefix = byte != nil && byte == prefix.byte
    guard isAfterPrefix else {
      isAfterPrefix = isPrefix
      return isPrefix ? nil : .key(key, bytes)
    }
    // The prefix is released, or a modifier is pressed for the next key.
    if key.bytes.isEmpty { return nil }
    isAfterPrefix = false
    if isPrefix { return .key(key, bytes) }
    if let byte { return .command(byte) }
    var decoder = KeyDecoder()
    return (decoder.decode(key.bytes).first ?? decoder.flush().first).map(Item.otherKey)
  }

  private static func match(
    _ bytes: some Collection<UInt8>, before following: Following
  ) -> ExtendedKey.Match {
    let match = ExtendedKey.match(bytes)
    guard match == .incomplete else { return match }
    switch following {
    case .bytes: return .incomplete
    case .unknown: return bytes.count > 1 ? .incomplete : .none
    case .nothing: return .none
    }
  }

  private mutating func takeKeyAfterPrefix(
    _ first: UInt8, from input: inout UnsafeRawBufferPointer
  ) -> Item {
    isAfterPrefix = false
    if let (key, count) = Self.longKey(at: input.prefix { $0 != prefix.byte }) {
      _ = input.take(count)
      return .otherKey(key)
    }
    let piece = input.take(1)
    return first == prefix.byte ? .data(piece) : .command(first)
  }

  /// The number of bytes before the next prefix and the next key that has another form. The first
  /// byte is data.
  private func dataCount(in input: UnsafeRawBufferPointer, _ following: Following) -> Int {
    for index in 1..<input.count {
      if input[index] == prefix.byte { return index }
      guard input[index] == 0x1B else { continue }
      if Self.match(input[index...], before: following) != .none { return index }
    }
    return input.count
  }

  /// The name of a key that sends one byte: `z`, `ctrl-y`, `escape`.
  package static func name(ofKey byte: UInt8) -> String {
    switch byte {
    case 0x00: "ctrl-space"
    case 0x08, 0x7F: "backspace"
    case UInt8(ascii: "\t"): "tab"
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): "enter"
    case 0x1B: "escape"
    case UInt8(ascii: " "): "space"
    case ..<0x20: "\(PrefixKey.control(byte))"
    default: "\(Character(Unicode.Scalar(byte)))"
    }
  }

  /// The key of several bytes at the beginning of a piece of input, and the number of its bytes;
  /// nil if the first byte is a key by itself. Terminals send all bytes of a key at once.
  private static func longKey(at bytes: some Collection<UInt8>) -> (key: Key, count: Int)? {
    guard bytes.count > 1, let first = bytes.first, first == 0x1B || first >= 0x80 else {
      return nil
    }
    var decoder = KeyDecoder()
    let (keys, count) = decoder.decodeFirst(of: bytes)
    return keys.first.map { ($0, count) }
  }
}

extension UnsafeRawBufferPointer {
  /// Removes and returns bytes from the beginning.
  mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
    defer { self = UnsafeRawBufferPointer(rebasing: dropFirst(count)) }
    return UnsafeRawBufferPointer(rebasing: prefix(count))
  }

  /// These bytes and those that follow them in memory.
  func joined(with next: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: baseAddress, count: count + next.count)
  }
}
