import Reconnecting
import SerialCore
import Sessions
import SystemPackage

extension Target {
  /// Parses a TARGET of the command line.
  ///
  /// - Throws: ``Failure`` if it is malformed.
  init(parsing text: String) throws(Failure) {
    do throws(TargetError) {
      self = try LinkProviders.standard.parse(text)
    } catch {
      throw Failure(error)
    }
  }
}

extension Target {
  /// The path of a node of this computer; nil for another form.
  var node: FilePath? {
    if case .endpoint(let endpoint) = self { endpoint.path } else { nil }
  }
}

extension Failure {
  /// Describes an error of a TARGET.
  init(_ error: TargetError) {
    switch error {
    case .empty: self.init(.usage, "the target is empty")
    case .malformed(let text, let forms):
      let port = text.split(separator: ":").last ?? ""
      let isNoPort =
        port.allSatisfy { $0.isASCII && $0.isNumber }
        && !(Int(port).map((1...65_535).contains) ?? false)
      let advice = isNoPort ? "; a port is 1 to 65535" : ""
      self.init(.usage, "'\(text)': expected \(forms.joined(separator: " or "))\(advice)")
    case .selector(let error): self.init(.usage, "\(error)")
    case .unsupported(let text):
      self.init(.usage, "'\(text)': no such form of a target")
    }
  }
}

extension Target {
  /// Parses a TARGET that may be the name of a profile, for commands that use nothing else
  /// of the configuration.
  ///
  /// - Parameters:
  ///   - text: the TARGET as the user typed it.
  ///   - configuration: the configuration file.
  ///   - devices: lists the devices, if a profile depends on them.
  /// - Returns: the target, or the target of the profile.
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
