/// The bytes that a device sent before a script or a transfer could listen: the last ones, at least
/// ``capacity``. A device that talks without end meanwhile does not take more memory.
struct EarlyBytes {
  static let capacity = 1_048_576
  private(set) var bytes: [UInt8] = []

  mutating func add(_ piece: some Sequence<UInt8>) {
    bytes += piece
    if bytes.count > 2 * Self.capacity { bytes.removeFirst(bytes.count - Self.capacity) }
  }
}
