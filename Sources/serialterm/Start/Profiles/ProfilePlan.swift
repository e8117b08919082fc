import Configuration
import DeviceWatch
import Options
import Posix
import SerialCore
import Sessions
import SystemPackage
import TextStages
import TextTools

/// The changes to the configuration file that make a profile describe a session.
///
/// A setting that `[default]` contains too is not repeated. Entries of the profile that are not
/// settings of a session, such as snippets, are kept.
struct ProfilePlan {
  let name: String
  let path: FilePath
  /// The file as it was read; nil if it does not exist.
  private let present: [UInt8]?
  private let edit: ProfileEdit

  /// Reads the file, and computes the changes of its text.
  ///
  /// - Throws: ``Failure`` if the file is not a configuration, or the profile cannot be changed.
  init(saving state: TerminalState, as name: String) throws(Failure) {
    guard let path = state.origin.file ?? ProfileFile.standardPath else {
      throw Failure(.usage, ProfileFile.noFolder)
    }
    self.name = name
    self.path = path
    present = try ProfileFile.present(at: path)
    let contents = try ProfileFile.contents(toChangeAt: path)
    let profile = contents.profile(named: name)
    edit = try ProfileFile.edit(
      of: name, isNew: profile == nil, in: present, at: path,
      Self.changes(saving: state, under: contents.defaults, over: profile))
  }

  /// Whether the profile already describes the session.
  var isEmpty: Bool { edit.lines.isEmpty }

  /// The lines that are removed from the file and added to it.
  var lines: [String] {
    edit.lines.map { line in
      switch line {
      case .removed(let text): "  - \(text.harmless)"
      case .added(let text): "  + \(text.harmless)"
      }
    }
  }

  /// Writes the file, unless it has changed since it was read.
  ///
  /// - Throws: ``Failure``. The file is then unchanged.
  func write() throws(Failure) {
    try ProfileFile.replace(present, by: edit.document, at: path)
  }

  // MARK: The changes

  /// The changes of a profile's entries.
  ///
  /// - Parameters:
  ///   - defaults: the entries of `[default]`.
  ///   - profile: the present profile; nil for a new one.
  static func changes(
    saving state: TerminalState, under defaults: [Entry], over profile: ConfigurationFile.Profile?
  ) -> [ProfileEdit.Change] {
    var changes: [ProfileEdit.Change] = []
    // The device stays in the form in which the user named it.
    if profile?["target"] == nil && profile?["match"] == nil, let target = state.savedTarget {
      changes.append(ProfileEdit.Change("target", .string(target)))
    }
    for option in ConnectCommand.description.declarations
    where option.isConfigurable && !option.isArgument {
      let base = option.texts(in: defaults)
      let own = option.texts(in: profile?.entries ?? [])
      let wanted: [String]
      let standard: [String]?
      if let setting = option.setting, let texts = setting.texts(of: state) {
        (wanted, standard) = (texts, setting.standardTexts)
      } else if let given = state.origin.given[option.name] {
        (wanted, standard) = (option.canonical(given), nil)
      } else if state.origin.given.switchedOff.contains(option.name) {
        (wanted, standard) = ([], nil)
      } else {
        // No command shows or changes this option.
        continue
      }
      /// The value that entries set; the default value if they set none.
      func value(_ texts: [String]?) -> [String] {
        texts.flatMap { $0.isEmpty ? nil : $0 } ?? standard ?? []
      }
      guard wanted != value(own ?? base) else { continue }
      let old = option.entry(in: profile?.entries ?? [])
      if wanted == value(base), let old {
        changes.append(ProfileEdit.Change(old.key, nil))
        continue
      }
      let (key, new) =
        wanted.isEmpty ? (option.name, .boolean(false)) : ProfileEntries.entry(option, wanted)
      if let old, old.key != key { changes.append(ProfileEdit.Change(old.key, nil)) }
      changes.append(ProfileEdit.Change(key, new))
    }
    return changes
  }
}

extension Declaration {
  /// The last of some entries that sets the option; nil if none does.
  fileprivate func entry(in entries: [Entry]) -> Entry? {
    entries.last { $0.key == name || $0.key == oppositeName }
  }

  /// The texts that entries give the option; nil if they give none.
  fileprivate func texts(in entries: [Entry]) -> [String]? {
    entry(in: entries).flatMap { texts(of: $0.value, key: $0.key) }.map(canonical)
  }

  /// The texts in the form in which a session writes the same value.
  fileprivate func canonical(_ texts: [String]) -> [String] { setting?.canonical(texts) ?? texts }

  /// The setting of a session that the option sets; nil if no command switches it.
  fileprivate var setting: (any SessionSetting)? {
    SessionSettings.all.first { $0.name == name }
  }
}

extension TerminalState {
  /// A TARGET that finds the device again at any port; nil without a device.
  fileprivate var savedTarget: String? {
    if case .device(.fitting(let selector)) = origin.target { return "\(selector)" }
    guard let endpoint = session.endpoint else { return nil }
    let devices = program.devices
    guard let path = endpoint.path, let device = devices.first(where: { $0.node == path }) else {
      // A link, such as those below /dev/serial, serves that purpose.
      return "\(endpoint)"
    }
    var selectors: [DeviceSelector] = []
    if let vendorID = device.vendorID, let productID = device.productID,
      let number = device.serialNumber
    {
      selectors.append(.usb(vendorID: vendorID, productID: productID, serialNumber: number))
    }
    // Without a serial number, only the physical port distinguishes it from a device of
    // the same type.
    if let place = device.physicalPath { selectors.append(.port(place)) }
    let selector = selectors.first { $0.matches(among: devices) == [device] }
    return selector.map { "\($0)" } ?? "\(endpoint)"
  }
}
