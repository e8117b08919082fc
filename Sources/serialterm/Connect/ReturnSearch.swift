import DeviceWatch

/// Looks for a session's device among those that there are, and never takes a look-alike for it.
///
/// A value: it holds what is known of one absence.
struct ReturnSearch: Hashable {
  /// What was found.
  enum Finding: Hashable {
    case nothing
    /// This is it.
    case device(Device)
    /// Nobody but the user can tell: any of these may be it, and there is none that must be.
    case lookAlikes([Device])
    /// Nobody but the user can tell: more than one is what the session waits for.
    case several([Device])
  }

  /// What was there when the device went, and therefore is not it.
  private var strangers: Set<UInt64>
  /// Once several fit, the one that is left when the others have gone is not known to be it.
  private var isUncertain = false

  /// Begins a search.
  ///
  /// - Parameter strangers: what was there besides the device when it went.
  init(besides strangers: [Device] = []) {
    self.strangers = Set(strangers.compactMap(\.incarnation))
  }

  /// Looks for a device that was seen before.
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

  /// Looks for a device that was described, and has not been seen yet.
  mutating func find(_ selector: DeviceSelector, among devices: [Device]) -> Finding {
    let matches = selector.matches(among: devices)
    if matches.count > 1 { isUncertain = true }
    guard let first = matches.first else { return .nothing }
    return isUncertain ? .several(matches) : .device(first)
  }
}
