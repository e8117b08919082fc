import DeviceWatch
import SystemPackage

/// What a TARGET means at the moment. Every command that takes a TARGET resolves it here.
enum ResolvedTarget: Hashable {
  /// A simulation in this process.
  case simulation(Target.Simulation)
  /// The next device that is plugged in.
  case next
  /// The path that the user gave. It may lead nowhere, or to a port that udev does not know.
  case path(FilePath)
  /// The only device that the query allows.
  case device(Device, DeviceQuery)
  /// No device fits.
  case none(DeviceQuery)
  /// Several devices fit, or the user has to confirm the only one.
  case several([Device], DeviceQuery)

  /// Resolves a target.
  ///
  /// - Parameters:
  ///   - target: nil for the only device.
  ///   - devices: lists the present devices; called only if the target depends on them.
  /// - Throws: the error of `devices`.
  init<Problem: Error>(
    _ target: Target?, among devices: () throws(Problem) -> [Device]
  ) throws(Problem) {
    let query: DeviceQuery
    switch target {
    case .loopback(let simulation)?:
      self = .simulation(simulation)
      return
    case .new?:
      self = .next
      return
    case .node(let path)?:
      self = .path(path)
      return
    case .device(let selector)?: query = .fitting(selector)
    case .latest?: query = .latest
    case nil: query = .only
    }
    switch query.answer(among: try devices()) {
    case .one(let device): self = .device(device, query)
    case .none: self = .none(query)
    case .several(let devices): self = .several(devices, query)
    }
  }

  /// The device, if it is present and udev knows it.
  func device(among devices: () -> [Device]?) -> Device? {
    switch self {
    case .device(let device, _): device
    case .path(let path): devices().flatMap { DeviceSelector.node(path).matches(among: $0).first }
    case .simulation, .next, .none, .several: nil
    }
  }
}

extension ResolvedTarget {
  /// The path of the port, for a command that needs one that is present.
  ///
  /// - Parameter devices: the present devices, for the message if none fits.
  /// - Throws: ``Failure`` if there is no such port, or if the command cannot use the form of TARGET.
  func presentPath(among devices: @autoclosure () -> [Device]) throws(Failure) -> FilePath {
    switch self {
    case .path(let path):
      guard (try? path.stat()) != nil else {
        throw Failure(.deviceNotFound, "\(path): \(PortProblem.noSuchDevice). \(Self.listAdvice)")
      }
      return path
    case .device(let device, _): return device.node
    case .none(let query): throw Failure(noneFor: query, among: devices(), mayWait: false)
    case .several(let devices, let query): throw Failure(several: devices, for: query)
    case .next: throw Failure(.usage, "'new': not plugged in yet. Name a device that is.")
    case .simulation(let simulation):
      throw Failure(
        .usage, "'loopback:\(simulation.rawValue)' exists only inside a session. Name a device.")
    }
  }

  private static let listAdvice = "'serialterm list' shows the devices."
}
