import Options
import Terminal
import TextStages

/// The options for what the user types.
enum KeyboardParameters {
  static let localEcho = Parameter.flag(
    "local-echo", letter: "e", "Show what you type.", inSession: "show what you type")

  static let inputMode = Parameter<InputMode>.choice(
    "input-mode", "MODE",
    "Send each key at once (char), or after Enter an edited line of text (line) or of "
      + "hexadecimal numbers (hex).",
    inSession: "edit a line before sending", standard: .char)

  static let lineEnding = Parameter<LineEnding>.choice(
    "line-ending", "ENDING", "What Enter sends: cr, lf or crlf.",
    inSession: "set what Enter sends", standard: .cr)

  static let readOnly = Parameter.flag("read-only", "Send nothing.", inSession: "send nothing")

  static let answer = Parameter<TerminalAnswers>.choice(
    "answer", "QUESTIONS",
    "Answer questions of the device to its terminal: none (off), those for the size of the window "
      + "(size), or also those for the kind of the terminal (all).",
    inSession: "answer the device", standard: .off)

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

  static let section = ParameterSection(
    "KEYBOARD",
    [
      localEcho, inputMode, TextParameters.checksum, lineEnding, readOnly, answer, prefix, escape,
    ])

  /// The options that make sense beside a plot.
  static let besidePlot = ParameterSection(
    "KEYBOARD", [localEcho, lineEnding, readOnly, prefix, escape])
}
