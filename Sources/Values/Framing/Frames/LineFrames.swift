package import TextStages
package import Time

/// Divides both directions of a line into frames.
///
/// Until something is sent, what is received may be both sides of a bus: its frames have
/// no direction.
package struct LineFrames: Sendable {
  private let form: ChosenFrameForm
  private var received: FrameReader
  private var sent: FrameReader?

  /// - Parameter knowsDirection: whether what is received certainly comes from the other
  ///   side alone.
  package init(_ form: ChosenFrameForm, knowsDirection: Bool = false) {
    self.form = form
    received = form.reader(knowsDirection ? .fromDevice : nil)
  }

  /// Receives the bytes of a read or a write, and appends the frames that are complete.
  package mutating func receive(
    _ bytes: some Collection<UInt8>, _ direction: Direction, at moment: Moment,
    into frames: inout [Frame]
  ) {
    switch direction {
    case .fromDevice: received.receive(bytes, at: moment, into: &frames)
    case .toDevice:
      if sent == nil {
        sent = form.reader(.toDevice)
        learnDirection(into: &frames)
      }
      sent?.receive(bytes, at: moment, into: &frames)
    }
  }

  /// Records that what is received from now on certainly comes from the other side alone, and
  /// appends what is left of what was received before.
  package mutating func learnDirection(into frames: inout [Frame]) {
    guard received.direction == nil else { return }
    received.end(into: &frames)
    received = form.reader(.fromDevice)
  }

  /// Appends what is left as frames: the stream has ended.
  package mutating func end(into frames: inout [Frame]) {
    received.end(into: &frames)
    sent?.end(into: &frames)
  }

  /// Appends what is left of the directions that were silent for long enough.
  ///
  /// - Parameter slack: the time that is added to the silence.
  package mutating func tick(
    at now: MonotonicTime, slack: Duration = .zero, into frames: inout [Frame]
  ) {
    if let deadline = received.deadline, deadline + slack <= now { received.end(into: &frames) }
    if let deadline = sent?.deadline, deadline + slack <= now { sent?.end(into: &frames) }
  }

  /// The number of bytes that wait for the rest of their frame.
  package var waitingCount: Int { received.waitingCount + (sent?.waitingCount ?? 0) }

  /// The time at which ``tick(at:slack:into:)`` is due; nil if no silence ends a frame.
  package var deadline: MonotonicTime? {
    [received.deadline, sent?.deadline].compactMap { $0 }.min()
  }

  /// The silence that ends the frames that wait; nil if a silence does not matter.
  package var silence: Duration? {
    [received, sent].compactMap { $0 }.filter { $0.waitingCount > 0 }.compactMap(\.silence).max()
  }
}
