import Configuration
import DeviceWatch
import NetworkLinks
import Options
import SerialCore
import Sessions
import SystemPackage
import TextTools

/// The part of the configuration that applies to a session: `[default]` and at most one profile.
struct ProfileChoice {
  /// The entries that apply, with unique keys.
  let entries: [Entry]
  /// The name of the profile that applies; nil for none.
  let profile: String?
  /// The device.
  var target: Target?
  /// The other devices, if the profile has several.
  var moreTargets: [Target] = []
  /// Whether another profile may apply when the device becomes known.
  let dependsOnDevice: Bool

  /// Chooses the profile.
  ///
  /// - Parameters:
  ///   - profile: the name given by `--profile`; nil for none.
  ///   - target: the TARGET of the command line; nil for none.
  ///   - isName: whether the TARGET was given in the form of this name.
  ///   - file: the configuration.
  ///   - offersMore: see ``ResolvedTarget``.
  ///   - devices: lists the devices; called only if necessary; returns nil if udev
  ///     is not available.
  /// - Throws: ``Failure`` if the named profile does not exist.
  init(
    profile name: String?, target: Target?, isName: (String) -> Bool, file: ProfileFile,
    offersMore: Bool = LabgridQuery.isConfigured, devices: () -> [Device]?
  ) throws(Failure) {
    let contents = file.contents
    let given = target
    var target = target
    var profile: ConfigurationFile.Profile?
    if let name {
      guard let wanted = contents.profile(named: name) else {
        let place = file.path.map { "in \($0)" } ?? "because there is no configuration file"
        throw Failure(
          .usage, "there is no profile '\(name)' \(place). \(Self.way(toProfile: name))")
      }
      profile = wanted
    }
    let standard = contents.defaults.first { $0.key == "target" }?.text
    if let named = target?.bareName.flatMap(contents.profile), isName(named.name) {
      // The name of a profile also selects its device.
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
      (profile, dependsOnDevice) = Self.profile(
        for: target, offersMore: offersMore, in: contents, among: devices)
    }
    let isOfProfile = name != nil || target != given
    self.init(profile, target: target, dependsOnDevice: dependsOnDevice, in: contents)
    if isOfProfile, let texts = profile?["target"]?.texts {
      moreTargets = texts.dropFirst().compactMap { try? Target(parsing: $0) }
    }
  }

  /// The commands that list the profiles, and that make one.
  static func way(toProfile name: String) -> String {
    "'serialterm profile list' lists the profiles, 'serialterm profile save \(name.shellWord) TARGET' "
      + "adds one."
  }

  /// The choice of a profile for those who join a session that has it; nil if there is none with
  /// the name. What the session itself does by it, they do not do again.
  ///
  /// - Parameter name: the name of the profile; empty for `[default]` alone.
  init?(named name: String, in file: ProfileFile) {
    let profile = file.contents.profile(named: name)
    guard profile != nil || name.isEmpty else { return nil }
    let ofSession =
      ([LogParameters.log] + LogParameters.files + [LogParameters.sent]).map(\.name)
      + [KeyboardParameters.readOnly.name]
    self.init(
      profile, target: nil, dependsOnDevice: false, in: file.contents, without: ofSession)
  }

  private init(
    _ profile: ConfigurationFile.Profile?, target: Target?, dependsOnDevice: Bool,
    in contents: ConfigurationFile, without keys: [String] = []
  ) {
    let own = profile?.entries.filter { !keys.contains($0.key) } ?? []
    entries = Self.merge(contents.defaults, own)
    self.profile = profile?.name
    self.target = target
    self.dependsOnDevice = dependsOnDevice
  }

  /// The choice for a device that is now known. It is the same as if the device had been present
  /// at the start.
  func knowing(_ device: Device, in file: ProfileFile) -> ProfileChoice {
    ProfileChoice(
      Self.profile(for: device, in: file.contents), target: target, dependsOnDevice: false,
      in: file.contents)
  }

  /// The device of a profile: its `target`, otherwise its `match`.
  private static func target(
    of profile: ConfigurationFile.Profile, among devices: () -> [Device]?
  ) -> Target? {
    if let target = profile["target"]?.texts?.first { return try? Target(parsing: target) }
    guard let selectors = ProfileMatch(profile)?.selectors, let first = selectors.first else {
      return nil
    }
    guard selectors.count > 1, let devices = devices() else { return .device(.fitting(first)) }
    return .device(.fitting(selectors.first { !$0.matches(among: devices).isEmpty } ?? first))
  }

  /// The first profile that matches the device of a target.
  ///
  /// - Returns: the profile, and whether it can change when the device becomes known.
  private static func profile(
    for target: Target?, offersMore: Bool, in contents: ConfigurationFile,
    among devices: () -> [Device]?
  ) -> (profile: ConfigurationFile.Profile?, dependsOnDevice: Bool) {
    let candidates = contents.profiles.compactMap { profile in
      ProfileMatch(profile).map { (profile, $0) }
    }
    if candidates.isEmpty { return (nil, false) }
    if target?.mayBeDevice == false { return (nil, false) }
    if let present = devices(),
      let device = ResolvedTarget(target, offersMore: offersMore, among: { present })
        .device(among: { present })
    {
      return (profile(for: device, in: contents), false)
    }
    // The device is not present yet, but the TARGET may describe it.
    guard case .device(.fitting(let selector)) = target else { return (nil, true) }
    return (candidates.first { $0.1.selectors.contains(selector) }?.0, true)
  }

  /// The first profile that matches a device.
  private static func profile(
    for device: Device, in contents: ConfigurationFile
  ) -> ConfigurationFile.Profile? {
    contents.profiles.first { ProfileMatch($0)?.fits(device) ?? false }
  }

  /// Merges entries. Those of the profile replace the defaults. Two tables are merged name by name.
  static func merge(_ defaults: [Entry], _ own: [Entry]) -> [Entry] {
    let ownKeys = Set(own.map(\.key))
    return defaults.filter { !ownKeys.contains($0.key) }
      + own.map { entry in
        guard case .table(let names) = entry.value,
          case .table(let defaults)? = defaults.first(where: { $0.key == entry.key })?.value
        else { return entry }
        // A replaced name keeps its position in `[default]`.
        let own = Dictionary(names.map { ($0.key, $0) }) { first, _ in first }
        let replaced = defaults.map { own[$0.key] ?? $0 }
        let known = Set(defaults.map(\.key))
        let new = names.filter { !known.contains($0.key) }
        return Entry(key: entry.key, value: .table(replaced + new), line: entry.line)
      }
  }
}

extension Target {
  /// The target without its folder, if the user may have given it in that form.
  fileprivate var bareName: String? {
    guard case .endpoint(let endpoint) = self, endpoint.kind == .tty, let path = endpoint.path,
      let name = path.lastComponent?.string
    else { return nil }
    return path == FilePath(name) || path == FilePath("/dev").appending(name) ? name : nil
  }
}

extension Entry {
  /// The value if it is a string.
  fileprivate var text: String? { if case .string(let text) = value { text } else { nil } }

  /// The value, or its elements, if they are strings.
  fileprivate var texts: [String]? {
    switch value {
    case .string(let text): [text]
    case .array(let values):
      values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    default: nil
    }
  }
}
