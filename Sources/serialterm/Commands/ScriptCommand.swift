import Options
import SystemPackage
import Terminal

extension Command {
  /// Runs a script on the open port, as `--script` does at the start.
  static let runScript = CommandWithArgument(
    nil, "run-script", "run a script",
    or: ["dialogue", "expect", "send and expect", "automate", "macro", "login"],
    needs: [.interactive] + Need.toSend, argument: .file("script to run")
  ) { path, call in
    guard let user = call.user else { return call.answer(.withoutUser) }
    do throws(Failure) {
      try user.run(script: path)
      call.answer(.done)
    } catch {
      call.answer(.failed(error.message))
    }
  }
}
