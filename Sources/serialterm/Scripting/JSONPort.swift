import EventLoop
import Observing
import Patterns
import SerialCore
import Sessions
import SystemPackage
import TextTools
import Time

/// One port of a program that drives sessions by JSON, with its events and its expectation.
final class JSONPort {
  let port: Port
  private var stateChanges: ObservationToken<SessionEvent>?
  /// The received text that was not matched yet.
  private(set) lazy var text: ReceivedTextWatch = ReceivedTextWatch(on: loop) { [unowned self] in
    text.patterns = []
    let match = $0
    let groups = match.captures.indices.map { match.text($0).map(JSON.string) ?? .null }
    onReport(self, .matched(.array(groups)))
  }
  private let loop: IOLoop
  private let onReport: (JSONPort, Report) -> Void
  private var subscription: Hub.Subscription?

  /// A report to the program's controller.
  enum Report {
    /// An event for the program, and its members.
    case event(String, [(String, JSON)])
    /// The expectation's match was received. The value has the groups.
    case matched(JSON)
    /// The port is closed.
    case closed
  }

  /// - Parameter onReport: called with this port and each report.
  init(_ port: Port, on loop: IOLoop, onReport: @escaping (JSONPort, Report) -> Void) {
    self.port = port
    self.loop = loop
    self.onReport = onReport
    stateChanges = port.session.observe(.stateChange) { [unowned self] in
      stateDidChange(to: $0.new)
    }
    subscription = port.controller.hub.subscribe(as: .view) { [unowned self] in
      received($0, at: $1)
    }
  }

  private func received(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    let whole = String(validating: bytes, as: UTF8.self)
    let data: (String, JSON) =
      whole.map { ("text", .string($0)) } ?? ("hex", .string(HexText.digits(of: bytes)))
    onReport(self, .event("received", [("time", .string(Timestamp(moment).rfc3339)), data]))
    text.add(bytes)
  }

  private func stateDidChange(to new: SessionState) {
    if !new.isOpen { onReport(self, .closed) }
    let name: String
    switch new {
    case .open: name = "open"
    case .waitingForDevice: name = "waiting"
    case .closed: name = "closed"
    case .released: name = "released"
    case .opening: return
    }
    var members = [("state", JSON.string(name)), ("node", JSON(new.endpoint?.path?.string))]
    if case .open(_, let settings) = new, port.session.capabilities.contains(.settings) {
      members.append(("settings", .string("\(settings)")))
    }
    onReport(self, .event("state", members))
  }
}
