/// Converts the number of unacknowledged encoded bytes of a stream to a number of data bytes.
struct SentLedger {
  /// The writes that may be unacknowledged, the oldest first.
  private var writes: [Write] = []
  private var first = 0
  /// The number of encoded bytes in ``writes``.
  private var encodedCount = 0

  private struct Write {
    var encodedCount: Int
    let dataCount: Int
  }

  /// The number of recorded writes.
  var noteCount: Int { writes.count }

  /// Records a write.
  ///
  /// - Parameters:
  ///   - dataCount: the number of data bytes; 0 for other bytes, such as answers of a protocol.
  ///   - unacknowledged: the number of unacknowledged encoded bytes before the write.
  mutating func add(dataCount: Int, encodedCount: Int, unacknowledged: Int) {
    forget(downTo: unacknowledged)
    self.encodedCount += encodedCount
    // A server that takes nothing can ask any number of times: answers without data between them
    // are one entry.
    if dataCount == 0, first < writes.count, let last = writes.last, last.dataCount == 0 {
      writes[writes.count - 1].encodedCount += encodedCount
    } else {
      writes.append(Write(encodedCount: encodedCount, dataCount: dataCount))
    }
  }

  /// The number of data bytes among the unacknowledged encoded bytes, rounded up.
  mutating func dataCount(ofUnacknowledged count: Int) -> Int {
    forget(downTo: count)
    var (left, data) = (count, 0)
    for write in writes[first...].reversed() where left > 0 {
      let part = min(left, write.encodedCount)
      // If only half of a doubled byte is acknowledged, the byte has not arrived.
      data += min(write.dataCount, part)
      left -= part
    }
    return data
  }

  /// Removes acknowledged writes.
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
