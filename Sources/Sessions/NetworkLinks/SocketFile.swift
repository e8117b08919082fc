import Glibc
import Posix
import SystemPackage

/// The file of a listening Unix socket, removed with this value. See unix(7).
///
/// ## Principles of operation
///
/// - **It is finished before it has its name.** The socket is bound in a new folder that only this
///   user may enter, beside its place. Group and mode are set there, it listens there, and is then
///   renamed. At the path, nobody can therefore ever connect too early, or put a link in place of a
///   socket that is about to be changed. unix(7) offers no other way: fchmod(2) and fchown(2) of a
///   bound socket do not affect its file.
/// - **It replaces nothing**, except a socket at which no process listens. Other files
///   and links stay.
/// - **One program at a time changes the entry**: the folder is locked meanwhile, so that of two
///   servers only one replaces an abandoned socket.
/// - **Only its own file is removed**: device and inode are compared. The kernel keeps the inode
///   while the socket is open, so that its number is not reused.
///
/// ss(8) shows the path at which the socket was bound, `/proc/self/fd/N/NAME`.
struct SocketFile: ~Copyable {
  private let entry: NameInFolder
  private let identity: FileIdentity

  /// The time to wait for another program that changes the same folder.
  private static let patience = Duration.seconds(1)
  /// The same at the end of the program.
  private static let lastPatience = Duration.milliseconds(50)

  /// Binds a socket to a path, and listens.
  ///
  /// The corresponding C functions are `bind`, `fchmodat`, `fchownat`, `listen` and `renameat2`.
  ///
  /// - Parameters:
  ///   - socket: a new socket.
  ///   - group: the group whose members may connect; nil for only the owner.
  ///   - backlog: the length of the queue of clients that wait.
  /// - Throws: `EADDRINUSE` if there is a file that cannot be replaced, or an error
  ///   of these functions.
  init(
    at path: FilePath, for group: GroupID?, binding socket: FileDescriptor, backlog: CInt
  ) throws(Errno) {
    let entry = try NameInFolder(path)
    identity = try entry.locked(within: Self.patience) { () throws(Errno) in
      try Self.removeAbandoned(entry)
      guard entry.identity == nil else { throw .addressInUse }
      let workshop = try PrivateFolder(in: entry.folderDescriptor)
      return try workshop.make(entry, for: group, binding: socket, backlog: backlog)
    }
    self.entry = entry
  }

  deinit {
    do throws(Errno) {
      try entry.locked(within: Self.lastPatience) { () throws(Errno) in
        try entry.remove(ifStill: identity)
      }
    } catch {
      // The lock was not free. A program that has it removes abandoned sockets only, and this
      // one still listens.
      _ = try? entry.remove(ifStill: identity)
    }
  }

  /// Removes a socket at which no process listens.
  private static func removeAbandoned(_ entry: borrowing NameInFolder) throws(Errno) {
    // Neither the type nor the listener can change after this descriptor was opened.
    guard
      let node = try? OwnedDescriptor.open(entry.path, OwnedDescriptor.forPath | O_NOFOLLOW),
      let status = try? node.borrowed.stat(), status.type == .socket,
      let probe = try? StreamSocket(family: AF_UNIX)
    else { return }
    do throws(Errno) {
      let address = try SocketAddress(FilePath("/proc/self/fd/\(node.borrowed.rawValue)"))
      try address.connect(probe.descriptor)
    } catch .connectionRefused {
      try entry.remove(ifStill: FileIdentity(of: node.borrowed))
    } catch {
      // It is in use, or belongs to another user.
    }
  }
}

/// A new folder that only this user may enter. It is removed with this value, if it is empty then.
private struct PrivateFolder: ~Copyable {
  private let name: String
  private let descriptor: OwnedDescriptor
  /// The folder that contains it; borrowed.
  private let parent: FileDescriptor

  /// Creates the folder. The corresponding C function is `mkdirat`.
  ///
  /// - Throws: `EPERM` if another folder was put in its place, or the errors of
  ///   mkdir(2) and open(2).
  init(in parent: FileDescriptor) throws(Errno) {
    let name = ".serialterm-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    try systemCall { mkdirat(parent.rawValue, name, 0o700) }
    let path = NameInFolder.path(of: FilePath(name), in: parent)
    let opened = try OwnedDescriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    let status = try opened.borrowed.stat()
    let permissions = status.permissions.intersection(FilePermissions(rawValue: 0o777))
    guard status.userID.rawValue == geteuid(), permissions == .ownerReadWriteExecute else {
      throw .notPermitted
    }
    (self.name, self.parent) = (name, parent)
    descriptor = opened
  }

  deinit { _ = unlinkat(parent.rawValue, name, AT_REMOVEDIR) }

  /// Makes a listening socket, and moves its file to its place.
  ///
  /// - Returns: the identity of the file.
  func make(
    _ entry: borrowing NameInFolder, for group: GroupID?, binding socket: FileDescriptor,
    backlog: CInt
  ) throws(Errno) -> FileIdentity {
    let (folder, file) = (descriptor.borrowed, entry.name)
    // The file inherits the mode of the socket. See unix_bind_bsd() in the kernel.
    try systemCall { fchmod(socket.rawValue, 0o600) }
    try SocketAddress(NameInFolder.path(of: file, in: folder)).bind(socket)
    do throws(Errno) {
      if let group {
        try systemCall {
          fchownat(folder.rawValue, file.string, uid_t.max, group.rawValue, AT_SYMLINK_NOFOLLOW)
        }
        try systemCall { fchmodat(folder.rawValue, file.string, 0o660, 0) }
      }
      // Before it has its name: a socket that refuses connections looks abandoned.
      try systemCall { listen(socket.rawValue, backlog) }
      let identity = try FileIdentity(at: file, in: folder)
      let isPlaced = try file.renameUnlessExists(
        to: file, in: folder, movingTo: entry.folderDescriptor)
      guard isPlaced else { throw .addressInUse }
      return identity
    } catch {
      _ = unlinkat(folder.rawValue, file.string, 0)
      throw error
    }
  }
}
