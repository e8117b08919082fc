import DeviceWatch
import SerialCore
import SystemPackage

/// Which of the devices that there are a user means.
enum DeviceQuery: Hashable {
  /// The only one there is.
  case only
  /// The one that was plugged in last.
  case latest
  /// Those that fit.
  case fitting(DeviceSelector)

  /// What was found.
  enum Answer: Hashable {
    case none
    case one(Device)
    /// The user has to choose.
    case several([Device])
  }

  /// Looks for the device: a pure function of what there is.
  func answer(among devices: [Device]) -> Answer {
    let candidates = candidates(among: devices)
    return candidates.count > 1 ? .several(candidates) : candidates.first.map(Answer.one) ?? .none
  }

  /// The devices that can be meant.
  func candidates(among devices: [Device]) -> [Device] {
    switch self {
    case .only: devices.filter(\.hasHardware)
    case .latest:
      devices.filter(\.hasHardware).max { ($0.incarnation ?? 0) < ($1.incarnation ?? 0) }
        .map { [$0] } ?? []
    case .fitting(let selector): selector.matches(among: devices)
    }
  }
}

extension Failure {
  /// No device is what was meant.
  init(noneFor query: DeviceQuery) {
    switch query {
    case .only, .latest:
      self.init(
        .deviceNotFound,
        "no serial device is there. Plug one in, try 'serialterm loopback:board', or ask "
          + "'serialterm doctor'.")
    case .fitting(let selector):
      self.init(.deviceNotFound, "\(selector): no such device is there; --wait waits for it.")
    }
  }

  /// More than one device is what was meant, and there is nobody to ask.
  init(several devices: [Device], for query: DeviceQuery) {
    let list = devices.lines.joined(separator: "\n")
    switch query {
    case .only, .latest:
      self.init(.usage, "more than one device is there; name one:\n\(list)")
    case .fitting(let selector):
      self.init(.usage, "\(selector) fits more than one device:\n\(list)")
    }
  }
}

extension [Device] {
  /// A list for a message: what they are called, and what a person recognises them by.
  var lines: [String] { map { "  \($0.node)  \($0.summary)" } }
}
