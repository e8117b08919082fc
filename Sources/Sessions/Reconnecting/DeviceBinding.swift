package import DeviceWatch
import SystemPackage

/// How to recognise a session's terminal device. A value: its owner reports what it observes.
package enum DeviceBinding: Hashable {
  /// By its identity, after it has been seen.
  case identity(IdentityMatcher)
  /// By the user's description, before it has been seen.
  case selector(DeviceSelector)
  /// The first device with hardware that appears and is not one of these. They are named
  /// by their creation numbers.
  case next(besides: Set<UInt64>)
  /// By its path, if udev does not know the device.
  case path(PathBinding)

  /// The next device to be plugged in.
  ///
  /// - Parameter present: the devices that are already plugged in.
  package static func next(after present: [Device]) -> Self {
    .next(besides: Set(present.compactMap(\.creationNumber)))
  }

  /// The session has opened the device at a path. From now on the device is recognised by its
  /// identity, if udev knows it. The exception is a physical port: the user wants any device that
  /// is plugged in there.
  mutating func recognise(at path: FilePath, among present: [Device]) {
    let device = DeviceSelector.node(path).matches(among: present).first
    switch (self, device) {
    case (.selector(.port), _): break
    case (.identity(var matcher), let device?):
      matcher.follow(device, among: present)
      self = .identity(matcher)
    case (.path, let device?), (.selector, let device?), (.next, let device?):
      self = .identity(IdentityMatcher(for: device, among: present))
    case (.path(var path), nil):
      path.look()
      self = .path(path)
    case (.identity, nil), (.selector, nil), (.next, nil): break
    }
  }

  /// Another device has appeared while the session has its own open at a path. The open device's
  /// identity is already known; the path may now lead to the other device, because udev gives a
  /// link that two adapters claim to the later one.
  mutating func lookForTwins(at path: FilePath, among present: [Device]) {
    guard case .identity(var matcher) = self else { return recognise(at: path, among: present) }
    matcher.learn(from: present)
    self = .identity(matcher)
  }

  /// Whether this is the device that the session has open at a path.
  func isDevice(_ device: Device, at path: FilePath) -> Bool {
    guard case .identity(let matcher) = self else {
      return DeviceSelector.node(path).matches(among: [device]) == [device]
    }
    return matcher.device.node == device.node
  }

  /// The present devices except the session's.
  func strangers(among present: [Device]) -> [Device] {
    guard case .identity(let matcher) = self else { return present }
    return present.filter { $0.syspath != matcher.device.syspath }
  }

  /// The first device that has appeared since ``next(after:)``.
  ///
  /// - Parameter isTaken: whether a device belongs to another session.
  func next(among present: [Device], unless isTaken: (Device) -> Bool) -> Device? {
    guard case .next(let others) = self else { return nil }
    return present.first { device in
      let isNew = device.creationNumber.map { !others.contains($0) } ?? false
      return isNew && device.hasHardware && !isTaken(device)
    }
  }

  /// Whether a device is certainly the session's.
  func claims(_ device: Device) -> Bool {
    switch self {
    case .identity(let matcher): matcher.identity.describes(device)
    case .selector(let place): place.isPlace && !place.matches(among: [device]).isEmpty
    case .path(let binding): !DeviceSelector.node(binding.path).matches(among: [device]).isEmpty
    case .next: false
    }
  }
}
