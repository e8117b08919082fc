import DeviceWatch
import Posix
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import TextTools

/// What a person permits an agent.
struct AgentRules {
  /// The targets that may be opened; empty for all serial ports of this computer.
  var allowed: [Target] = []
  /// Whether it may write: send bytes and breaks, and set modem lines.
  var mayWrite = false
  /// Whether a person confirms each write, by giving the pen. The line is not set then.
  var asks = false
  /// The name of the agent for others; nil for what the client calls itself.
  var name: String?
  var log = LogConfiguration()

  /// What it may do with a port.
  var permission: TerminalState.Permission {
    mayWrite ? asks ? .writing : .everything : .reading
  }

  /// Why a target may not be opened; nil if it may.
  ///
  /// - Parameter devices: the present devices.
  func refusal(of target: Target, among devices: [Device]) -> String? {
    guard !allowed.isEmpty else { return refusalWithoutList(of: target, among: devices) }
    let place = Place(target, among: devices)
    let isAllowed = allowed.contains {
      $0 == target || place != nil && Place($0, among: devices) == place
    }
    return isAllowed ? nil : "not allowed: the server was started with --allow, for other ports"
  }

  /// Whose terminals may be opened.
  var admission: NodeAdmission { allowed.isEmpty ? .serialPorts : .unattended }

  private func refusalWithoutList(of target: Target, among devices: [Device]) -> String? {
    guard case .endpoint(let endpoint) = target else {
      let node = ResolvedTarget(target, among: { devices }).device(among: { devices })?.node
      return node.flatMap(Self.refusal(ofConsole:))
    }
    if LinkProviders.standard.isRemote(endpoint) {
      return "not allowed: a port over the network must be named when the server is started, with "
        + "--allow \(endpoint)"
    }
    // A path that does not exist may be a port that is not plugged in.
    guard let path = endpoint.path, let node = path.realPath else { return nil }
    // Whose pseudo-terminal it is, the link finds out.
    let isPort =
      devices.contains { $0.node == node && $0.hasHardware }
      || node.deviceNumber?.isPseudoTerminal == true
    return isPort ? Self.refusal(ofConsole: node) : Self.refusal(ofNode: path.string)
  }

  /// A login prompt usually runs at a console, and in a container nobody sees it.
  private static func refusal(ofConsole node: FilePath) -> String? {
    guard KernelConsoles().contains(node) else { return nil }
    return
      "not allowed: \(node.string.harmless) is a console of this computer. A person can name it "
      + "when the server is started, with --allow \(node.string.shellWord)"
  }

  /// Why a node may not be opened that is no serial port.
  static func refusal(ofNode node: String) -> String {
    "not allowed: \(node.harmless) is no serial port of this computer. A person can name it when the "
      + "server is started, with --allow \(node.shellWord)"
  }

  /// Why a session of a person may not be joined; nil if it may.
  func refusal(of session: RunningSession, among devices: [Device]) -> String? {
    guard !allowed.isEmpty else { return nil }
    guard let target = try? LinkProviders.standard.parse(session.summary.port) else {
      return "not allowed: the server was started with --allow, for other ports"
    }
    return refusal(of: target, among: devices)
  }

  /// The place that a target leads to at present, whatever it is called.
  private enum Place: Hashable {
    case node(FilePath)
    case other(String)

    init?(_ target: Target, among devices: [Device]) {
      switch ResolvedTarget(target, among: { devices }) {
      case .endpoint(let endpoint):
        self =
          endpoint.path.map { .node($0.realPath ?? $0) } ?? .other(endpoint.canonicalName)
      case .device(let device, _): self = .node(device.node.realPath ?? device.node)
      case .none, .several: return nil
      }
    }
  }
}
