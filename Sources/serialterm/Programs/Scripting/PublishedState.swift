import EventLoop
import Observing
import SerialCore
import Sessions
import TextTools

/// Publishes parts of the observed state of a port to the program that drives it: at once, and
/// again after each change, once a turn of the loop.
///
/// What is published of a command is ``Command/refusal(in:)``, as in the palette. A program
/// that does not read gets the newest state when it reads again, and none of those before.
final class PublishedState {
  /// A part of the state. The raw value is the name of its event.
  enum Part: String, CaseIterable {
    case people, commands, lines, counters, repetition
  }

  /// The parts that are published.
  private var parts: Set<Part> = []
  private let port: Port
  private let lineWatch: ModemLineWatch
  private let isCrowded: () -> Bool
  private let publish: (Part, [(String, JSON)]) -> Void
  private var changes: ObservationToken<Change<TerminalState>>?
  private var counting: ObservationToken<SessionEvent>?
  private lazy var publishing = Coalescer(on: loop) { [unowned self] in publishChanges() }
  private let loop: IOLoop

  // What the program knows; nil for nothing.
  private var people: PublishedPeople?
  private var commands: [String: PublishedCommand] = [:]
  private var lines: ModemLines?
  private var counters: LineCounters?
  private var repetition: Repetition??
  /// The time until the count of the repetition may be published again.
  private var countPause: LoopTimer?
  private static let countInterval = Duration.milliseconds(250)

  /// - Parameters:
  ///   - isCrowded: whether the program must read before it gets more.
  ///   - publish: called with a part and the members of its event.
  init(
    of port: Port, on loop: IOLoop, isCrowded: @escaping () -> Bool,
    publish: @escaping (Part, [(String, JSON)]) -> Void
  ) {
    (self.port, self.loop) = (port, loop)
    (self.isCrowded, self.publish) = (isCrowded, publish)
    lineWatch = ModemLineWatch(port.session, on: loop)
  }

  /// Publishes other parts from now on, and their present state now.
  func begin(_ parts: Set<Part>) {
    self.parts = parts
    (people, commands, lines, counters) = (nil, [:], nil, nil)
    (repetition, countPause) = (nil, nil)
    lineWatch.isWatched = parts.contains(.lines)
    changes =
      parts.isEmpty ? nil : port.model.$state.observe { [unowned self] in stateDidChange($0) }
    counting =
      parts.contains(.counters)
      ? port.session.observe(.countersChange) { [unowned self] _ in publishing.post() } : nil
    if parts.contains(.counters) { port.session.refreshCounters() }
    publishChanges()
  }

  /// Publishes what has changed while the program did not read.
  func resume() { if !parts.isEmpty { publishing.post() } }

  private func stateDidChange(_ change: Change<TerminalState>) {
    guard let new = change.new.repeating, change.old.repeating?.isSame(as: new) == true else {
      return publishing.post()
    }
    var old = change.old
    old.repeating = new
    // A count alone costs no look at the other parts.
    if old != change.new { publishing.post() } else { publishRepetition(in: change.new) }
  }

  private func publishChanges() {
    // Otherwise a program that does not read would fill the memory.
    guard !isCrowded() else { return }
    let state = port.model.state
    if parts.contains(.people) { publishPeople(in: state) }
    if parts.contains(.commands) { publishCommands(in: state) }
    if parts.contains(.lines) { publishLines(in: state) }
    if parts.contains(.counters) { publishCounters() }
    publishRepetition(in: state)
  }

  private func publishPeople(in state: TerminalState) {
    guard let new = PublishedPeople(state.sharing), new != people else { return }
    people = new
    publish(.people, new.members)
  }

  private func publishCommands(in state: TerminalState) {
    let changed = state.publishedCommands.filter { commands[$0.name] != $0 }
    guard !changed.isEmpty else { return }
    for command in changed { commands[command.name] = command }
    publish(.commands, [("commands", .array(changed.map(\.json)))])
  }

  /// Lines of a port that is not open are unknown. They are published again when it is.
  private func publishLines(in state: TerminalState) {
    let new = state.capabilities.contains(.modemLines) ? state.modemLines : nil
    guard new != lines else { return }
    lines = new
    if let new { publish(.lines, new.members) }
  }

  /// What is repeated is published at once, and its count at most once in ``countInterval``.
  private func publishRepetition(in state: TerminalState) {
    guard parts.contains(.repetition), !isCrowded() else { return }
    let new = state.repeating
    if case .some(let known) = repetition {
      guard new != known else { return }
      if countPause != nil, let known, let new, new.isSame(as: known) { return }
    }
    repetition = .some(new)
    publish(.repetition, new.members)
    countPause = new.map { _ in
      loop.schedule(after: Self.countInterval) { [unowned self] in
        countPause = nil
        publishRepetition(in: port.model.state)
      }
    }
  }

  /// Counters of a port that is not open are unknown, as its lines are.
  private func publishCounters() {
    let new = port.session.counters
    guard new != counters else { return }
    counters = new
    if let new { publish(.counters, new.members) }
  }
}
