package import EventLoop
package import Observing
package import SerialCore

/// Plays line sequences on a session's port, one at a time. It pauses sending meanwhile, because a
/// sequence may reset the device.
///
/// A baud rate in a sequence holds only for the sequence: the previous rate is restored at any end.
/// If a sequence is stopped, a break that it started ends. If its author loses the pen, the output
/// lines that it set are restored too.
package final class SequencePlayer {
  /// How a sequence ends.
  package enum End: Hashable, Sendable {
    /// All steps were performed.
    case done
    /// A step failed; the remaining steps were skipped.
    case failed(LineSequence.Step, SerialError)
    /// It was stopped.
    case stopped
    /// The port was closed, or its device was unplugged.
    case portClosed
  }

  /// The name of the sequence that is being played; nil if none is.
  @Observed package private(set) var playing: String?

  private let onNetworkTiming: (String) -> Void
  private let session: Session
  private var stateChanges: ObservationToken<SessionEvent>?
  private let loop: IOLoop
  private var play: Play?
  /// Whether the session ends, so that nobody needs the end of the sequence.
  private var isSilent = false
  /// The reason why the last step failed.
  private var error: SerialError?
  /// Pauses sending while a sequence is played.
  private var sendingPause: Session.Pause?
  /// The break that a step has begun and none has ended.
  private var lineBreak: Session.Break?
  /// The output lines that the sequence has set, and those of them that were asserted before.
  private var lines: (set: ModemLines, before: ModemLines) = ([], [])
  /// The baud rate before the first step that set one, and the rate that was set last.
  private var rates: (before: UInt32, now: UInt32)?
  private var hasReportedTiming = false
  /// What waits for the end of the sequence.
  private var waiting: [() -> Void] = []

  /// A sequence that is being played.
  private struct Play {
    let runner: ExchangeRunner<LinePlay>
    /// Called with the end.
    let then: (End) -> Void
  }

  /// Creates a player of sequences for a session.
  ///
  /// - Parameter onNetworkTiming: called with the name of the first sequence whose timing depends
  ///   on a network.
  package init(
    on session: Session, loop: IOLoop, onNetworkTiming: @escaping (String) -> Void = { _ in }
  ) {
    self.session = session
    self.loop = loop
    self.onNetworkTiming = onNetworkTiming
    stateChanges = session.observe(.stateChange, rank: .line) { [unowned self] in
      // New settings of an open port do not close it.
      if $0.old.isOpen && !$0.new.isOpen { portDidClose() }
    }
  }

  /// Whether a sequence is being played.
  package var isPlaying: Bool { play != nil }

  /// Plays a sequence on the open port. Stops the present sequence first.
  ///
  /// - Parameters:
  ///   - name: the value of ``playing`` meanwhile.
  ///   - then: called once, at the end; during this call if no step waits.
  package func play(
    _ sequence: LineSequence, named name: String, then: @escaping (End) -> Void
  ) {
    stop()
    (error, lines) = (nil, ([], []))
    sendingPause = session.pauseSending()
    let isPlayedThere = session.canPlay(sequence)
    let runner = ExchangeRunner(
      LinePlay(sequence, isPlayedThere: isPlayedThere), on: session, loop: loop,
      perform: { [unowned self] operation, then in
        perform(operation) { then($0 ? .done : .refused) }
      },
      onEnd: { [unowned self] in ended($0) })
    play = Play(runner: runner, then: then)
    playing = name
    if session.capabilities.contains(.networkTiming), sequence.steps.count > 1, !hasReportedTiming,
      !isPlayedThere
    {
      hasReportedTiming = true
      onNetworkTiming(name)
    }
    // It needs no pen, so it cannot be refused.
    _ = try? runner.begin()
  }

  /// Stops the sequence. The lines stay as the last step set them.
  package func stop() { play?.runner.stop() }

  /// Stops the sequence because its author may not write any more, and restores the lines that it
  /// set. Ends a break that a sequence has left behind.
  package func revoke() {
    let (set, before) = isPlaying ? lines : ([], [])
    stop()
    lineBreak = nil
    guard !set.isEmpty else { return }
    // If the port refuses, its lines stay as they are.
    _ = try? session.setModemLines(
      asserting: set.intersection(before), deasserting: set.subtracting(before))
  }

  /// Performs an action when the present sequence has ended for any reason; during this call if
  /// none is played.
  package func afterwards(_ action: @escaping () -> Void) {
    if isPlaying { waiting.append(action) } else { action() }
  }

  /// Stops the sequence because the session ends. Nothing is reported.
  package func end() {
    waiting = []
    isSilent = true
    stop()
    isSilent = false
  }

  private func portDidClose() {
    stop()
    lineBreak = nil
  }

  // MARK: Steps

  private func perform(_ operation: LineOperation, then: @escaping (Bool) -> Void) {
    do throws(SerialError) {
      switch operation {
      case .setLines(let asserting, let deasserting):
        let new = asserting.union(deasserting).subtracting(lines.set)
        lines.before.formUnion(new.intersection(session.modemLines ?? []))
        lines.set.formUnion(new)
        try session.setModemLines(asserting: asserting, deasserting: deasserting)
      case .setBreak(true):
        if lineBreak == nil { lineBreak = try session.beginBreak() }
      case .setBreak(false): try endBreak()
      case .setBaudRate(let rate): return set(rate, then: then)
      case .play(let sequence):
        return session.play(sequence) { [weak self] result in
          if case .failure(let error) = result { self?.error = error }
          then(result.isSuccess)
        }
      // A line sequence has no such step.
      case .sendBreak, .pulse, .transfer: return then(false)
      }
      then(true)
    } catch {
      self.error = error
      then(false)
    }
  }

  private func endBreak() throws(SerialError) {
    if lineBreak != nil { return lineBreak = nil }
    // Reports a port that has no break, and ends one that was found on the line.
    try session.setBreak(false)
  }

  private func set(_ rate: UInt32, then: @escaping (Bool) -> Void) {
    var settings = session.requestedSettings
    let before = rates?.before ?? settings.baudRate
    settings.baudRate = rate
    session.apply(settings) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success:
        rates = (before, rate)
        // The sequence may have been stopped before the answer.
        if !isPlaying { _ = restoreRate() }
        then(true)
      case .failure(let error):
        self.error = error
        then(false)
      }
    }
  }

  // MARK: The end

  private func ended(_ end: LinePlay.End) {
    var end: End =
      switch end {
      case .done: .done
      case .failed(let step):
        // An operation that was not performed always has a reason.
        error.map { .failed(step, $0) } ?? .stopped
      case .stopped: session.isOpen ? .stopped : .portClosed
      }
    // A sequence that is played to its end may leave the line in break for the next one.
    if end != .done { lineBreak = nil }
    if let failure = restoreRate() { end = failure }
    let (ended, actions) = (play, waiting)
    waiting = []
    (play, sendingPause) = (nil, nil)
    playing = nil
    if !isSilent { ended?.then(end) }
    for action in actions { action() }
  }

  /// Restores the rate that was set before the sequence, unless other code has
  /// changed it meanwhile.
  ///
  /// - Returns: the end to report if the driver refused the rate; otherwise nil.
  private func restoreRate() -> End? {
    guard let (before, now) = rates else { return nil }
    rates = nil
    var settings = session.requestedSettings
    guard settings.baudRate == now else { return nil }
    settings.baudRate = before
    guard session.isOpen else {
      session.requestedSettings = settings
      return nil
    }
    do throws(SerialError) {
      try session.apply(settings)
      return nil
    } catch {
      return .failed(.setBaudRate(before), error)
    }
  }
}

extension Result {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
