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
  /// that the commands of a session can change, as far as they differ from the defaults.
  var commandLine: String {
    let (line, standard) = (requestedSettings, LineSettings())
    var words = ["serialterm", "connect", "\(session.endpoint.map { "\($0)" } ?? "")"]
    func add(_ option: String..., when isGiven: Bool) { if isGiven { words += option } }
    add("-b", "\(line.baudRate)", when: line.baudRate != standard.baudRate)
    add("-d", "\(line.dataBits.rawValue)", when: line.dataBits != standard.dataBits)
    add("-p", line.parity.rawValue, when: line.parity != standard.parity)
    add("-s", "\(line.stopBits.rawValue)", when: line.stopBits != standard.stopBits)
    add("-f", line.flowControl.rawValue, when: line.flowControl != standard.flowControl)
    add("--no-reconnect", when: !reconnects)
    add("--read-only", when: isReadOnly)
    add("--local-echo", when: echoesLocally)
    add("--input-mode", "line", when: editsLines)
    add("--line-ending", lineEnding.rawValue, when: lineEnding != .cr)
    add("--hex", when: view.isHex)
    if let format = view.timestamps { words += ["--timestamps", "\(format)"] }
    add("--map", "\(view.map)", when: !view.map.rules.isEmpty)
    add(
      "--highlight", Highlight.presetName,
      when: view.isHighlighting && view.highlights == Highlight.levels)
    if let filter, isFiltering { words += ["--filter", filter] }
    add("--status", when: showsStatus)
    return words.map(\.shellWord).joined(separator: " ")
  }
}
