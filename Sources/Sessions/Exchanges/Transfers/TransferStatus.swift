/// The progress of a transfer, for a user.
package struct TransferStatus: Hashable, Sendable {
  /// Whether files are received.
  package var isReceiving = false
  /// The name of the present file, as bytes; empty before it is known.
  package var name: [UInt8] = []
  /// The number of transferred bytes of the present file.
  package var position = 0
  /// The size of the present file in bytes; nil if it is unknown.
  package var size: Int?
  /// The rate in the last seconds, in bytes per second; nil at the beginning.
  package var rate: Int?
  /// How often data were sent or requested again.
  package var retries = 0
  /// The number of the present file, counted from 1; 0 before the first file.
  package var number = 0
  /// The total number of files; nil if it is unknown.
  package var count: Int?
  /// Whether the port is lost, and the transfer continues when it returns.
  package var isInterrupted = false

  package init() {}

  /// The time that the rest of the present file needs at the present rate; nil if it is unknown, or
  /// longer than a hundred hours. The size is the one that the other side announced.
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
  /// The number of transferred bytes: fewer than ``size`` if the file was continued.
  package let byteCount: Int
  /// The time from the first byte of the file to its end.
  package let duration: Duration
  package let retries: Int
  /// The part of the line's capacity in that time that was used for bytes of the file; nil if
  /// it is unknown.
  package let efficiency: Double?
}

/// The rate in the last seconds.
struct TransferRate {
  private var samples: [(time: Duration, position: Int)] = []
  private static let window = Duration.seconds(5)
  private static let interval = Duration.milliseconds(250)

  /// Records the progress.
  ///
  /// - Returns: the rate in bytes per second; nil while it is not known.
  mutating func note(_ position: Int, at now: Duration) -> Int? {
    if let last = samples.last, now - last.time < Self.interval {
      // Replaces the last sample, but never the first one.
      if samples.count > 1 { samples[samples.count - 1].position = position }
    } else {
      samples.append((now, position))
    }
    while samples.count > 2, now - samples[0].time > Self.window { samples.removeFirst() }
    guard let first = samples.first, now - first.time >= Self.interval else { return nil }
    return Int(Double(position - first.position) / ((now - first.time) / .seconds(1)))
  }
}
