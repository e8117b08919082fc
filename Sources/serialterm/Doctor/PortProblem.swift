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
  /// to join its session. Ending a program that has other ports too would end those as well.
  case busy(PortHolder?, hasSession: Bool = false, hasOtherPorts: Bool = false)
  /// This program has the port open itself.
  case openHere
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
    case .busy(let holder?, _, let hasOthers):
      "busy, held by pid \(holder.pid) (\(holder.command.harmless))"
        + (hasOthers ? ", which has other ports too" : "")
    case .busy(nil, _, _): "busy, another program uses it"
    case .openHere: "this program already has the port open"
    case .lockInCreation(let file): "busy, a program is creating \(file)"
    case .unusableLock(let file, let error?): "\(file) cannot be used (\(error))"
    case .unusableLock(let file, nil): "\(file) names no process"
    }
  }
}

extension PortProblem {
  /// A sentence about another way to use a port; nil if there is none.
  ///
  /// - Parameter path: the port, as the user named it.
  func wayIn(at path: String) -> String? {
    guard case .busy(let holder?, hasSession: true, let hasOthers) = self else { return nil }
    return "'\(holder.joiningCommand(at: path, hasOtherPorts: hasOthers))' joins that session."
  }
}
