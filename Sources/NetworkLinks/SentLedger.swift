/// Converts between bytes of data and the encoded bytes that a stream has not acknowledged.
struct SentLedger {
  /// The writes that may not be acknowledged, oldest first.
  private var writes: [Write] = []
  private var first = 0
  /// The number of encoded bytes in ``writes``.
  private var encodedCount = 0

  private struct Write {
    let encodedCount: Int
    let dataCount: Int
  }

  /// The number of writes that are remembered.
  var noteCount: Int { writes.count }

  /// Notes a write.
  ///
  /// - Parameters:
  ///   - dataCount: 0 for what is not data, such as the answers of a protocol.
  ///   - unacknowledged: how many encoded bytes were not acknowledged before it.
  mutating func add(dataCount: Int, encodedCount: Int, unacknowledged: Int) {
    forget(downTo: unacknowledged)
    writes.append(Write(encodedCount: encodedCount, dataCount: dataCount))
    self.encodedCount += encodedCount
  }

  /// The number of bytes of data among the encoded bytes that are not acknowledged: rounded up.
  mutating func dataCount(ofUnacknowledged count: Int) -> Int {
    forget(downTo: count)
    var (left, data) = (count, 0)
    for write in writes[first...].reversed() where left > 0 {
      let part = min(left, write.encodedCount)
      // A doubled byte that is acknowledged by half has not arrived.
      data += min(write.dataCount, part)
      left -= part
    }
    return data
  }

  /// Forgets the writes that are acknowledged.
  private mutating func forget(downTo count: Int) {
    while first < writes.count, encodedCount - writes[first].encodedCount >= count {
      encodedCount -= writes[first].encodedCount
      first += 1
    }
    guard first > 64 else { return }
    writes.removeFirst(first)
    first = 0
  }
}
