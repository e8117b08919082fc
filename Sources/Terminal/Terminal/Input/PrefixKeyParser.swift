package import TerminalWidgets

/// Separates commands from data for the device in the bytes of a terminal.
package struct PrefixKeyParser {
  /// A piece of the input.
  package enum Item {
    /// Data for the device: at least one byte of the input.
    case data(UnsafeRawBufferPointer)
    /// The key after the prefix.
    case command(UInt8)
    /// A key after the prefix that consists of several bytes, such as an arrow or a letter with an
    /// accent. No command has such a key, and none of its bytes is data.
    case otherKey(Key)
  }

  package let prefix: PrefixKey
  /// Whether the last byte was the prefix, because a read may end with it.
  private var isAfterPrefix = false

  package init(prefix: PrefixKey) { self.prefix = prefix }

  /// Takes the next item from the beginning of the input; nil when there is none. The prefix typed
  /// twice is the prefix as data.
  package mutating func next(in input: inout UnsafeRawBufferPointer) -> Item? {
    guard let prefix = prefix.byte else {
      defer { input = UnsafeRawBufferPointer(rebasing: input.suffix(0)) }
      return input.isEmpty ? nil : .data(input)
    }
    if !isAfterPrefix, input.first == prefix {
      isAfterPrefix = true
      _ = input.take(1)
    }
    guard let first = input.first else { return nil }
    guard isAfterPrefix else { return .data(input.take(input.prefix { $0 != prefix }.count)) }
    isAfterPrefix = false
    if let (key, count) = Self.longKey(at: input.prefix { $0 != prefix }) {
      _ = input.take(count)
      return .otherKey(key)
    }
    let piece = input.take(1)
    return first == prefix ? .data(piece) : .command(first)
  }

  /// The name of a key that sends one byte: `z`, `ctrl-y`, `escape`.
  package static func name(ofKey byte: UInt8) -> String {
    switch byte {
    case 0x00: "ctrl-space"
    case 0x08, 0x7F: "backspace"
    case 0x09: "tab"
    case 0x0A, 0x0D: "enter"
    case 0x1B: "escape"
    case 0x20: "space"
    case ..<0x20: "\(PrefixKey.control(byte))"
    default: "\(Character(Unicode.Scalar(byte)))"
    }
  }

  /// The key of several bytes at the beginning of a piece of input, and the number of its bytes;
  /// nil if the first byte is a key by itself. Terminals send all bytes of a key at once.
  private static func longKey(at bytes: some Collection<UInt8>) -> (key: Key, count: Int)? {
    let escape: UInt8 = 0x1B
    guard bytes.count > 1, let first = bytes.first, first == escape || first >= 0x80 else {
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
}
