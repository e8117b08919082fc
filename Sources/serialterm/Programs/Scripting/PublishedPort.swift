import SerialCore
import Sessions
import SystemPackage
import Telnet
import TextTools

extension ModemLines {
  /// The members of the event.
  var members: [(String, JSON)] {
    Self.named.map { name, line in (name.lowercased(), .bool(contains(line))) }
  }
}

extension LineCounters {
  /// The members of the event.
  var members: [(String, JSON)] {
    [
      ("received", received), ("sent", sent), ("framing", framingErrors), ("parity", parityErrors),
      ("overrun", overruns), ("buffer-overrun", bufferOverruns), ("break", breaks),
      ("cts-changes", ctsChanges), ("dsr-changes", dsrChanges), ("dcd-changes", dcdChanges),
      ("ri-changes", riChanges),
    ].map { ($0, .integer(Int($1))) }
  }
}

extension Repetition? {
  /// The members of the event. The text is null while nothing is repeated.
  var members: [(String, JSON)] {
    guard let self else { return [("text", .null)] }
    return [
      ("text", .string(self.text)), ("interval", .number(self.interval / .seconds(1))),
      ("count", self.count.map { .integer(Int($0)) } ?? .null),
      ("sent", .integer(Int(self.doneCount))),
    ]
  }
}

extension LineCapabilities {
  /// What the port has besides bytes, for programs.
  var json: JSON {
    let named: [(String, LineCapabilities)] = [
      ("settings", .settings), ("break", .breaks), ("modem-lines", .modemLines),
      ("counters", .counters),
    ]
    return .array(named.filter { contains($0.1) }.map { .string($0.0) })
  }
}

/// The state of a port, as a program sees it. That of a joined session is the far port's.
///
/// Attempts to open a port that cannot be opened change it only if their reason changes.
struct PublishedPortState: Hashable {
  private let name: String
  private let node: String?
  private let settings: LineSettings?
  /// What the port has; nil while it is not open.
  private let capabilities: LineCapabilities?
  /// Why the port is not open although its device may be there; nil if only that is missing.
  private let reason: String?

  /// The state of the port of a session of its own; nil while it is being opened.
  ///
  /// - Parameter capabilities: what the port has if it is open.
  init?(_ state: SessionState, _ capabilities: LineCapabilities) {
    if case .opening = state { return nil }
    name = SharingMessage.PortState(state).name
    node = state.endpoint?.path?.string
    reason = state.waitReason
    if case .open(_, let actual) = state {
      self.capabilities = capabilities
      settings = capabilities.contains(.settings) ? actual : nil
    } else {
      (settings, self.capabilities) = (nil, nil)
    }
  }

  /// The state of the port of a joined session; nil while it is unknown.
  ///
  /// - Parameter farPort: the name of the far port.
  init?(ofJoined state: TerminalState, farPort: String?) {
    var port = SharingMessage.PortState(state.session)
    switch state.session {
    case .opening: return nil
    case .open where state.sharing.isJoining: return nil
    case .open: port = state.sharing.portTrouble ?? .open
    case .waitingForDevice, .released, .closed: break
    }
    name = port.name
    reason = nil
    node = farPort.flatMap { $0.hasPrefix("/") ? $0 : nil }
    if port == .open, case .open(_, let actual) = state.session {
      capabilities = state.capabilities
      settings = state.capabilities.contains(.settings) ? actual : nil
    } else {
      (settings, capabilities) = (nil, nil)
    }
  }

  /// The members of the event.
  var members: [(String, JSON)] {
    [("state", JSON.string(name)), ("node", JSON(node))]
      + (settings.map { [("settings", .string("\($0)"))] } ?? [])
      + (capabilities.map { [("features", $0.json)] } ?? [])
      + (reason.map { [("reason", .string($0))] } ?? [])
  }
}
