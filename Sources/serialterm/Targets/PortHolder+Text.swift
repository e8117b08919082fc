import Glibc
import PlainText
import SerialCore
import SessionKit
import SystemPackage

extension PortHolder {
  /// Whether it has a session that this user can join.
  var hasSession: Bool { RunningSession.exists(of: pid) }

  /// The command that joins its session.
  var joiningCommand: String { "serialterm attach \(pid)" }

  /// The command that ends the program. The processes of another user need sudo.
  var endingCommand: String {
    let isOurs = user.map { geteuid() == 0 || $0.rawValue == geteuid() } ?? true
    return "\(isOurs ? "" : "sudo ")kill \(pid)"
  }

  /// A note behind its port in a list.
  ///
  /// - Parameter hasSession: whether it has a session that this user can join.
  func note(hasSession: Bool) -> String {
    "held by pid \(pid) (\(command))" + (hasSession ? ": '\(joiningCommand)'" : "")
  }

  /// The process in JSON.
  ///
  /// - Parameter hasSession: whether it has a session that this user can join.
  func json(hasSession: Bool) -> JSON {
    .object([
      ("pid", .integer(Int(pid))), ("command", .string(command)), ("session", .bool(hasSession)),
    ])
  }
}
