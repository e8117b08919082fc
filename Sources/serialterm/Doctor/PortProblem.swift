import SerialCore
import SystemPackage
import TextTools

/// Why a port cannot be used. `connect` and `doctor` use the same words.
enum PortProblem: Hashable {
  case noSuchDevice
  case noHardware
  case notASerialPort
  case permissionDenied
  /// The user was added to the group of the node after the present login.
  case loginNeeded
  /// Another program has the port open; nil if this user cannot see which one. The user may be able
  /// to join its session.
  case busy(PortHolder?, hasSession: Bool = false)
  /// A program is creating this lock file, which is empty and a few seconds old.
  case lockInCreation(String)
  /// This lock file names no process, or cannot be read.
  case unusableLock(String, Errno?)
}

extension PortProblem: CustomStringConvertible {
  var description: String {
    switch self {
    case .noSuchDevice: "no such device"
    case .noHardware: "no hardware behind this port"
    case .notASerialPort: "not a serial port"
    case .permissionDenied: "permission denied"
    case .loginNeeded: "permission denied until you log in again"
    case .busy(let holder?, _): "busy, held by pid \(holder.pid) (\(holder.command.harmless))"
    case .busy(nil, _): "busy, another program uses it"
    case .lockInCreation(let file): "busy, a program is creating \(file)"
    case .unusableLock(let file, let error?): "\(file) cannot be used (\(error))"
    case .unusableLock(let file, nil): "\(file) names no process"
    }
  }
}

extension PortProblem {
  /// A sentence about another way to use the port; nil if there is none.
  var wayIn: String? {
    guard case .busy(let holder?, hasSession: true) = self else { return nil }
    return "'\(holder.joiningCommand)' joins that session."
  }
}
