package import DeviceWatch
package import SerialCore

/// The present meaning of a TARGET. All code that takes a TARGET resolves it here.
package enum ResolvedTarget: Hashable {
  /// The address that the user gave. It may lead nowhere, or to a port that udev does not know.
  case endpoint(Endpoint)
  /// The only device that matches the query.
  case device(Device, DeviceQuery)
  /// No device matches.
  case none(DeviceQuery)
  /// Several devices match, or the user has to confirm the only one.
  case several([Device], DeviceQuery)

  /// Resolves a target.
  ///
  /// - Parameters:
  ///   - target: nil for the only device.
  ///   - offersMore: whether there may be more to choose from than devices, so that not even the
  ///     only one is meant by no target.
  ///   - devices: lists the present devices; called only if the target depends on them.
  /// - Throws: the error of `devices`.
  package init<Problem: Error>(
    _ target: Target?, offersMore: Bool = false, among devices: () throws(Problem) -> [Device]
  ) throws(Problem) {
    let query: DeviceQuery
    switch target ?? .device(.only) {
    case .endpoint(let endpoint):
      self = .endpoint(endpoint)
      return
    case .device(.next):
      self = .none(.next)
      return
    case .device(let asked): query = asked
    }
    switch query.answer(among: try devices()) {
    case .one(let device) where target == nil && offersMore: self = .several([device], query)
    case .one(let device): self = .device(device, query)
    case .none: self = .none(query)
    case .several(let devices): self = .several(devices, query)
    }
  }

  /// The device, if it is present and udev knows it.
  package func device(among devices: () -> [Device]?) -> Device? {
    switch self {
    case .device(let device, _): device
    case .endpoint(let endpoint):
      if endpoint.kind == .tty, let path = endpoint.path, let devices = devices() {
        DeviceSelector.node(path).matches(among: devices).first
      } else {
        nil
      }
    case .none, .several: nil
    }
  }
}
