import Options
import PlainText
import SerialCore
import SessionKit
import SystemPackage

/// The commands about the port and its log.
extension Command {
  static let log = Command(
    "f", "log", "log to a file", or: ["capture", "record", "save", "log file"],
    value: { ($0.log != nil).onOff }
  ) { call in
    let log = call.port.log
    let sharing = log.sharingCount
    if let path = log.path {
      log.switchOff()
      let whose = sharing.map { " for all \($0.counted("port"))" } ?? ""
      return call.answer(.done("the log \(path) is off\(whose)."))
    }
    do throws(LogError) {
      try log.switchOn()
      let whose = sharing.map { "\($0.counted("port")) " } ?? ""
      call.answer(.done("logging \(whose)to \(log.path!)."))
    } catch {
      call.answer(.failed("cannot log: \(Failure(error).message)"))
    }
  }

  static let release = Command(
    "r", "release", "lend the port",
    or: ["close port", "free port", "detach", "suspend", "take back", "reopen", "flash"],
    needs: [.user, .ownSession, .device, .noExchange],
    value: { $0.session.isReleased ? "released" : nil }
  ) { call in
    call.port.lender.toggle()
    call.answer(.done)
  }

  static let reconnect = Command(
    "n", ConnectCommand.reconnect.name, ConnectCommand.reconnect.inSession,
    or: ["auto reconnect", "retry", "unplug"],
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
