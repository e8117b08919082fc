import Framing

/// Which of the sent data the driver of the port has taken, and the progress that follows from it.
struct ZmodemSentData {
  var progress = TransferProgress()
  private var reported = TransferProgress()
  /// The end of the last data bytes, counted in all sent bytes.
  private var end = 0
  /// The file position after certain numbers of sent bytes.
  private var marks: [(sent: Int, position: Int)] = []

  /// Data were sent up to a position of the file.
  mutating func append(upTo position: Int, on side: ZmodemSide) {
    end = side.sentCount
    marks.append((side.sentCount, position))
  }

  /// Queued bytes were withdrawn or lost.
  mutating func discard(on side: ZmodemSide) {
    end = min(end, side.sentCount)
    marks = []
  }

  /// Whether data are among the bytes that the port took last. Repeated requests are none.
  func contains(last count: Int, on side: ZmodemSide) -> Bool {
    side.sentCount - side.unsentCount - count < end
  }

  /// The progress, if it has changed.
  mutating func news(on side: ZmodemSide) -> TransferProgress? {
    let accepted = side.sentCount - side.unsentCount
    if let done = marks.lastIndex(where: { $0.sent <= accepted }) {
      progress.position = marks[done].position
      marks.removeFirst(done + 1)
    }
    guard progress != reported else { return nil }
    reported = progress
    return progress
  }
}

/// The CRC-32 of the beginning of a file, which is read in pieces.
struct ZmodemFileSum {
  private(set) var offset = 0
  private let end: Int
  private var crc = CRC32()

  init(of count: Int) { end = count }

  var value: Int { Int(crc.value) }
  /// The number of bytes to read next.
  var nextCount: Int { min(end - offset, 65_536) }

  /// Adds bytes. None means the end of the file.
  ///
  /// - Returns: whether the sum is complete.
  mutating func append(_ bytes: [UInt8]) -> Bool {
    crc.update(with: bytes)
    offset += bytes.count
    return bytes.isEmpty || offset >= end
  }
}
