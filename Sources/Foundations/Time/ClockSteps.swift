import Glibc

/// Finds out that the wall clock was set.
///
/// The difference between the clocks stays the same while both run, also while NTP slews them. It
/// changes when the wall clock is set, and when the computer was suspended: `CLOCK_MONOTONIC`
/// stands still then, but `CLOCK_BOOTTIME` does not. See clock_gettime(2).
package struct ClockSteps {
  /// The least step in nanoseconds: 0.5 s. Smaller steps add up.
  package static let threshold: UInt64 = 500_000_000

  /// The sum of the steps that were noticed and not reset, in nanoseconds: positive if the clock
  /// was set ahead.
  package private(set) var pending: Int64 = 0

  private var last: Reading
  private let read: () -> Reading

  /// The clocks at one moment, in nanoseconds.
  package struct Reading: Hashable, Sendable {
    /// `CLOCK_REALTIME`, since 1970.
    package let wallClock: UInt64
    /// `CLOCK_MONOTONIC`.
    package let monotonic: UInt64
    /// `CLOCK_BOOTTIME`.
    package let sinceBoot: UInt64

    /// Creates a reading.
    package init(wallClock: UInt64, monotonic: UInt64, sinceBoot: UInt64) {
      (self.wallClock, self.monotonic) = (wallClock, monotonic)
      self.sinceBoot = sinceBoot
    }
  }

  /// Creates a state without steps.
  ///
  /// - Parameter read: reads the clocks.
  package init(reading read: @escaping () -> Reading = { .now }) {
    (self.read, last) = (read, read())
  }

  /// Notices a step that took place before a moment.
  package mutating func notice(_ moment: Moment) {
    let moved = Self.change(
      from: (last.wallClock, last.monotonic), to: (moment.wallClock, moment.monotonic))
    guard moved.magnitude >= Self.threshold else { return }
    // The clocks of the moment may be apart, because the thread was stopped between reading one and
    // the other.
    let now = read()
    let step = Self.change(
      from: (last.wallClock, last.sinceBoot), to: (now.wallClock, now.sinceBoot))
    if step.magnitude >= Self.threshold {
      pending = pending.addingClamped(step)
    } else {
      // It was no step if the computer was suspended, or if only the moment is wrong.
      let slept = Self.change(
        from: (last.wallClock, last.monotonic), to: (now.wallClock, now.monotonic))
      guard slept.magnitude >= Self.threshold else { return }
    }
    last = now
  }

  /// Forgets the steps, because they are marked.
  package mutating func reset() { pending = 0 }

  /// The change of the difference between two clocks. The differences may wrap around; their change
  /// is right if it is less than 292 years.
  private static func change(
    from old: (UInt64, UInt64), to new: (UInt64, UInt64)
  ) -> Int64 {
    Int64(bitPattern: (new.0 &- new.1) &- (old.0 &- old.1))
  }
}

extension ClockSteps.Reading {
  /// The present time of all clocks. The corresponding C function is `clock_gettime`.
  package static var now: Self {
    var reading = Self.once
    // A thread may be stopped between two clocks. Then they are read again.
    for _ in 0..<8 where MonotonicTime.now.nanoseconds - Int64(reading.monotonic) > 1_000_000 {
      reading = .once
    }
    return reading
  }

  private static var once: Self {
    // The first one shows how long the reading took.
    let monotonic = MonotonicTime.now
    let moment = Moment.now
    var time = timespec()
    _ = clock_gettime(CLOCK_BOOTTIME, &time)
    return Self(
      wallClock: moment.wallClock, monotonic: UInt64(monotonic.nanoseconds),
      sinceBoot: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
  }
}
