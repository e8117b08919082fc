import DeviceWatch
import SystemPackage

/// A query over the present devices, for a TARGET that names no node.
enum DeviceQuery: Hashable {
  /// No TARGET: the only device.
  case only
  /// `latest`: the hot-pluggable device that was plugged in last.
  case latest
  /// All devices that fit a selector.
  case fitting(DeviceSelector)

  /// The result of a query.
  enum Answer: Hashable {
    case none
    case one(Device)
    /// The user has to choose, even if there is only one, because it was not named.
    case several([Device])
  }

  /// Evaluates the query.
  ///
  /// A UART of the board is never the answer to ``only`` and ``latest``: often it is the kernel's
  /// console or a modem of the machine.
  func answer(among devices: [Device]) -> Answer {
    switch self {
    case .only:
      let ports = choices(among: devices)
      if ports.count == 1, ports[0].isHotPluggable { return .one(ports[0]) }
      return ports.isEmpty ? .none : .several(ports)
    case .latest:
      let latest = choices(among: devices).filter(\.isHotPluggable)
        .max { ($0.incarnation ?? 0) < ($1.incarnation ?? 0) }
      return latest.map(Answer.one) ?? .none
    case .fitting(let selector):
      let matches = selector.matches(among: devices)
      return matches.count > 1 ? .several(matches) : matches.first.map(Answer.one) ?? .none
    }
  }

  /// The devices that a user can choose from: what fits the selector, otherwise all with hardware
  /// behind them, hot-pluggable ones first.
  func choices(among devices: [Device]) -> [Device] {
    switch self {
    case .only, .latest:
      let ports = devices.filter(\.hasHardware)
      return ports.filter(\.isHotPluggable) + ports.filter { !$0.isHotPluggable }
    case .fitting(let selector): return selector.matches(among: devices)
    }
  }
}

extension Failure {
  /// The query has no answer, and there is no terminal to ask on.
  ///
  /// - Parameters:
  ///   - devices: the present devices; those that can be named instead are listed.
  ///   - mayWait: whether the command has the option `--wait`.
  init(noneFor query: DeviceQuery, among devices: [Device], mayWait: Bool = true) {
    switch query {
    case .fitting(let selector):
      let waiting = mayWait ? "; --wait waits for it" : ""
      self.init(
        .deviceNotFound,
        "\(selector): \(PortProblem.noSuchDevice). 'serialterm list' shows the devices\(waiting).")
    case .only, .latest:
      self.init(.deviceNotFound, query.absence(among: devices).joined(separator: "\n"))
    }
  }

  /// The query has several answers, and there is no terminal to ask on.
  init(several devices: [Device], for query: DeviceQuery) {
    let list = devices.lines.joined(separator: "\n")
    switch query {
    case .only, .latest: self.init(.usage, "no device was named. Name one of these:\n\(list)")
    case .fitting(let selector):
      self.init(.usage, "\(selector): fits several devices. Name one of them:\n\(list)")
    }
  }
}

extension DeviceQuery {
  /// The lines that say that no hot-pluggable device is present, and what is.
  func absence(among devices: [Device]) -> [String] {
    let ports = choices(among: devices)
    let reason = Self.reason(isWithoutPorts: ports.isEmpty)
    guard !ports.isEmpty else {
      return [
        "\(reason). Plug one in, try 'serialterm loopback:board', or run 'serialterm doctor'."
      ]
    }
    return ["\(reason). Name one of these ports:"] + ports.lines
  }

  /// Why the query has no answer.
  func reasonForAbsence(among devices: [Device]) -> String {
    Self.reason(isWithoutPorts: choices(among: devices).isEmpty)
  }

  /// Why nothing can be chosen.
  ///
  /// - Parameter isWithoutPorts: whether there are no UARTs of the board either.
  static func reason(isWithoutPorts: Bool) -> String {
    "no \(isWithoutPorts ? "" : "USB or other hot-pluggable ")serial device is present"
  }
}

extension [Device] {
  /// The devices as lines of a message: the node and the summary.
  var lines: [String] { map { "  \($0.node)  \($0.summary)" } }
}
