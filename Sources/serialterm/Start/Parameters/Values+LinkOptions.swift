import Options
import SerialCore
import Sessions

/// Checks for options that the link of a TARGET does not support.
///
/// DTR, RTS, and options that only the kernel supports for its own ports are refused: a user who
/// requests a lock, or a DTR that does not reset the board, must not get something else. Settings
/// without effect do no harm, and wrapper scripts pass them for every port: the user gets a note.
extension Values {
  /// Checks that the TARGET's link supports the options.
  ///
  /// - Throws: `UsageError`.
  func checkOptions(at target: Target?) throws(UsageError) {
    guard let (endpoint, unused) = Self.unusedGroups(at: target) else { return }
    let far = unused.contains(.settings) ? "passes only bytes" : "is a port of a server"
    for (group, declaration) in Self.linkOptions where unused.contains(group) {
      guard let texts = all[declaration.name] else { continue }
      switch group {
      case .kernel:
        throw UsageError(
          about: [declaration.name],
          "\(declaration.written(texts)) is for a port of this computer; \(endpoint) \(far)")
      case .outputLines where texts.last != LineParameters.OutputLine.keep.rawValue:
        throw UsageError(
          about: [declaration.name],
          "\(declaration.written(texts)) sets a line of a serial port; \(endpoint) \(far)")
      default: break
      }
    }
  }

  /// A message about settings that have no effect on the TARGET; nil if there are none.
  func note(at target: Target?) -> String? {
    guard let (endpoint, unused) = Self.unusedGroups(at: target), unused.contains(.settings) else {
      return nil
    }
    let names = Self.linkOptions.compactMap { group, declaration in
      group == .settings && all[declaration.name] != nil ? "--\(declaration.name)" : nil
    }
    guard let last = names.last else { return nil }
    let list = names.count > 1 ? "\(names.dropLast().joined(separator: ", ")) and \(last)" : last
    return
      "\(list) \(names.count > 1 ? "have" : "has") no effect: \(endpoint) passes only bytes."
  }

  /// The endpoint of a TARGET whose link does not support every option, and the unsupported groups.
  private static func unusedGroups(at target: Target?) -> (Endpoint, LinkOptionGroups)? {
    guard case .endpoint(let endpoint) = target else { return nil }
    let unused = LinkOptionGroups.all.subtracting(LinkProviders.standard.options(of: endpoint))
    return unused.isEmpty ? nil : (endpoint, unused)
  }

  /// The names of the options that the TARGET's link does not support.
  static func unusedOptions(at target: Target?) -> Set<String> {
    guard let (_, unused) = unusedGroups(at: target) else { return [] }
    return Set(linkOptions.filter { unused.contains($0.group) }.map(\.declaration.name))
  }

  private static let linkOptions: [(group: LinkOptionGroups, declaration: Declaration)] =
    [
      (.kernel, SessionParameters.exclusive), (.kernel, LineParameters.uucpLock),
      (.kernel, LineParameters.hangup), (.kernel, LineParameters.markErrors),
      (.kernel, LineParameters.rs485), (.kernel, LineParameters.lowLatency),
      (.outputLines, LineParameters.dtr), (.outputLines, LineParameters.rts),
      (.settings, LineParameters.baud), (.settings, LineParameters.dataBits),
      (.settings, LineParameters.parity), (.settings, LineParameters.stopBits),
      (.settings, LineParameters.flow),
    ].map { (group: LinkOptionGroups, option: any Declared) in (group, option.declaration) }
}

extension Declaration {
  /// The option in the form in which it was written, without a value.
  fileprivate func written(_ texts: [String]) -> String {
    if let oppositeName, texts.last == "false" { return "--\(oppositeName)" }
    return "--\(name)"
  }
}
