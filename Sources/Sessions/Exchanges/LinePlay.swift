package import SerialCore
package import Time

/// Performs the steps of a line sequence: sets lines and baud rates, starts and ends breaks, waits.
package struct LinePlay: Exchange {
  /// How a sequence ended.
  package enum End: Hashable, Sendable {
    /// All steps were performed.
    case done
    /// A step failed; the remaining steps were skipped.
    case failed(LineSequence.Step)
    /// The sequence was stopped, or the port is gone.
    case stopped
  }

  package typealias Report = Never

  package let author: Author? = nil
  package let reception = ExchangeReception.nothing
  private var rest: LineSequence.Iterator
  /// The sequence, if the far end plays it; nil if this computer performs its steps.
  private let whole: LineSequence?
  /// The step that is being performed.
  private var present: LineSequence.Step?

  /// Creates the exchange; the first step follows when it begins.
  ///
  /// - Parameter isPlayedThere: whether the far end plays the sequence.
  package init(_ sequence: LineSequence, isPlayedThere: Bool = false) {
    whole = isPlayedThere ? sequence : nil
    rest = sequence.makeIterator()
  }

  package mutating func handle(
    _ event: ExchangeEvent, at now: MonotonicTime
  ) -> [ExchangeAction<Never, End>] {
    switch event {
    case .begun:
      guard let whole else { return step(at: now) }
      present = rest.next()
      return [.perform(.play(whole))]
    case .performed(.done) where whole != nil: return [.finish(.done)]
    case .performed(.done), .woken: return step(at: now)
    case .performed: return present.map { [.finish(.failed($0))] } ?? []
    case .stopped, .cutOff: return [.finish(.stopped)]
    case .received, .sent, .sendFailed, .read, .endOfSource, .sourceFailed, .drained, .standstill,
      .resumed, .leaving, .room, .stored, .storageFailed, .lost, .regained:
      return []
    }
  }

  private mutating func step(at now: MonotonicTime) -> Actions {
    present = rest.next()
    return switch present {
    case .set(let asserting, let deasserting):
      [.perform(.setLines(asserting: asserting, deasserting: deasserting))]
    case .setBreak(let isOn): [.perform(.setBreak(isOn))]
    case .setBaudRate(let rate): [.perform(.setBaudRate(rate))]
    case .wait(let duration): [.wake(at: now + duration)]
    case nil: [.finish(.done)]
    }
  }
}
