/// Maps the times of a device to ours.
///
/// The first line with a time was sent when it was received; its newest point counts, so that no
/// point is in the future. When the time of a series jumps back, the device has started again, and
/// the same holds for that line.
struct DeviceClock {
  /// Our time minus the device's, in seconds.
  private var offset: Double?
  /// The last time of each series.
  private var last: [Int: Double] = [:]

  /// Our times of the points of a line.
  ///
  /// - Parameter milliseconds: the times of the device; nil for a point without one.
  mutating func times(
    of milliseconds: [Double?], series: Int, received: Double
  ) -> [Double] {
    let known = milliseconds.compactMap { $0 }
    guard let first = known.first, let newest = known.max() else {
      return milliseconds.map { _ in received }
    }
    if let last = last[series], first < last {
      offset = nil
      self.last = [:]
    }
    let offset = self.offset ?? received - newest / 1_000
    self.offset = offset
    last[series] = newest
    return milliseconds.map { $0.map { $0 / 1_000 + offset } ?? received }
  }
}
