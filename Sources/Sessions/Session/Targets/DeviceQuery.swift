package import DeviceWatch

/// A query for one of the present devices: a TARGET that is not an address.
package enum DeviceQuery: Hashable, Sendable {
  /// No TARGET: the only device.
  case only
  /// `latest`: the hot-pluggable device that was plugged in last.
  case latest
  /// `new`: the next device to be plugged in. No present device matches.
  case next
  /// All devices that match a selector.
  case fitting(DeviceSelector)

  /// The result of a query.
  package enum Answer: Hashable {
    case none
    case one(Device)
    /// The user has to choose, even from a single device, because the user did not name it.
    case several([Device])
  }

  /// Evaluates the query.
  ///
  /// An on-board UART never answers ``only`` or ``latest``: it is often the kernel's console, or
  /// connected to a modem in the computer.
  package func answer(among devices: [Device]) -> Answer {
    switch self {
    case .only:
      let ports = choices(among: devices)
      if ports.count == 1, ports[0].isHotPluggable { return .one(ports[0]) }
      return ports.isEmpty ? .none : .several(ports)
    case .latest:
      let latest = choices(among: devices).filter(\.isHotPluggable)
        .max { ($0.creationNumber ?? 0) < ($1.creationNumber ?? 0) }
      return latest.map(Answer.one) ?? .none
    case .next: return .none
    case .fitting(let selector):
      let matches = selector.matches(among: devices)
      return matches.count > 1 ? .several(matches) : matches.first.map(Answer.one) ?? .none
    }
  }

  /// The devices that a user can choose from: those that match the selector; without one, all
  /// devices with hardware behind them, hot-pluggable ones first.
  package func choices(among devices: [Device]) -> [Device] {
    switch self {
    case .only, .latest, .next:
      let ports = devices.filter(\.hasHardware)
      return ports.filter(\.isHotPluggable) + ports.filter { !$0.isHotPluggable }
    case .fitting(let selector): return selector.matches(among: devices)
    }
  }
}
