import Glibc
import SerialCore
import Sessions
import SystemPackage
import TextTools

extension PortHolder {
  /// Whether the process has a session that this user can join.
  var hasSession: Bool { RunningSession.exists(of: pid) }

  /// The command that joins its session at a port. Of a program with several ports, it names the
  /// port, because the process alone would ask which one.
  func joiningCommand(at path: String, hasOtherPorts: Bool) -> String {
    "serialterm attach \(hasOtherPorts ? path.shellWord : "\(pid)")"
  }

  /// The command that ends the program. It uses sudo for a process of another user.
  var endingCommand: String {
    let isOurs = user.map { geteuid() == 0 || $0.rawValue == geteuid() } ?? true
    return "\(isOurs ? "" : "sudo ")kill \(pid)"
  }

  /// A note after the port in a list.
  ///
  /// - Parameters:
  ///   - hasSession: whether it has a session that this user can join.
  ///   - hasOtherPorts: whether it has other ports open too.
  func note(at path: String, hasSession: Bool, hasOtherPorts: Bool) -> String {
    let command = joiningCommand(at: path, hasOtherPorts: hasOtherPorts)
    return "held by pid \(pid) (\(self.command))" + (hasSession ? ": '\(command)'" : "")
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
