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
        owner: AccountName.of(node.userID), group: AccountName.of(node.groupID),
        mode: node.permissions)
    }
  }
}
