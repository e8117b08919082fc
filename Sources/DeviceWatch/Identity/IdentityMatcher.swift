/// Recognises a device when it returns, and learns which data are *not* unique.
///
/// A single adapter does not show whether another one has the same serial number. While the device
/// is present, its owner passes the other present devices to the matcher. Once a twin was seen, the
/// device is recognised by its physical port, even after the twin was removed.
///
/// ```swift
/// var matcher = IdentityMatcher(for: device, among: watcher.devices)
/// matcher.learn(from: watcher.devices)  // when another device appears
/// matcher.match(among: watcher.devices)  // when the device is gone
/// ```
public struct IdentityMatcher: Hashable, Sendable {
  /// The identity of the device.
  public private(set) var identity: DeviceIdentity
  /// The device as it was last seen.
  public private(set) var device: Device

  /// Creates a matcher for a device.
  ///
  /// - Parameters:
  ///   - device: the device to recognise.
  ///   - devices: the present devices, with or without the device itself.
  public init(for device: Device, among devices: [Device]) {
    self.device = device
    identity = device.identity
    learn(from: devices + [device])
  }

  /// Looks for twins among the present devices. Does nothing if the device itself is absent,
  /// because a similar device may be the device itself.
  public mutating func learn(from devices: [Device]) {
    let likes = devices.filter(identity.describes)
    guard let own = likes.last(where: { $0.syspath == device.syspath }) else { return }
    device = own
    if likes.contains(where: { $0.syspath != own.syspath }) { identity = own.identityByPlace }
  }

  /// Follows the device after its return: later searches for twins exclude it.
  ///
  /// - Parameters:
  ///   - device: the device in its present state.
  ///   - devices: the present devices.
  public mutating func follow(_ device: Device, among devices: [Device]) {
    self.device = device
    learn(from: devices + [device])
  }

  /// Searches for the device.
  ///
  /// - Parameter devices: the present devices.
  public func match(among devices: [Device]) -> IdentityMatch { identity.match(among: devices) }

  /// Adapters of the same type, with the same serial number if there is one. Only the user can tell
  /// whether one of them is the device.
  ///
  /// - Parameter devices: the present devices.
  public func lookAlikes(among devices: [Device]) -> [Device] {
    guard let function = USBFunction(device) else { return [] }
    return devices.filter { USBFunction($0) == function && !identity.describes($0) }
  }
}
