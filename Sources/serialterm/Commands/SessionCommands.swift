import SerialCore
import Sessions
import Terminal
import TerminalWidgets
import TextTools

/// The commands about the session as a whole.
extension Command {
  static let help = Command(
    "?", "help", "list all commands", or: ["keys", "shortcuts", "usage", "menu"]
  ) { call, user in
    user.showCommandList()
    call.answer(.done)
  }

  static let palette = Command(
    ":", "palette", "search the commands", or: ["menu", "commands"]
  ) { call, user in
    let used = user.usedCommands
    user.ask(
      Question(
        title: "command", enter: "runs", remark: "; the value of a command is asked after Enter",
        choices: { [model = call.port.model] typed in
          CommandList.choices(in: model.state, used: used, typed: typed)
        },
        onAnswer: { command in
          // It is never first: Enter alone would end the session.
          if command != .quit { user.noteUse(of: command) }
          var call = call
          call.sender = .palette
          command.perform(call)
        }))
  }

  static let quit = Command(
    "q", "quit", "end the session",
    or: ["exit", "disconnect", "close", "leave", "end", "bye", "logout", "kill"]
  ) { call, user in
    user.quit()
    call.answer(.done)
  }

  static let showConfiguration = Command(
    "c", "configuration", "show the settings", or: ["settings", "options", "port settings"]
  ) { call in
    call.answer(.done(lines: call.state.summary))
  }

  static let statistics = Command(
    "s", "statistics", "show the counters", or: ["stats", "counts", "errors", "bytes"],
    users: .exceptAgents
  ) { call in
    let session = call.port.session
    session.refreshCounters()
    var lines = call.port.statistics.lines(counters: session.counters)
    if let user = call.user {
      if let counts = user.frameCounts { lines.append("  \(counts)") }
      let dropped = user.droppedSequenceCount
      if dropped > 0 {
        lines.append(
          "  \(dropped.counted("escape sequence")) dropped, which do more than draw; 'raw' passes them."
        )
      }
    }
    call.answer(.done(lines: lines))
  }
}

extension Statistics {
  /// The counters as lines for the user.
  ///
  /// - Parameter counters: the driver's counters, if it has any.
  func lines(counters: LineCounters?) -> [String] {
    let losses = lossCount == 0 ? "no disconnects" : lossCount.counted("disconnect")
    let passed =
      "\(receivedCount.counted("byte")) received, \(sentCount.grouped) sent, "
      + "\(unsentCount.grouped) waiting to be sent; \(losses)."
    guard let counters else { return [passed] }
    let errors =
      "  the driver counted "
      + [
        (counters.framingErrors, "framing error"), (counters.parityErrors, "parity error"),
        (counters.overruns, "overrun"), (counters.bufferOverruns, "buffer overrun"),
        (counters.breaks, "break"),
      ].map { Int($0).counted($1) }.joined(separator: ", ")
    return [passed, errors]
  }
}
