import SerialCore
import Views

extension Command {
  /// The record of a command: everything that keys, lists, the palette and the manual show of it.
  struct Entry {
    /// The key after the prefix; nil for a command that has none.
    let key: Character?
    /// The name, in lists, answers and the manual.
    let name: String
    /// What it does, in a few words: lists have room for about 20 characters.
    let summary: String
    /// Other words that users look for.
    let synonyms: [String]
    /// The conditions of the command. The first that is not met is the reason why it is off.
    let needs: [Need]
    /// The present value of what the command changes; nil for none.
    let value: (TerminalState) -> String?

    init(
      _ key: Character?, _ name: String, _ summary: String, or synonyms: [String],
      needs: [Need] = [], value: @escaping (TerminalState) -> String? = { _ in nil }
    ) {
      self.key = key
      self.name = name
      self.summary = summary
      self.synonyms = synonyms
      self.needs = needs
      self.value = value
    }
  }

  /// The name and what it does.
  var title: String { "\(entry.name): \(entry.summary)" }

  var entry: Entry {
    switch self {
    case .help:
      Entry("?", "help", "list all commands", or: ["keys", "shortcuts", "usage"])
    case .palette:
      Entry(":", "palette", "search the commands", or: ["menu", "commands"])
    case .quit:
      Entry(
        "q", "quit", "end the session",
        or: ["exit", "disconnect", "close", "leave", "end", "bye", "logout"])

    case .sendFile:
      Entry(
        "x", "send-file", "send a file", or: ["upload", "transmit", "transfer", "paste file"],
        needs: Need.toSend)
    case .stopSending:
      Entry(
        nil, "stop-sending", "stop sending a file",
        or: ["cancel", "abort", "stop upload", "stop transfer"], needs: [.transfer],
        value: {
          $0.progress.map { "\($0.sentCount.grouped) of \($0.size.counted("byte"))" }
        })
    case .sendBreak:
      Entry(
        "b", "break", "send a break", or: ["serial break", "sysrq", "attention", "interrupt"],
        needs: [.openPort, .sending, .breaks])
    case .toggleLine:
      Entry(
        "g", "toggle-line", "toggle DTR or RTS", or: ["dtr", "rts", "modem line", "set dtr"],
        needs: [.openPort, .sending, .modemLines], value: \.modemLinesInWords)
    case .pulseLine:
      Entry(
        "p", "pulse-line", "pulse DTR or RTS", or: ["reset", "reboot", "restart board"],
        needs: [.openPort, .sending, .modemLines], value: \.modemLinesInWords)
    case .showLines:
      Entry(
        "L", "lines", "show the modem lines",
        or: ["modem lines", "signals", "cts", "dsr", "dcd", "ri", "carrier"],
        needs: [.openPort, .modemLines], value: \.modemLinesInWords)
    case .localEcho:
      Entry(
        "e", "local-echo", "show what you type", or: ["echo", "half duplex", "show typing"],
        needs: [.sending], value: { $0.echoesLocally.onOff })
    case .lineInput:
      Entry(
        nil, "line-input", "edit before sending",
        or: ["line mode", "edit line", "input mode", "history", "canonical"],
        needs: [.sending, .drawing], value: { $0.editsLines.onOff })
    case .lineEnding:
      Entry(
        nil, "line-ending", "set what Enter sends",
        or: [
          "line ending", "line endings", "crlf", "newline", "eol", "enter key", "return key",
          "end of line",
        ],
        needs: [.sending], value: { $0.lineEnding.rawValue })
    case .readOnly:
      Entry(
        nil, "read-only", "send nothing", or: ["listen only", "view only", "sniff", "lock input"],
        needs: [.noTransfer], value: { $0.isReadOnly.onOff })

    case .baudRate:
      Entry(
        "B", "baud", "set the baud rate", or: ["speed", "baud rate", "bit rate", "bps"],
        needs: [.openPort, .settings], value: { "\($0.requestedSettings.baudRate)" })
    case .dataBits:
      Entry(
        "D", "data-bits", "set the data bits",
        or: ["bits", "word length", "character size", "7 bits", "8 bits"],
        needs: [.openPort, .settings], value: { "\($0.requestedSettings.dataBits.rawValue)" })
    case .parity:
      Entry(
        "P", "parity", "set the parity", or: ["even", "odd", "mark", "space"],
        needs: [.openPort, .settings], value: { $0.requestedSettings.parity.rawValue })
    case .stopBits:
      Entry(
        "S", "stop-bits", "set the stop bits", or: ["two stop bits", "2 stop bits"],
        needs: [.openPort, .settings], value: { "\($0.requestedSettings.stopBits.rawValue)" })
    case .flowControl:
      Entry(
        "F", "flow", "set the flow control",
        or: ["flow control", "handshake", "rts/cts", "crtscts", "xon/xoff"],
        needs: [.openPort, .settings], value: { $0.requestedSettings.flowControl.rawValue })

    case .log:
      Entry(
        "f", "log", "log to a file", or: ["capture", "record", "save", "log file"],
        value: { ($0.log != nil).onOff })
    case .hexView:
      Entry(
        "h", "hex", "show bytes in hex", or: ["hexadecimal", "hex dump", "binary", "raw bytes"],
        needs: [.screen], value: { $0.view.isHex.onOff })
    case .timestamps:
      Entry(
        "t", "timestamps", "timestamp each line", or: ["time", "clock", "time stamps"],
        needs: [.screen], value: { ($0.view.timestamps != nil).onOff })
    case .timestampFormat:
      Entry(
        nil, "timestamp-format", "set the time format",
        or: ["time format", "iso", "epoch", "delta", "microseconds"],
        needs: [.screen], value: { $0.view.timestamps.map { "\($0)" } })
    case .highlight:
      Entry(
        nil, "highlight", "colour matching text",
        or: ["search", "find", "colour", "color", "regex", "levels"],
        needs: [.screen, .colours, .filtered], value: { $0.view.isHighlighting.onOff })
    case .filter:
      Entry(
        nil, "filter", "filter the output", or: ["pipe", "decode", "grep"],
        needs: [.screen, .filter], value: { $0.isFiltering.onOff })
    case .mapping:
      Entry(
        "m", "mapping", "map characters",
        or: ["line ending", "line endings", "crlf", "newline", "eol", "translate", "cr", "lf"],
        value: { $0.view.map.rules.isEmpty ? nil : "\($0.view.map)" })
    case .inputMap:
      Entry(
        "i", "input-map", "map received text",
        or: ["line ending", "crlf", "newline", "icrnl", "inlcr", "igncr"],
        value: { $0.view.map.text(.fromDevice) })
    case .outputMap:
      Entry(
        "o", "output-map", "map sent text",
        or: ["line ending", "crlf", "newline", "onlcr", "ocrnl"],
        needs: [.sending], value: { $0.view.map.text(.toDevice) })
    case .statusLine:
      Entry(
        nil, "status-line", "show a status line", or: ["status bar", "statusbar", "footer"],
        needs: [.drawing], value: { $0.showsStatus.onOff })
    case .clearScreen:
      Entry(
        "l", "clear", "clear the screen", or: ["cls", "erase", "wipe"], needs: [.screen])

    case .release:
      Entry(
        "r", "release", "lend the port",
        or: ["close port", "free port", "detach", "suspend", "take back", "reopen", "flash"],
        needs: [.user, .device, .noTransfer], value: { $0.session.isReleased ? "released" : nil })
    case .reconnect:
      Entry(
        "n", "reconnect", "reopen a lost device", or: ["auto reconnect", "retry", "unplug"],
        needs: [.openPort], value: { $0.reconnects.onOff })
    case .showConfiguration:
      Entry(
        "c", "configuration", "show the settings", or: ["settings", "options", "port settings"])
    case .statistics:
      Entry(
        "s", "statistics", "show the counters", or: ["stats", "counts", "errors", "bytes"])
    }
  }
}

extension TerminalState {
  fileprivate var modemLinesInWords: String? { modemLines.map { "\($0)" } }
}

extension MapList {
  /// The changes in a direction; nil for none.
  fileprivate func text(_ direction: Direction) -> String? {
    let changes = changes(direction)
    return changes.isEmpty ? nil : changes.map(\.rawValue).joined(separator: ",")
  }
}

extension Bool {
  /// The state of a switch in words.
  var onOff: String { self ? "on" : "off" }
}
