import SessionKit
import SystemPackage

extension Target {
  /// Parses a TARGET that may be the name of a profile, for commands that use nothing else of the
  /// configuration.
  ///
  /// - Parameters:
  ///   - text: the TARGET as it was typed.
  ///   - configuration: the configuration file.
  ///   - devices: the devices, if a profile depends on them.
  /// - Returns: the target, or that of the profile.
  /// - Throws: ``Failure`` if it is malformed.
  init(named text: String, in configuration: ProfileFile, among devices: DeviceCatalog)
    throws(Failure)
  {
    let target = try Target(parsing: text)
    let choice = try ProfileChoice(
      profile: nil, target: target, isName: { $0 == text }, file: configuration,
      devices: { try? devices.current() })
    self = choice.target ?? target
  }
}
