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
    onMatch(.array(match.captures.indices.map { match.text($0).map(JSON.string) ?? .null }))
  }
  private let loop: IOLoop
  /// Called with an event and its members.
  var say: (_ event: String, _ members: [(String, JSON)]) -> Void = { _, _ in }
  /// Called with the groups of the expectation's match.
  var onMatch: (JSON) -> Void = { _ in }
  /// Called when the port is closed.
  var onClosed: () -> Void = {}

  init(_ port: Port, on loop: IOLoop) {
    self.port = port
    self.loop = loop
    stateChanges = port.session.observe(.stateChange) { [unowned self] in
      stateDidChange(to: $0.new)
    }
  }

  func received(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    let whole = String(validating: bytes, as: UTF8.self)
    let data: (String, JSON) =
      whole.map { ("text", .string($0)) } ?? ("hex", .string(HexText.digits(of: bytes)))
    say("received", [("time", .string(Timestamp(moment).rfc3339)), data])
    text.add(bytes)
  }

  private func stateDidChange(to new: SessionState) {
    if !new.isOpen { onClosed() }
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
    say("state", members)
  }
}
