import EventLoop
import Posix
import SystemPackage
import Terminal
import TextTools
import Time

/// Rings the bell, or runs the command of a rule, when something happens.
///
/// A device that floods lines must not start processes without limit: each rule runs one command at
/// a time, and starts at most one per second. Further events are counted, and the count is passed
/// to the next command.
final class AlertCenter {
  let rules: [AlertRule]
  private let console: Console
  private let loop: IOLoop
  private var states: [State]

  /// The state of a rule.
  private struct State {
    /// The number of events since the last start.
    var count = 0
    var last: AlertEvent?
    var run: AlertRun?
    var lastStart: MonotonicTime?
    var timer: LoopTimer?
    /// The last error message about the command.
    var complaint: String?
  }

  /// The minimum time between two starts of a rule's command, or between two bells.
  static let interval = Duration.seconds(1)

  init(_ rules: [AlertRule], on console: Console, loop: IOLoop) {
    self.rules = rules
    self.console = console
    self.loop = loop
    states = rules.map { _ in State() }
  }

  /// Whether a command runs.
  var isRunning: Bool { states.contains { $0.run != nil } }

  /// Watches a port.
  func watch(_ port: Port) {
    port.alertWatch = AlertWatch(port.controller, for: rules, on: loop) { [weak self, console] in
      switch $0 {
      case .event(let rule, let event): self?.happened(event, to: rule)
      case .overBudget:
        console.warn("--on-match: the expressions take too long, so not every line is searched.")
      }
    }
  }

  /// Handles an event, now or later.
  func happened(_ event: AlertEvent, to rule: Int) {
    states[rule].count += 1
    states[rule].last = event
    actIfPossible(rule)
  }

  private func actIfPossible(_ rule: Int) {
    let state = states[rule]
    guard state.count > 0, state.run == nil, state.timer == nil else { return }
    let rest = state.lastStart.map { $0 + Self.interval - loop.now } ?? .zero
    guard rest <= .zero else {
      states[rule].timer = loop.schedule(after: rest) { [unowned self] in
        states[rule].timer = nil
        actIfPossible(rule)
      }
      return
    }
    act(rule)
  }

  private func act(_ rule: Int) {
    guard let event = states[rule].last else { return }
    let count = states[rule].count
    states[rule].count = 0
    states[rule].lastStart = loop.now
    switch rules[rule].action {
    case .bell: console.ringBell()
    case .command(let command):
      do throws(Errno) {
        states[rule].run = try AlertRun(command, event.environment(count: count), on: loop) {
          [weak self] in self?.ended(rule, $0, $1)
        }
      } catch {
        complain(rule, "the command cannot be run: \(error).")
      }
    }
  }

  private func ended(_ rule: Int, _ status: ExitStatus, _ error: String) {
    let run = states[rule].run
    // Released at the end of the turn, because it is calling.
    loop.atEndOfTurn { [run] in _ = run }
    states[rule].run = nil
    if status == .command(0) {
      states[rule].complaint = nil
    } else {
      complain(rule, "the command \(status.ofCommand)\(error.isEmpty ? "." : ": \(error)")")
    }
    actIfPossible(rule)
  }

  /// Reports a problem with a rule's command, but never the same one twice in a row.
  private func complain(_ rule: Int, _ what: String) {
    guard states[rule].complaint != what else { return }
    states[rule].complaint = what
    console.warn("\(rules[rule].name): \(what)")
  }

  /// Passes on, or reports, the events since the last start, because the session ends. It does not
  /// wait for running commands.
  func finish() {
    for rule in states.indices {
      states[rule].timer = nil
      guard states[rule].count > 0 else { continue }
      if states[rule].run == nil {
        act(rule)
      } else {
        let count = states[rule].count
        console.warn(
          "\(rules[rule].name): its command still runs; not run for \(count.grouped) more.")
      }
    }
  }
}

/// A running command of a rule. It has no terminal, and no descriptors of this process except for
/// its standard error.
final class AlertRun {
  private let child: PipedChild
  private let onEnd: (ExitStatus, _ firstError: String) -> Void
  /// The beginning of its standard error.
  private var errors: [UInt8] = []

  /// The maximum number of bytes of its standard error that are kept.
  private static let capacity = 1_024
  /// The maximum length of a reported error, in characters.
  private static let longestError = 200

  /// Starts a command.
  ///
  /// - Parameter onEnd: called once, with its exit status and the first line of its errors.
  /// - Throws: the errors of pipe(2), posix_spawn(3) and epoll_ctl(2).
  init(
    _ command: String, _ environment: [(name: String, value: String)], on loop: IOLoop,
    onEnd: @escaping (ExitStatus, _ firstError: String) -> Void
  ) throws(Errno) {
    self.onEnd = onEnd
    child = try PipedChild(
      command, .init(streams: .none, errors: .piped, leads: .session, environment: environment))
    try child.follow(on: loop) { [unowned self] in handle($0) }
  }

  private func handle(_ event: PipedChild.Event) {
    switch event {
    case .errors(let bytes): errors += bytes.prefix(Self.capacity - errors.count)
    case .ended(let end):
      child.errors?.readRest()
      onEnd(ExitStatus(end), firstError)
    case .output, .outputClosed, .exited: break
    }
  }

  private var firstError: String {
    var lines = ErrorLines()
    let all = errors.withUnsafeBytes { lines.receive($0, at: MonotonicTime(nanoseconds: 0)) }
    let first = (all + lines.flush()).first ?? ""
    return String(first.prefix(Self.longestError))
  }
}

extension AlertEvent {
  /// The environment variables of a command. Text from the device becomes one line without
  /// characters that control a terminal.
  ///
  /// - Parameter count: the number of events since the last start, including this one.
  func environment(count: Int) -> [(name: String, value: String)] {
    [
      ("SERIALTERM_EVENT", kind.rawValue), ("SERIALTERM_DEVICE", device.harmless),
      ("SERIALTERM_MATCH", match.harmlessLine), ("SERIALTERM_LINE", line.harmlessLine),
      ("SERIALTERM_COUNT", "\(count)"),
    ]
  }
}
