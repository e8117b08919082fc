/// Tells commands from what is meant for the device, in the bytes that a terminal sends.
struct PrefixKeyParser {
  /// What a piece of the input means.
  enum Item {
    /// Bytes for the device, never none. They live as long as the call.
    case data(UnsafeRawBufferPointer)
    /// The key after the prefix.
    case command(UInt8)
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
      if isAfterPrefix {
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
}
