import Options
import SerialCore
import Terminal
import TextTools

extension Command {
  /// Prints the options that reproduce the present settings in the next session.
  static let copySettings = Command(
    nil, "copy-settings", "print a command line",
    or: ["command line", "options", "keep", "reproduce", "profile", "export"], needs: [.boundDevice]
  ) { call in
    call.answer(.done(lines: ["a session with these settings:", "    \(call.state.commandLine)"]))
  }
}

extension TerminalState {
  /// The shell command that opens the port with the present settings.
  ///
  /// It contains the options that the commands of a session can change, if their values differ from
  /// the defaults, or if the configuration file sets them, because that may be read again.
  var commandLine: String {
    var words =
      ["serialterm"] + (tapWords ?? ["connect", "\(session.endpoint.map { "\($0)" } ?? "")"])
    let known = (isTapped ? TapCommand.description : ConnectCommand.description).declarations
    for setting in SessionSettings.all
    where known.contains(where: { $0.name == setting.name }) {
      let option = setting.declaration
      // The user's own texts are not repeated.
      guard let texts = setting.texts(of: self) else { continue }
      if texts != setting.standardTexts {
        words += option.words(for: texts)
      } else if configuredKeys.contains(option.name)
        || option.oppositeName.map(configuredKeys.contains) == true
      {
        // Without this option, the value of the configuration would apply.
        words.append(option.oppositeName == nil ? "--no-\(option.name)" : "--\(option.name)")
      }
    }
    if let filter, isFiltering { words += ["--filter", filter] }
    return words.map(\.shellWord).joined(separator: " ")
  }
}

extension Declaration {
  /// The words that give the option its value. Options of the line have their short form, which
  /// most users know.
  fileprivate func words(for texts: [String]) -> [String] {
    switch shape {
    case .flag: return ["--\(name)"]
    case .pair(let off, _): return [texts == ["true"] ? "--\(name)" : "--\(off)"]
    default:
      let isShort = LineParameters.section.declarations.contains { $0.name == name }
      let option = isShort ? letter.map { "-\($0)" } : nil
      return texts.flatMap { [option ?? "--\(name)", $0] }
    }
  }
}
