import Options
import Terminal
import TextStages

/// The options for what the user types.
enum KeyboardParameters {
  static let localEcho = Setting.flag(
    .flag("local-echo", letter: "e", "Show what you type."),
    \.echoesLocally, key: "e", "show what you type", or: ["echo", "half duplex", "show typing"],
    needs: [.sending])

  static let inputMode = Setting(
    .choice(
      "input-mode", "MODE",
      "Send each key at once (char), or after Enter an edited line of text (line) or of "
        + "hexadecimal numbers (hex).", standard: InputMode.char),
    shared: SharedPart(\.inputMode),
    changedBy: [
      .inputMode(
        .line, "line-input", "edit before sending",
        or: ["line mode", "edit line", "input mode", "input history", "canonical"]),
      .inputMode(
        .hex, "hex-input", "type hex numbers",
        or: ["hexadecimal input", "send bytes", "binary", "input mode"]),
    ],
    texts: { [$0.inputMode.rawValue] },
    adopt: { mode, state in state.inputMode = state.screen == .drawing ? mode : .char })

  static let lineEnding = Setting.choice(
    .choice(
      "line-ending", "ENDING", "What Enter sends: cr, lf or crlf.", standard: .cr),
    \.lineEnding, "set what Enter sends",
    or: [
      "line ending", "line endings", "crlf", "newline", "eol", "enter key", "return key",
      "end of line",
    ],
    needs: [.sending], answer: { "Enter sends \($0.rawValue)." })

  static let readOnly = Setting.flag(
    .flag("read-only", "Send nothing."), \.isReadOnly, "send nothing",
    or: ["listen only", "view only", "sniff", "lock input"], needs: [.untapped, .noExchange])

  static let answer = Setting.choice(
    .choice(
      "answer", "QUESTIONS",
      "Answer questions of the device to its terminal: none (off), those for the size of the window "
        + "(size), or also those for the kind of the terminal (all).", standard: .off),
    \.answers, "answer the device",
    or: [
      "size", "report the size", "cursor position", "query", "vt220", "device attributes",
    ],
    needs: [.sending, .drawing, .onePort, .filtered], answer: { "answer is \($0.rawValue)." })

  static let prefix = Parameter<PrefixKey>.option(
    "prefix", "KEY", "The key that starts a command: ctrl-a to ctrl-z, as ctrl-a or ^A, or none.",
    standard: .standard, shown: "\(PrefixKey.standard)",
    completion: .words(["ctrl-a", "ctrl-t", "none"]),
    parse: { text in
      guard let key = PrefixKey(parsing: text) else {
        throw ValueError(text, expected: "ctrl-a to ctrl-z, or none")
      }
      return key
    })

  static let escape = Parameter<EscapeKey>.option(
    "escape", "KEY",
    "Commands at the start of a line, as in ssh and cu: with ~, Enter ~. quits, ~? lists them. Any "
      + "printable character, or none.",
    standard: EscapeKey.none, shown: "none", completion: .words(["~", "none"]),
    parse: { text in
      guard let key = EscapeKey(parsing: text) else {
        throw ValueError(text, expected: "a printable character other than . and ?, or none")
      }
      return key
    })

  static let all: [any Declared] = [
    localEcho, inputMode, TextParameters.checksum, lineEnding, readOnly, answer, prefix, escape,
  ]

  static let section = ParameterSection("KEYBOARD", all)

  /// The options that make sense beside a plot.
  static let besidePlot = ParameterSection(
    "KEYBOARD", [localEcho, lineEnding, readOnly, prefix, escape])
}

extension Command {
  /// The command that switches between an input mode and sending each key.
  fileprivate static func inputMode(
    _ mode: InputMode, _ name: String, _ summary: String, or synonyms: [String]
  ) -> Command {
    Command(
      nil, name, summary, or: synonyms, needs: [.sending, .drawing],
      value: { ($0.inputMode == mode).onOff }
    ) { call, _ in
      call.port.model.update { $0.inputMode = $0.inputMode == mode ? .char : mode }
      call.answer(.done("\(name) is \((call.state.inputMode == mode).onOff)."))
    }
  }
}
