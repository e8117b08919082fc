package import Logs
import Telnet

extension LogEvent {
  /// Makes the event for a change among the members of a session; nil for requests for the pen and their answers,
  /// which are not logged.
  package init?(_ event: Roster.Event, at path: String) {
    switch event {
    case .joined(let member): self.init(.joined, at: path, .name(member.name))
    case .left(let member): self.init(.left, at: path, .name(member.name))
    case .changed(let old, let new):
      guard old.name != new.name else { return nil }
      self.init(.renamed, at: path, .names(old: old.name, new: new.name))
    case .moved(let old, let new, let handover):
      self.init(.pen, at: path, .pen(from: old?.name, to: new?.name, Handover(handover)))
    case .asked, .kept: return nil
    }
  }

  /// The other members of a session when a log begins, and who has the pen; empty if the user is alone.
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
