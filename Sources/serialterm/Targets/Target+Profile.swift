import SystemPackage

extension Target {
  /// Parses a TARGET that may be the name of a profile, for commands that use nothing else of the
  /// configuration.
  ///
  /// - Parameters:
  ///   - text: the TARGET as it was typed.
  ///   - configuration: the configuration file.
  /// - Returns: the target, or that of the profile.
  /// - Throws: ``Failure`` if it is malformed.
  init(named text: String, in configuration: ProfileFile) throws(Failure) {
    let target = try Target(parsing: text)
    let choice = try ProfileChoice(
      profile: nil, target: target, isName: { $0 == text }, file: configuration)
    self = choice.target ?? target
  }
}
