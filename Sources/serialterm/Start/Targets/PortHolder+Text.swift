import Glibc
import SerialCore
import Sessions
import SystemPackage
import TextTools

extension PortHolder {
  /// Whether the process has a session that this user can join.
  var hasSession: Bool { RunningSession.exists(of: pid) }

  /// The command that joins its session.
  var joiningCommand: String { "serialterm attach \(pid)" }

  /// The command that ends the program. It uses sudo for a process of another user.
  var endingCommand: String {
    let isOurs = user.map { geteuid() == 0 || $0.rawValue == geteuid() } ?? true
    return "\(isOurs ? "" : "sudo ")kill \(pid)"
  }

  /// A note after the port in a list.
  ///
  /// - Parameter hasSession: whether it has a session that this user can join.
  func note(hasSession: Bool) -> String {
    "held by pid \(pid) (\(command))" + (hasSession ? ": '\(joiningCommand)'" : "")
  }

  /// The process as JSON.
  ///
  /// - Parameter hasSession: whether it has a session that this user can join.
  func json(hasSession: Bool) -> JSON {
    .object([
      ("pid", .integer(Int(pid))), ("command", .string(command)), ("session", .bool(hasSession)),
    ])
  }
}
