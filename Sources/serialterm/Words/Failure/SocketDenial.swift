import Glibc
import Posix
import SystemPackage
import TextTools

/// Why a Unix socket may not be used, by its owner and mode. A value.
struct SocketDenial: Hashable {
  /// The owner, the group and the mode; nil if the socket's folder may not be entered.
  let socket: Socket?

  /// The owner, the group and the mode of a socket.
  struct Socket: Hashable {
    let owner: String
    let group: String
    let mode: FilePermissions
  }

  init(_ socket: Socket?) { self.socket = socket }

  /// Looks at a socket. The corresponding C function is `stat`.
  init(at path: FilePath) {
    self.init(
      (try? path.stat()).map {
        Socket(
          owner: AccountName.of($0.userID) ?? "user \($0.userID.rawValue)",
          group: AccountName.of($0.groupID) ?? "group \($0.groupID.rawValue)", mode: $0.permissions)
      })
  }

  /// The reason and the fix, as sentences. Connecting needs the permission to write: see unix(7).
  var words: String {
    guard let socket else { return "its folder may not be entered." }
    let mode = "(mode \(socket.mode.octal))"
    if socket.mode.contains(.groupWrite) {
      let group = "members of the group \(socket.group.harmless)"
      return "only \(socket.owner.harmless) and \(group) may use this socket \(mode). "
        + "Join that group, and log in again."
    }
    return "only \(socket.owner.harmless) may use this socket \(mode). Start serve with --group."
  }
}

extension FilePermissions {
  /// The permissions as four octal digits: `0660`.
  fileprivate var octal: String {
    let digits = String(rawValue & 0o7777, radix: 8)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
