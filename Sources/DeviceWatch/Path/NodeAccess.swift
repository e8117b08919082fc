import Glibc
import Posix
public import SystemPackage

/// Whether this process may read and write a device node, by the node's permissions.
public enum NodeAccess: Hashable, Sendable {
  /// It may.
  case accessible
  /// It may not. The names of the owner and of the group are nil where they have none (in
  /// containers), all are nil where not even that may be seen.
  case denied(owner: String?, group: String?, mode: FilePermissions?)
  /// There is no such node, or a symbolic link leads nowhere.
  case missing

  /// Looks at a node, without opening it. The corresponding C function is `faccessat`, with
  /// `AT_EACCESS`: it is the effective user who counts, as for open(2).
  ///
  /// What the permissions allow may be refused all the same, for example by a container's device
  /// rules. See access(2).
  public static func of(_ path: FilePath) -> NodeAccess {
    do throws(Errno) {
      try systemCall {
        path.withPlatformString { faccessat(AT_FDCWD, $0, R_OK | W_OK, AT_EACCESS) }
      }
      return .accessible
    } catch .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels {
      return .missing
    } catch {
      guard let node = try? path.stat() else { return .denied(owner: nil, group: nil, mode: nil) }
      return .denied(
        owner: userName(node.userID), group: groupName(node.groupID), mode: node.permissions)
    }
  }

  /// The corresponding C function is `getpwuid_r`.
  private static func userName(_ id: UserID) -> String? {
    withRoom { (room, size) in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      let error = getpwuid_r(id.rawValue, &entry, room, size, &found)
      return (error, found.map { String(cString: $0.pointee.pw_name) })
    }
  }

  /// The corresponding C function is `getgrgid_r`.
  private static func groupName(_ id: GroupID) -> String? {
    withRoom { (room, size) in
      var entry = Glibc.group()
      var found: UnsafeMutablePointer<Glibc.group>?
      let error = getgrgid_r(id.rawValue, &entry, room, size, &found)
      return (error, found.map { String(cString: $0.pointee.gr_name) })
    }
  }

  /// Looks up a name, with more room as long as `ERANGE` asks for it: a group may have thousands of
  /// members.
  private static func withRoom(
    _ lookUp: (UnsafeMutablePointer<CChar>, Int) -> (error: CInt, name: String?)
  ) -> String? {
    var size = 1_024
    while size <= 1 << 20 {
      let room = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { room.deallocate() }
      let result = lookUp(room, size)
      if result.error != ERANGE { return result.name }
      size *= 4
    }
    return nil
  }
}
