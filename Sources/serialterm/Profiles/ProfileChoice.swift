import Configuration
import DeviceWatch
import SystemPackage

/// What of the configuration holds for a session: what `[default]` says, and one profile.
struct ProfileChoice {
  /// What it says; of two entries with one key only the one that counts is there.
  let entries: [Entry]
  /// The name of the profile; nil if none holds.
  let profile: String?
  /// The device that is meant.
  let target: Target?
  /// Whether another profile may hold once the device is known.
  let dependsOnDevice: Bool

  /// Chooses.
  ///
  /// - Parameters:
  ///   - profile: the name of the one that the user wants in any case.
  ///   - target: what the user named.
  ///   - isName: whether the target was typed as this name.
  ///   - file: the configuration.
  ///   - devices: what there is; asked only where it matters, nil if nobody can tell.
  /// - Throws: ``Failure`` when the wanted one is not there.
  init(
    profile name: String?, target: Target?, isName: (String) -> Bool, file: ProfileFile,
    devices: () -> [Device]? = ProfileChoice.devices
  ) throws(Failure) {
    let contents = file.contents
    var target = target
    var profile: ConfigurationFile.Profile?
    if let name {
      guard let wanted = contents.profile(named: name) else {
        let place = file.path.map { "\($0) has" } ?? "there is no configuration, and"
        throw Failure(.usage, "\(place) no profile '\(name)'.")
      }
      profile = wanted
    }
    let standard = contents.defaults.first { $0.key == "target" }?.text
    if let named = target?.bareName.flatMap(contents.profile), isName(named.name) {
      // The name of a profile stands for its device.
      profile = profile ?? named
      target = Self.target(of: named, among: devices)
    } else if target == nil, profile == nil, let named = standard.flatMap(contents.profile) {
      profile = named
    }
    target =
      target ?? profile.flatMap { Self.target(of: $0, among: devices) }
      ?? standard.flatMap { try? Target(parsing: $0) }
    var dependsOnDevice = false
    if profile == nil {
      (profile, dependsOnDevice) = Self.profile(for: target, in: contents, among: devices)
    }
    self.init(profile, target: target, dependsOnDevice: dependsOnDevice, in: contents)
  }

  private init(
    _ profile: ConfigurationFile.Profile?, target: Target?, dependsOnDevice: Bool,
    in contents: ConfigurationFile
  ) {
    entries = Self.merge(contents.defaults, profile?.entries ?? [])
    self.profile = profile?.name
    self.target = target
    self.dependsOnDevice = dependsOnDevice
  }

  /// The choice, now that the device is known: what it were if the device had been there.
  func knowing(_ device: Device, in file: ProfileFile) -> ProfileChoice {
    ProfileChoice(
      Self.profile(for: device, in: file.contents), target: target, dependsOnDevice: false,
      in: file.contents)
  }

  /// The device of a profile: its target, else what it is for.
  private static func target(
    of profile: ConfigurationFile.Profile, among devices: () -> [Device]?
  ) -> Target? {
    if let target = profile["target"]?.text { return try? Target(parsing: target) }
    guard let selectors = ProfileMatch(profile)?.selectors, let first = selectors.first else {
      return nil
    }
    guard selectors.count > 1, let devices = devices() else { return .device(first) }
    return .device(selectors.first { !$0.matches(among: devices).isEmpty } ?? first)
  }

  /// The first profile that is for the device that a target means.
  ///
  /// - Returns: also whether that may change when the device is known.
  private static func profile(
    for target: Target?, in contents: ConfigurationFile, among devices: () -> [Device]?
  ) -> (profile: ConfigurationFile.Profile?, dependsOnDevice: Bool) {
    let candidates = contents.profiles.compactMap { profile in
      ProfileMatch(profile).map { (profile, $0) }
    }
    if candidates.isEmpty { return (nil, false) }
    if case .loopback = target { return (nil, false) }
    if let query = target.map(DeviceQuery.init) ?? .only, let devices = devices(),
      case .one(let device) = query.answer(among: devices)
    {
      return (profile(for: device, in: contents), false)
    }
    // It is not there yet; what it will be may be said all the same.
    guard case .device(let selector) = target else { return (nil, true) }
    return (candidates.first { $0.1.selectors.contains(selector) }?.0, true)
  }

  /// The first profile that is for a device.
  private static func profile(
    for device: Device, in contents: ConfigurationFile
  ) -> ConfigurationFile.Profile? {
    contents.profiles.first { ProfileMatch($0)?.fits(device) ?? false }
  }

  /// The devices that there are now; nil where udev cannot be asked.
  static func devices() -> [Device]? {
    guard let source = try? UdevSource() else { return nil }
    let watcher = DeviceWatcher(source: source)
    guard (try? watcher.startIfNeeded()) != nil else { return nil }
    return watcher.devices
  }

  /// What comes later counts.
  private static func merge(_ defaults: [Entry], _ own: [Entry]) -> [Entry] {
    let ownKeys = Set(own.map(\.key))
    return defaults.filter { !ownKeys.contains($0.key) } + own
  }
}

extension DeviceQuery {
  /// The query that a target stands for; nil if it stands for none.
  fileprivate init?(_ target: Target) {
    switch target {
    case .node(let path): self = .fitting(.node(path))
    case .device(let selector): self = .fitting(selector)
    case .latest: self = .latest
    case .new, .loopback: return nil
    }
  }
}

extension Target {
  /// The name without a folder that the target may have been typed as.
  fileprivate var bareName: String? {
    guard case .node(let path) = self, let name = path.lastComponent?.string else { return nil }
    return path == FilePath(name) || path == FilePath("/dev").appending(name) ? name : nil
  }
}

extension Entry {
  /// The value, if it is a text.
  fileprivate var text: String? { if case .string(let text) = value { text } else { nil } }
}
