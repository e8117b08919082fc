/// The text at the end of a transfer that was broken off, usually the prompt of a shell. It follows
/// the last byte of the transfer, which is not text.
struct TrailingText {
  private(set) var bytes: [UInt8] = []
  private static let limit = 4_096

  mutating func add(_ received: [UInt8]) {
    for byte in received {
      switch byte {
      case 0x20...0x7E, 0x09, 0x0A, 0x0D, 0x1B: bytes.append(byte)
      default: bytes = []
      }
    }
    if bytes.count > Self.limit { bytes.removeFirst(bytes.count - Self.limit) }
  }

  /// The actions with the text at the end.
  var actions: [TransferAction] { bytes.isEmpty ? [] : [.pass(bytes)] }
}
