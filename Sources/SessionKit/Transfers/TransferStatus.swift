/// How far a transfer is, as a user wants to know it.
package struct TransferStatus: Hashable, Sendable {
  /// Whether files are received.
  package var isReceiving = false
  /// The name of the present file, as bytes; empty before it is known.
  package var name: [UInt8] = []
  /// The number of bytes of it that were transferred.
  package var position = 0
  /// Its size in bytes; nil if it is unknown.
  package var size: Int?
  /// The rate of the last seconds, in bytes a second; nil at the beginning.
  package var rate: Int?
  /// How often something was sent again, or asked for again.
  package var retries = 0
  /// The number of the present file, counted from 1; 0 before the first.
  package var number = 0
  /// The number of all files; nil if it is unknown.
  package var count: Int?
  /// Whether the port is lost, and the transfer goes on when it is back.
  package var isInterrupted = false

  package init() {}

  /// The time that the rest of the present file needs at the present rate; nil if that is unknown, or longer than
  /// a hundred hours. The other side says the size.
  package var timeLeft: Duration? {
    guard let size, let rate, rate > 0 else { return nil }
    let seconds = Double(max(size - position, 0)) / Double(rate)
    return seconds < 360_000 ? .seconds(1) * seconds : nil
  }
}

/// A file that was transferred.
package struct TransferSummary: Hashable, Sendable {
  /// The name, as bytes; empty if the protocol has none.
  package let name: [UInt8]
  /// The number of bytes of the file.
  package let size: Int
  /// The number of bytes that were transferred: less than all of them if it was continued.
  package let byteCount: Int
  /// The time from the first byte of the file to its end.
  package let duration: Duration
  package let retries: Int
  /// Which part of what the line could carry in that time were bytes of the file; nil if that is unknown.
  package let efficiency: Double?
}

/// The rate of the last seconds.
struct TransferRate {
  private var samples: [(time: Duration, position: Int)] = []
  private static let window = Duration.seconds(5)
  private static let interval = Duration.milliseconds(250)

  /// Notes how far the transfer is.
  ///
  /// - Returns: bytes a second; nil while that is not known yet.
  mutating func note(_ position: Int, at now: Duration) -> Int? {
    if let last = samples.last, now - last.time < Self.interval {
      // The last sample moves on, but not the first.
      if samples.count > 1 { samples[samples.count - 1].position = position }
    } else {
      samples.append((now, position))
    }
    while samples.count > 2, now - samples[0].time > Self.window { samples.removeFirst() }
    guard let first = samples.first, now - first.time >= Self.interval else { return nil }
    return Int(Double(position - first.position) / ((now - first.time) / .seconds(1)))
  }
}
