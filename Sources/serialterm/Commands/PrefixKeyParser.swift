import TerminalUI

/// Tells commands from what is meant for the device, in the bytes that a terminal sends.
struct PrefixKeyParser {
  /// What a piece of the input means.
  enum Item {
    /// Bytes for the device, never none. They live as long as the call.
    case data(UnsafeRawBufferPointer)
    /// The key after the prefix.
    case command(UInt8)
    /// A key after the prefix that sends several bytes, an arrow or a letter with an accent: none of
    /// them is for the device.
    case otherKey(Key)
  }

  let prefix: PrefixKey
  /// Whether the prefix was the last thing seen: it may come at the end of a read.
  private var isAfterPrefix = false

  init(prefix: PrefixKey) { self.prefix = prefix }

  /// Takes the next bytes. The prefix twice stands for itself.
  mutating func parse(_ bytes: UnsafeRawBufferPointer, _ handle: (Item) -> Void) {
    guard let prefix = prefix.byte else { return handle(.data(bytes)) }
    var rest = bytes[...]
    while let first = rest.first {
      if isAfterPrefix, let (key, count) = Self.longKey(at: rest.prefix { $0 != prefix }) {
        isAfterPrefix = false
        handle(.otherKey(key))
        rest = rest.dropFirst(count)
      } else if isAfterPrefix {
        isAfterPrefix = false
        let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1))
        handle(first == prefix ? .data(piece) : .command(first))
        rest = rest.dropFirst()
      } else if first == prefix {
        isAfterPrefix = true
        rest = rest.dropFirst()
      } else {
        let run = rest.prefix { $0 != prefix }
        handle(.data(UnsafeRawBufferPointer(rebasing: run)))
        rest = rest[run.endIndex...]
      }
    }
  }

  /// The key of several bytes that a piece of the input begins with, and how many they are; nil where
  /// the first byte is a key by itself, as far as has come: a terminal sends a key at once.
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
