package import Logs
package import SerialCore
import Telnet

extension LogEvent {
  /// Makes the event for a change of a session's state; nil if the change is not logged.
  ///
  /// - Parameters:
  ///   - isReturn: whether the session's port was open before.
  ///   - hasSettings: whether the port has line settings; a plain byte stream has none.
  package init?(
    from old: SessionState, to new: SessionState, isReturn: Bool, hasSettings: Bool = true
  ) {
    switch (old, new) {
    case (.open, .open(let port, let settings)):
      self.init(.settings, at: "\(port)", .settings("\(settings)"))
    case (_, .open(let port, let settings)):
      self.init(
        isReturn ? .back : .opened, at: "\(port)", hasSettings ? .settings("\(settings)") : nil)
    case (.open(let port, _), .waitingForDevice), (.open(let port, _), .closed(.lost)):
      self.init(.lost, at: "\(port)")
    case (_, .released(let port)):
      self.init(.released, at: "\(port)")
    case (_, .closed), (_, .opening), (_, .waitingForDevice):
      return nil
    }
  }

  /// A change of a port's modem lines.
  package init?(from old: ModemLines, to new: ModemLines, in state: SessionState) {
    guard let port = state.endpoint else { return nil }
    self.init(.lines, at: "\(port)", .lines(old: "\(old)", new: "\(new)"))
  }

  /// Makes the event for errors that a driver has counted; nil if it has counted none.
  package init?(errors: LineCounters, in state: SessionState) {
    let counts = errors.errors.map { ErrorCount($0.logName, Int(errors[$0])) }
    guard let port = state.endpoint, !counts.isEmpty else { return nil }
    self.init(.errors, at: "\(port)", .errors(counts))
  }
}

extension CountedError {
  /// The name of the loss in logs.
  fileprivate var logName: String {
    switch self {
    case .framing: "framing"
    case .parity: "parity"
    case .overrun: "overrun"
    case .bufferOverrun: "bufferOverrun"
    case .breakCondition: "break"
    }
  }
}

extension LogEvent {
  /// Makes the event for a change among the members of a session; nil for requests for the pen and
  /// their answers, which are not logged.
  package init?(_ event: Roster.Event, at path: String) {
    switch event {
    case .joined(let member): self.init(.joined, at: path, .name(member.name))
    case .left(let member): self.init(.left, at: path, .name(member.name))
    case .changed(let old, let new):
      guard old.name != new.name else { return nil }
      self.init(.renamed, at: path, .names(old: old.name, new: new.name))
    case .moved(let old, let new, let handover):
      self.init(.pen, at: path, .pen(from: old?.name, to: new?.name, Handover(handover)))
    case .asked, .kept, .ruled: return nil
    }
  }

  /// The other members of a session when a log begins, and who has the pen; empty if the
  /// user is alone.
  package static func present(in roster: Roster, at path: String) -> [LogEvent] {
    let others = roster.members.filter { $0.id != roster.home }
    guard !others.isEmpty else { return [] }
    let holder = roster.holder.flatMap { roster[$0]?.name }
    return others.map { LogEvent(.joined, at: path, .name($0.name)) }
      + (roster.rule == .one ? [LogEvent(.pen, at: path, .pen(from: nil, to: holder, .held))] : [])
  }
}

extension LogEvent.Handover {
  fileprivate init(_ handover: Roster.Handover) {
    self =
      switch handover {
      case .taken: .taken
      case .given: .given
      case .forced: .forced
      case .inherited: .inherited
      }
  }
}
