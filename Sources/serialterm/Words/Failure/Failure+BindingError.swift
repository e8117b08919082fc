import DeviceWatch
import SerialCore
import Sessions

extension Failure {
  /// Describes why a session could not be bound to its target, with advice.
  init(_ error: BindingError) {
    switch error {
    case .noTarget:
      self.init(
        .usage,
        "name a TARGET: there is no terminal to ask on. 'serialterm list' shows the devices.")
    case .none(let query, let devices): self.init(noneFor: query, among: devices)
    case .several(let query, let devices): self.init(several: devices, for: query)
    case .port(let error): self.init(error)
    case .system(let error): self.init(.otherFailure, "a system call failed: \(error).")
    }
  }

  /// No device matches the query, and there is no terminal to ask on.
  ///
  /// - Parameters:
  ///   - devices: the present devices. Those that the user can name instead are listed.
  ///   - mayWait: whether the command has the option `--wait`.
  init(noneFor query: DeviceQuery, among devices: [Device], mayWait: Bool = true) {
    switch query {
    case .fitting(let selector):
      let waiting = mayWait ? "; --wait waits for it" : ""
      self.init(
        .deviceNotFound,
        "\(selector): \(PortProblem.noSuchDevice). 'serialterm list' shows the devices\(waiting).")
    case .only, .latest, .next:
      self.init(.deviceNotFound, query.absence(among: devices).joined(separator: "\n"))
    }
  }

  /// Several devices match the query, and there is no terminal to ask on.
  init(several devices: [Device], for query: DeviceQuery) {
    let list = devices.lines.joined(separator: "\n")
    switch query {
    case .only, .latest, .next:
      self.init(.usage, "no device was named. Name one of these:\n\(list)")
    case .fitting(let selector):
      self.init(.usage, "\(selector) matches several devices. Name one of these:\n\(list)")
    }
  }
}

extension DeviceQuery {
  /// Lines that explain that no hot-pluggable device is present, and list the others.
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

  /// The reason why no device matches the query.
  func reasonForAbsence(among devices: [Device]) -> String {
    Self.reason(isWithoutPorts: choices(among: devices).isEmpty)
  }

  /// The reason why there is nothing to choose.
  ///
  /// - Parameter isWithoutPorts: whether there are no on-board UARTs either.
  static func reason(isWithoutPorts: Bool) -> String {
    "no \(isWithoutPorts ? "" : "USB or other hot-pluggable ")serial device is present"
  }
}

extension [Device] {
  /// The devices as lines of a message: the node and the summary.
  var lines: [String] { map { "  \($0.node)  \($0.summary)" } }
}
