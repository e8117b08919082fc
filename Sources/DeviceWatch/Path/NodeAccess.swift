import Glibc
import Posix
public import SystemPackage

/// Whether this process may read and write a device node, by the node's permissions.
public enum NodeAccess: Hashable, Sendable {
  /// The process may read and write it.
  case accessible
  /// The process may not. The names of the owner and the group are nil if they have none, as in
  /// containers. All values are nil if they may not be read.
  case denied(owner: String?, group: String?, mode: FilePermissions?)
  /// There is no such node, or a symbolic link leads nowhere.
  case missing

  /// Checks a node without opening it. The corresponding C function is `faccessat`, with
  /// `AT_EACCESS`: like open(2) it checks the effective user.
  ///
  /// Access may be denied in spite of the permissions, for example by the device rules of a
  /// container. See access(2).
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
        owner: AccountName.of(node.userID), group: AccountName.of(node.groupID),
        mode: node.permissions)
    }
  }
}
