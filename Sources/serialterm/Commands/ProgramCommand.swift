import Options
import SystemPackage
import Terminal
import TerminalWidgets
import TransferProtocols

extension Command {
  /// Runs a script on the open port, as `--script` does at the start.
  static let runScript = CommandWithArgument(
    nil, "run-script", "run a script",
    or: ["dialogue", "expect", "send and expect", "automate", "macros", "login"],
    users: [.person], needs: Need.toSend, argument: .file("script to run")
  ) { path, call in
    guard let user = call.user else { return call.answer(.withoutUser) }
    do throws(Failure) {
      try user.run(script: path)
      call.answer(.done)
    } catch {
      call.answer(.failed(error.message))
    }
  }

  /// Runs a shell command on the open port, as `--exec` does instead of a session.
  static let runProgram = CommandWithArgument(
    "R", "run-command", "run a shell command",
    or: ["exec", "execute", "program", "shell", "pipe", "sz", "rz", "redirect"]
      + TransferProtocol.words,
    users: [.person], needs: Need.toSend, argument: .shellCommand("command to run")
  ) { command, call in
    guard let user = call.user else { return call.answer(.withoutUser) }
    do throws(Failure) {
      try user.run(program: command)
      call.answer(.done)
    } catch {
      call.answer(.failed(error.message))
    }
  }
}

extension ArgumentKind<String> {
  /// A shell command: a recent one, or any typed one.
  ///
  /// - Parameter title: the question.
  fileprivate static func shellCommand(_ title: String) -> Self {
    ArgumentKind(
      ArgumentForm("a shell command"), parse: { $0.isEmpty ? nil : $0 },
      ask: { request, then in
        let recent = request.user.recentCommands
        request.ask(
          Question(
            title: title, enter: "runs it", typing: "type a command",
            choices: { Self.choices(typed: $0, recent: recent) },
            answer: { $0.isEmpty ? nil : $0 },
            onAnswer: { command in
              if let command { then(command) }
            }))
      })
  }

  /// The typed command, then the recent ones, the latest first. Enter alone runs nothing.
  static func choices(typed: String, recent: [String]) -> [Choice<String?>] {
    let first =
      typed.isEmpty
      ? Choice<String?>(id: nil, title: "no command", isCurrent: true)
      : Choice<String?>(id: typed, title: typed, isTyped: true)
    var listed: [Choice<String?>] = [first]
    var seen: Set<String> = [typed]
    for command in recent.reversed() where seen.insert(command).inserted {
      listed.append(Choice(id: command, title: command, detail: "recent"))
    }
    return listed
  }
}
