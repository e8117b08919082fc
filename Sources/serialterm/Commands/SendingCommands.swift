import Checksums
import Options
import Sessions
import Terminal
import TextStages

/// The commands that send, or stop sending.
extension Command {
  /// Stops the running exchange, the line sequence or the repetition. Only one of them runs at
  /// a time.
  static let stop = Command(
    nil, "stop", "stop what is running",
    or: [
      "cancel", "abort", "interrupt", "stop sending", "stop upload", "stop transfer", "stop script",
      "stop command", "stop sequence", "stop repeating",
    ], users: .exceptAgents, needs: [.activity],
    value: { state in
      state.progress.map { "\($0)" } ?? state.playing ?? state.repeating?.shownText
    }
  ) { call in
    if call.state.playing != nil {
      call.port.sequences.stop()
    } else if call.state.repeating != nil {
      guard let messages = call.messages else { return call.answer(.withoutUser) }
      return call.answer(messages.stopRepeating())
    } else {
      guard let user = call.user else { return call.answer(.withoutUser) }
      user.stopExchange()
    }
    // The starter of the exchange receives its outcome.
    call.answer(.done)
  }

  static let localEcho = toggle(
    "e", KeyboardParameters.localEcho.name, KeyboardParameters.localEcho.inSession,
    or: ["echo", "half duplex", "show typing"],
    needs: [.sending], \.echoesLocally)

  static let lineInput = inputMode(
    .line, "line-input", "edit before sending",
    or: ["line mode", "edit line", "input mode", "history", "canonical"])

  static let hexInput = inputMode(
    .hex, "hex-input", "type hex numbers",
    or: ["hexadecimal", "send bytes", "binary", "input mode", "modbus"])

  /// The command that switches between an input mode and sending each key.
  private static func inputMode(
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

  static let checksum = CommandWithArgument(
    nil, TextParameters.checksum.name, TextParameters.checksum.inSession,
    or: ["crc", "crc16", "lrc", "xor", "sum"],
    users: [.person], needs: [.sending], value: { $0.checksum?.name ?? "none" },
    argument: .oneOf(
      "checksum", [("none", nil)] + Checksum.allCases.map { ($0.name, $0) }
    ) { $0.checksum }
  ) { checksum, call in
    call.port.model.update { $0.checksum = checksum }
    call.answer(
      .done(
        checksum.map { "\($0.name) is appended to hexadecimal lines and to snippets." }
          ?? "no checksum is appended."))
  }

  static let lineEnding = CommandWithArgument(
    nil, KeyboardParameters.lineEnding.name, KeyboardParameters.lineEnding.inSession,
    or: [
      "line ending", "line endings", "crlf", "newline", "eol", "enter key", "return key",
      "end of line",
    ],
    users: [.person], needs: [.sending], value: { $0.lineEnding.rawValue },
    argument: .choice(KeyboardParameters.lineEnding) { $0.lineEnding }
  ) { lineEnding, call in
    call.port.model.update { $0.lineEnding = lineEnding }
    call.answer(.done("Enter sends \(lineEnding.rawValue)."))
  }

  static let readOnly = toggle(
    nil, KeyboardParameters.readOnly.name, KeyboardParameters.readOnly.inSession,
    or: ["listen only", "view only", "sniff", "lock input"],
    needs: [.untapped, .noExchange], \.isReadOnly)

  static let answer = CommandWithArgument(
    nil, KeyboardParameters.answer.name, KeyboardParameters.answer.inSession,
    or: [
      "size", "window size", "cursor position", "query", "vt220", "device attributes", "resize",
    ],
    users: [.person], needs: [.sending, .drawing, .onePort, .filtered],
    value: { $0.answers.rawValue },
    argument: .choice(KeyboardParameters.answer) { $0.answers }
  ) { answers, call in
    call.port.model.update { $0.answers = answers }
    call.answer(.done("answer is \(answers.rawValue)."))
  }

  static let exchangeCommands: [Command] = [
    runScript.command, runProgram.command, repeatText.command, stop,
  ]

  static let keyboardCommands: [Command] = [
    localEcho, lineInput, hexInput, checksum.command, lineEnding.command, readOnly,
    answer.command,
  ]
}

extension SessionSetting {
  static let keyboard = [
    flag(KeyboardParameters.readOnly, \.isReadOnly),
    flag(KeyboardParameters.localEcho, \.echoesLocally),
    SessionSetting(
      KeyboardParameters.inputMode, shared: SharedPart(\.inputMode),
      texts: { [$0.inputMode.rawValue] },
      adopt: { values, state in
        state.inputMode = state.screen == .drawing ? values[KeyboardParameters.inputMode] : .char
      }),
    choice(KeyboardParameters.lineEnding, \.lineEnding),
    choice(KeyboardParameters.answer, \.answers),
    SessionSetting(
      TextParameters.checksum, texts: { $0.checksum.map { [$0.name] } ?? [] },
      adopt: { values, state in state.checksum = values[TextParameters.checksum] }),
  ]
}
