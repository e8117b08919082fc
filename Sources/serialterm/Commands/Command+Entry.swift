extension Command {
  /// What the table says about a command.
  struct Entry {
    /// The key after the prefix; nil for what only the palette has.
    let key: Character?
    /// What it is called, in lists and in answers.
    let name: String
    /// What it does.
    let summary: String
    /// What must be so for the command to make sense; the first that is not is the reason given.
    let needs: [Need]

    init(_ key: Character?, _ name: String, _ summary: String, needs: [Need] = []) {
      self.key = key
      self.name = name
      self.summary = summary
      self.needs = needs
    }
  }

  /// What lists show.
  var title: String { "\(entry.name): \(entry.summary)" }

  var entry: Entry {
    switch self {
    case .help: Entry("?", "help", "list the commands")
    case .palette: Entry(":", "palette", "search these, and more")
    case .quit: Entry("q", "quit", "end the session")

    case .sendFile:
      Entry("x", "send-file", "send a file as it is", needs: [.openPort, .sending, .noTransfer])
    case .stopSending: Entry(nil, "stop-sending", "stop sending the file", needs: [.transfer])
    case .sendBreak: Entry("b", "break", "send a break", needs: [.openPort, .sending, .breaks])
    case .toggleLine:
      Entry("g", "toggle-line", "toggle DTR or RTS", needs: [.openPort, .sending, .modemLines])
    case .pulseLine:
      Entry(
        "p", "pulse-line", "toggle DTR or RTS briefly",
        needs: [.openPort, .sending, .modemLines])
    case .showLines: Entry("L", "lines", "show the modem lines", needs: [.openPort, .modemLines])
    case .localEcho: Entry("e", "local-echo", "show what is typed", needs: [.sending])
    case .lineInput:
      Entry(nil, "line-input", "edit a line before it is sent", needs: [.sending, .drawing])
    case .readOnly: Entry(nil, "read-only", "send nothing", needs: [.noTransfer])

    case .baudRate: Entry("B", "baud", "change the baud rate", needs: [.openPort])
    case .dataBits: Entry("D", "data-bits", "change the data bits", needs: [.openPort])
    case .parity: Entry("P", "parity", "change the parity", needs: [.openPort])
    case .stopBits: Entry("S", "stop-bits", "change the stop bits", needs: [.openPort])
    case .flowControl: Entry("F", "flow", "change the flow control", needs: [.openPort])

    case .log: Entry("f", "log", "keep what is received in a file")
    case .hexView: Entry("h", "hex", "show bytes as numbers", needs: [.screen])
    case .timestamps: Entry("t", "timestamps", "show when each line came", needs: [.screen])
    case .timestampFormat:
      Entry(nil, "timestamp-format", "change how times are shown", needs: [.screen])
    case .highlight:
      Entry(nil, "highlight", "colour what matters", needs: [.screen, .colours, .filtered])
    case .filter:
      Entry(nil, "filter", "pass what is shown through a command", needs: [.screen, .filter])
    case .mapping: Entry("m", "mapping", "change characters both ways")
    case .inputMap: Entry("i", "input-map", "change characters from the device")
    case .outputMap:
      Entry("o", "output-map", "change characters to the device", needs: [.sending])
    case .statusLine:
      Entry(nil, "status-line", "show the state in the last line", needs: [.drawing])
    case .clearScreen: Entry("l", "clear", "clear the screen", needs: [.screen])

    case .release:
      Entry(
        "r", "release", "lend the port to others; take it back",
        needs: [.device, .noTransfer])
    case .reconnect: Entry("n", "reconnect", "wait for a lost device", needs: [.openPort])
    case .showConfiguration: Entry("c", "configuration", "show how the port is set up")
    case .statistics: Entry("s", "statistics", "show how much has passed")
    }
  }
}
