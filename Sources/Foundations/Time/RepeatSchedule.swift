/// The moments at which something is repeated, such as sending a request.
///
/// The moments are the start plus whole intervals, so that delays do not add up. A moment that has
/// passed when the next one is reached is missed: it is counted, and not caught up. A number of
/// repetitions counts those that took place.
///
/// ```
/// var schedule = RepeatSchedule(from: .now, every: .seconds(1), count: 10)
/// // A timer at schedule.next calls:
/// if schedule.advance(to: .now) { send() }
/// ```
package struct RepeatSchedule: Hashable, Sendable {
  /// The number of repetitions that took place.
  package private(set) var doneCount: Int64 = 0
  /// The number of moments that were missed.
  package private(set) var missedCount: Int64 = 0

  private let start: MonotonicTime
  /// The interval in nanoseconds, at least 1.
  private let interval: Int64
  private let count: Int64?
  /// The number of the next moment, from 0.
  private var number: Int64 = 0

  /// Creates a schedule, whose first moment is the start.
  ///
  /// - Parameters:
  ///   - start: the first moment.
  ///   - interval: the time from one moment to the next, above zero; clamped to 292 years.
  ///   - count: the number of repetitions, including the first; nil for no end.
  /// - Returns: nil if the interval or the count is not above zero.
  package init?(from start: MonotonicTime, every interval: Duration, count: Int64? = nil) {
    let nanoseconds = interval.nanoseconds
    guard nanoseconds > 0, count.map({ $0 > 0 }) ?? true else { return nil }
    (self.start, self.interval, self.count) = (start, nanoseconds, count)
  }

  /// Whether the last repetition took place.
  package var isOver: Bool { doneCount == count }

  /// The next moment, clamped to the end of time; nil after the last one.
  package var next: MonotonicTime? {
    if isOver { return nil }
    let (offset, overflow) = interval.multipliedReportingOverflow(by: number)
    return MonotonicTime(nanoseconds: start.nanoseconds.addingClamped(overflow ? .max : offset))
  }

  /// Advances to the present. If a repetition is due, it is counted, and so are the moments that
  /// were missed before it.
  ///
  /// - Returns: whether a repetition takes place now.
  package mutating func advance(to now: MonotonicTime) -> Bool {
    guard let latest = latest(at: now) else { return false }
    missedCount = missedCount.addingClamped(latest - number)
    number = latest.addingClamped(1)
    doneCount = doneCount.addingClamped(1)
    return true
  }

  /// Counts the moments up to the present as missed, because no repetition can take place now.
  package mutating func miss(until now: MonotonicTime) {
    guard let latest = latest(at: now) else { return }
    let next = latest.addingClamped(1)
    missedCount = missedCount.addingClamped(next - number)
    number = next
  }

  /// The number of the latest moment that has come; nil if the next one has not.
  private func latest(at now: MonotonicTime) -> Int64? {
    guard let next, now >= next else { return nil }
    // Both may be anywhere, so that their distance may need one more bit.
    let (elapsed, overflow) = now.nanoseconds.subtractingReportingOverflow(start.nanoseconds)
    return max(number, (overflow ? .max : elapsed) / interval)
  }
}
