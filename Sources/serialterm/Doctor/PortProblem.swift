import Glibc
import PlainText
import SerialCore
import SystemPackage

/// Why a port cannot be used. `connect` fails with these words, and `doctor` finds the same ones.
enum PortProblem: Hashable {
  case noSuchDevice
  case noHardware
  case notASerialPort
  case permissionDenied
  /// The user was added to the group of the node after this login began.
  case loginNeeded
  /// Another program has the port; nil if this user cannot see which.
  case busy(PortHolder?)
  /// A program is creating this lock file: it is empty, and a few seconds old.
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
    case .busy(let holder?): "busy, held by pid \(holder.pid) (\(holder.command.harmless))"
    case .busy(nil): "busy, another program has it"
    case .lockInCreation(let file): "busy, a program is creating \(file)"
    case .unusableLock(let file, let error?): "\(file) cannot be used (\(error))"
    case .unusableLock(let file, nil): "\(file) does not say who has the port"
    }
  }
}

extension PortHolder {
  /// The command that ends the program. The processes of another user need sudo.
  var endingCommand: String {
    let isOurs = user.map { geteuid() == 0 || $0.rawValue == geteuid() } ?? true
    return "\(isOurs ? "" : "sudo ")kill \(pid)"
  }
}
