import Logs
import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools

/// The commands about the port and its log.
extension Command {
  static let log = Command(
    "f", "log", "log to a file", or: ["capture", "record", "save", "log file", "logging"],
    value: { ($0.log != nil).onOff }
  ) { call in
    let log = call.port.log
    let sharing = log.sharingCount
    if let path = log.path {
      log.switchOff()
      let whose = sharing.map { " for all \($0.counted("port"))" } ?? ""
      return call.answer(.done("the log \(path) is off\(whose)."))
    }
    // What was switched off goes on in its file. A program is not asked.
    guard log.startsNewLog, call.isFromUser, let user = call.user else {
      return startLog(call, of: sharing) { () throws(LogError) in try log.switchOn() }
    }
    let configuration = log.configuration
    user.ask(
      .newFile(
        "log to", suggesting: log.suggestedFile, on: user.loop,
        update: { [unowned user] in user.updateQuestion() },
        kind: { configuration.log(inChosen: $0, appending: false).options.format.title },
        onAnswer: { [unowned user] in startLog(call, in: $0, user) }))
  }

  /// Starts a log in a file that the user has chosen. It asks before it appends to a file.
  private static func startLog(_ call: CommandCall, in file: FilePath, _ user: any CommandUser) {
    let log = call.port.log
    let file = (FilePath(".").realPath ?? ".").pushing(file)
    func start(appending appends: Bool) {
      // The state may have changed while the question was open.
      guard log.startsNewLog, log.path == nil else {
        return call.answer(.failed("a log is on already: \(log.path?.string ?? "")."))
      }
      startLog(call, of: nil) { () throws(LogError) in
        try log.switchOn(in: file, appending: appends)
      }
    }
    guard (try? file.stat(followTargetSymlink: false).type) == .regular else {
      return start(appending: false)
    }
    let format = log.configuration.log(inChosen: file, appending: true).options.format
    guard format.canBeContinued else {
      return call.answer(
        .failed("cannot log: \(file.string.harmless) exists, and a table cannot be continued."))
    }
    user.ask(
      .whether("append to it", existing: file, otherwise: "do not log") { start(appending: true) })
  }

  /// Starts a log, and answers.
  private static func startLog(
    _ call: CommandCall, of sharing: Int?, _ start: () throws(LogError) -> Void
  ) {
    do throws(LogError) {
      try start()
      let whose = sharing.map { "\($0.counted("port")) " } ?? ""
      let path = call.port.log.path?.string ?? ""
      call.answer(.done("logging \(whose)to \(path)."))
    } catch {
      call.answer(.failed("cannot log: \(Failure(error).message)"))
    }
  }

  /// The conditions of lending the port.
  static let lendingNeeds: [Need] = [.changing, .ownSession, .boundDevice, .noExchange]

  static let release = Command(
    "r", "release", "lend the port",
    or: ["close port", "free port", "detach", "suspend", "take back", "reopen", "flash"],
    users: [.person, .script, .agent], needs: [.user] + lendingNeeds,
    value: { $0.session.isReleased ? "released" : nil }
  ) { call in
    call.port.lender.toggle()
    call.answer(.done)
  }

  static let reconnect = Command(
    "n", "reconnect", "reopen a lost device", or: ["auto reconnect", "retry", "unplug"],
    needs: [.ownSession, .openPort], value: { $0.reconnects.onOff }
  ) { call in
    call.port.model.update { $0.reconnects.toggle() }
    let waits = call.state.reconnects
    call.port.session.waitsForLostDevice = waits
    call.answer(
      .done(
        waits
          ? "reconnect is on: the session waits for a lost device."
          : "reconnect is off: the session ends when the device is lost."))
  }
}
