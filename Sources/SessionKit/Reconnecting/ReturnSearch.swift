import DeviceWatch

/// Searches the present devices for a session's device, and never takes a look-alike for it.
///
/// A value, for one absence of the device.
struct ReturnSearch: Hashable {
  /// The result of a search.
  enum Finding: Hashable {
    case nothing
    /// The device.
    case device(Device)
    /// Only the user can tell: each of these may be the device, or none.
    case lookAlikes([Device])
    /// Only the user can tell: more than one device matches.
    case several([Device])
  }

  /// The devices that were present when the device was lost, and therefore are other ones.
  private var strangers: Set<UInt64>
  /// Whether several have matched: the one that is left when the others are gone may be a wrong one.
  private var isUncertain = false

  /// Creates a search.
  ///
  /// - Parameter strangers: the other devices that were present when the device was lost.
  init(besides strangers: [Device] = []) {
    self.strangers = Set(strangers.compactMap(\.incarnation))
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
        $0.incarnation.map { !strangers.contains($0) } ?? true
      }
      return lookAlikes.isEmpty ? .nothing : .lookAlikes(lookAlikes)
    }
  }

  /// Searches for a device that has not been seen yet, by its description.
  mutating func find(_ selector: DeviceSelector, among devices: [Device]) -> Finding {
    let matches = selector.matches(among: devices)
    if matches.count > 1 { isUncertain = true }
    guard let first = matches.first else { return .nothing }
    return isUncertain ? .several(matches) : .device(first)
  }
}
