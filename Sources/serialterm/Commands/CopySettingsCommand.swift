import PlainText
import SerialCore
import TerminalFrontEnd
import Views

extension Command {
  /// Keeps what was found by trying: the options of the next session.
  static let copySettings = Command(
    nil, "copy-settings", "print a command line",
    or: ["command line", "options", "keep", "reproduce", "profile", "export"], needs: [.device]
  ) { call in
    call.answer(.done(lines: ["a session with these settings:", "    \(call.state.commandLine)"]))
  }
}

extension TerminalState {
  /// The command that opens the port with the present settings, as a shell reads it. It has the options
  /// that the commands of a session can change, if they differ from the defaults or if the configuration
  /// file sets them: it may be read again.
  var commandLine: String {
    let (line, standard) = (requestedSettings, LineSettings())
    var words = ["serialterm", "connect", "\(session.endpoint.map { "\($0)" } ?? "")"]
    // Without the option, the configuration's value would apply.
    func add(_ key: String, _ option: String..., when isGiven: Bool) {
      if isGiven {
        words += option
      } else if configuredKeys.contains(key) {
        words.append("--no-\(key)")
      }
    }
    add("baud", "-b", "\(line.baudRate)", when: line.baudRate != standard.baudRate)
    add("data-bits", "-d", "\(line.dataBits.rawValue)", when: line.dataBits != standard.dataBits)
    add("parity", "-p", line.parity.rawValue, when: line.parity != standard.parity)
    add("stop-bits", "-s", "\(line.stopBits.rawValue)", when: line.stopBits != standard.stopBits)
    add("flow", "-f", line.flowControl.rawValue, when: line.flowControl != standard.flowControl)
    let saysReconnect = !configuredKeys.isDisjoint(with: ["reconnect", "no-reconnect"])
    if !reconnects || saysReconnect { words.append(reconnects ? "--reconnect" : "--no-reconnect") }
    add("read-only", "--read-only", when: isReadOnly)
    add("local-echo", "--local-echo", when: echoesLocally)
    add("input-mode", "--input-mode", "line", when: editsLines)
    add("line-ending", "--line-ending", lineEnding.rawValue, when: lineEnding != .cr)
    add("hex", "--hex", when: view.isHex)
    add(
      "timestamps", "--timestamps", view.timestamps.map { "\($0)" } ?? "",
      when: view.timestamps != nil)
    add("map", "--map", "\(view.map)", when: !view.map.rules.isEmpty)
    // No command changes expressions of the user.
    if !view.isHighlighting || view.highlights == Highlight.levels {
      add("highlight", "--highlight", Highlight.presetName, when: view.isHighlighting)
    }
    if let filter, isFiltering { words += ["--filter", filter] }
    add("status", "--status", when: showsStatus)
    return words.map(\.shellWord).joined(separator: " ")
  }
}
