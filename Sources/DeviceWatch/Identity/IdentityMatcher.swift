/// Recognises one device when it comes back, and learns what does *not* tell it apart.
///
/// Two adapters with the same serial number cannot be known from one of them alone. While the device
/// is there its owner shows the matcher what else is there; once a twin was seen, the device is
/// recognised by its physical port from then on, also after the twin has gone.
///
/// ```swift
/// var matcher = IdentityMatcher(for: device, among: watcher.devices)
/// matcher.learn(from: watcher.devices)  // when another device appears
/// matcher.match(among: watcher.devices)  // when the device is gone
/// ```
public struct IdentityMatcher: Hashable, Sendable {
  /// What the device is recognised by.
  public private(set) var identity: DeviceIdentity
  /// The device as it was last seen.
  public private(set) var device: Device

  /// Creates a matcher for a device.
  ///
  /// - Parameters:
  ///   - device: the one to recognise.
  ///   - devices: what there is now, the device itself or not.
  public init(for device: Device, among devices: [Device]) {
    self.device = device
    identity = device.identity
    learn(from: devices + [device])
  }

  /// Looks for twins among what there is. Without the device itself there is nothing to learn: what
  /// looks like it then may be it.
  public mutating func learn(from devices: [Device]) {
    let likes = devices.filter(identity.describes)
    guard let own = likes.last(where: { $0.syspath == device.syspath }) else { return }
    device = own
    if likes.contains(where: { $0.syspath != own.syspath }) { identity = own.identityByPlace }
  }

  /// The device is back, and this is it now: from here on twins are looked for beside it.
  ///
  /// - Parameters:
  ///   - device: as it is now, wherever that is.
  ///   - devices: what there is now.
  public mutating func follow(_ device: Device, among devices: [Device]) {
    self.device = device
    learn(from: devices + [device])
  }

  /// Looks for the device.
  ///
  /// - Parameter devices: what there is now.
  public func match(among devices: [Device]) -> IdentityMatch { identity.match(among: devices) }

  /// The same kind of adapter, with the same number if it has one, where the device cannot be
  /// recognised: only a person can tell whether one of them is it.
  ///
  /// - Parameter devices: what there is now.
  public func lookAlikes(among devices: [Device]) -> [Device] {
    guard let function = USBFunction(device) else { return [] }
    return devices.filter { USBFunction($0) == function && !identity.describes($0) }
  }
}
