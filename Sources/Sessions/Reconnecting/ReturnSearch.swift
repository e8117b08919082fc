import DeviceWatch

/// Searches the present devices for a session's device. It never accepts a look-alike
/// as the device.
///
/// A value for one absence of the device.
struct ReturnSearch: Hashable {
  /// The result of a search.
  enum Finding: Hashable {
    case nothing
    /// The device was found.
    case device(Device)
    /// Similar devices are present. Only the user can tell whether one of them is the device.
    case lookAlikes([Device])
    /// More than one device matches. Only the user can choose.
    case several([Device])
  }

  /// Devices that were present when the session's device was lost, and so cannot be it.
  private var strangers: Set<UInt64>
  /// Whether several devices have matched. If all but one are then removed, the remaining one
  /// may be wrong.
  private var isUncertain = false

  /// Creates a search.
  ///
  /// - Parameter strangers: the other devices that were present when the device was lost.
  init(besides strangers: [Device] = []) {
    self.strangers = Set(strangers.compactMap(\.creationNumber))
  }

  /// Searches for a device that was seen before.
  mutating func find(_ matcher: IdentityMatcher, among devices: [Device]) -> Finding {
    switch matcher.match(among: devices) {
    case .one(let device) where !isUncertain: return .device(device)
    case .one(let device): return .several([device])
    case .ambiguous(let devices):
      isUncertain = true
      return .several(devices)
    case .none:
      let lookAlikes = matcher.lookAlikes(among: devices).filter {
        $0.creationNumber.map { !strangers.contains($0) } ?? true
      }
      return lookAlikes.isEmpty ? .nothing : .lookAlikes(lookAlikes)
    }
  }

  /// Searches for a device that was not seen before, by its description.
  mutating func find(_ selector: DeviceSelector, among devices: [Device]) -> Finding {
    let matches = selector.matches(among: devices)
    if matches.count > 1 { isUncertain = true }
    guard let first = matches.first else { return .nothing }
    return isUncertain ? .several(matches) : .device(first)
  }
}
