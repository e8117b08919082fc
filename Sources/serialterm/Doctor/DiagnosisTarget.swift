import DeviceWatch
import SerialCore
import Sessions
import SystemPackage

/// What a diagnosis examines. This is the only place that decides it.
enum DiagnosisTarget {
  /// All ports of the computer.
  case machine
  /// Devices of this computer; several if all of them match the selector, whose text this is.
  case devices([Device], matching: String?)
  /// A path of this computer, and the device there; nil if udev knows none.
  case path(FilePath, Device?)
  /// No device matches.
  case absent(Inspection.Scope)
  /// A port without a path, of which nothing is known before it is opened: a simulation.
  case simulation
  /// A port over the network, which is connected to for a moment.
  case remote(Endpoint)

  /// - Parameters:
  ///   - target: what the user named; nil for nothing.
  ///   - devices: the devices that are plugged in.
  /// - Throws: ``Failure`` for a device that is not plugged in yet.
  init(_ target: Target?, among devices: [Device]) throws(Failure) {
    guard let target else {
      self = .machine
      return
    }
    let resolved = ResolvedTarget(target) { devices }
    switch resolved {
    case .endpoint(let endpoint) where LinkProviders.standard.isRemote(endpoint):
      self = .remote(endpoint)
    case .endpoint(let endpoint):
      let device = resolved.device { devices }
      self = endpoint.path.map { .path($0, device) } ?? .simulation
    case .device(let device, _): self = .devices([device], matching: nil)
    case .several(let devices, .fitting(let selector)):
      self = .devices(devices, matching: "\(selector)")
    case .several(let devices, .only), .several(let devices, .latest), .several(let devices, .next):
      self = .devices(devices, matching: nil)
    case .none(.next):
      throw Failure(.usage, "new: not plugged in yet. Run 'serialterm doctor' without a TARGET.")
    case .none(.fitting(let selector)): self = .absent(.missing("\(selector)"))
    case .none(let query): self = .absent(.noneToChoose(query.reasonForAbsence(among: devices)))
    }
  }
}
