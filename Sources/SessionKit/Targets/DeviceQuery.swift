package import DeviceWatch

/// A query over the present devices, for a TARGET that names no address.
package enum DeviceQuery: Hashable, Sendable {
  /// No TARGET: the only device.
  case only
  /// `latest`: the hot-pluggable device that was plugged in last.
  case latest
  /// `new`: the next device to be plugged in. No present device is the answer.
  case next
  /// All devices that fit a selector.
  case fitting(DeviceSelector)

  /// The result of a query.
  package enum Answer: Hashable {
    case none
    case one(Device)
    /// The user has to choose, even if there is only one, because it was not named.
    case several([Device])
  }

  /// Evaluates the query.
  ///
  /// A UART of the board is never the answer to ``only`` and ``latest``: often it is the kernel's
  /// console or a modem of the machine.
  package func answer(among devices: [Device]) -> Answer {
    switch self {
    case .only:
      let ports = choices(among: devices)
      if ports.count == 1, ports[0].isHotPluggable { return .one(ports[0]) }
      return ports.isEmpty ? .none : .several(ports)
    case .latest:
      let latest = choices(among: devices).filter(\.isHotPluggable)
        .max { ($0.incarnation ?? 0) < ($1.incarnation ?? 0) }
      return latest.map(Answer.one) ?? .none
    case .next: return .none
    case .fitting(let selector):
      let matches = selector.matches(among: devices)
      return matches.count > 1 ? .several(matches) : matches.first.map(Answer.one) ?? .none
    }
  }

  /// The devices that a user can choose from: what fits the selector, otherwise all with hardware
  /// behind them, hot-pluggable ones first.
  package func choices(among devices: [Device]) -> [Device] {
    switch self {
    case .only, .latest, .next:
      let ports = devices.filter(\.hasHardware)
      return ports.filter(\.isHotPluggable) + ports.filter { !$0.isHotPluggable }
    case .fitting(let selector): return selector.matches(among: devices)
    }
  }
}
