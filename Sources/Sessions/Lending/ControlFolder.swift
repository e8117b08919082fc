package import Glibc
import Posix
package import SystemPackage

/// A private directory of one user that contains the sockets of sessions.
///
/// It stays open, and its entries are reached through the open descriptor: replacing the directory
/// after it was checked has no effect, and its path may be longer than a socket address allows.
package struct ControlFolder: ~Copyable {
  private let descriptor: OwnedDescriptor

  private static let suffix = ".sock"

  /// Opens a directory, if its owner and permissions are right.
  ///
  /// - Parameters:
  ///   - place: its path, and the owner that it must have.
  ///   - creates: whether to create it if it does not exist.
  /// - Throws: `Errno` of mkdir(2) and open(2): `ELOOP` or `ENOTDIR` for a symbolic link; `EPERM`
  ///   if it has another owner, or permissions other than 0700.
  package init(_ place: Place, creates: Bool = false) throws(Errno) {
    let path = place.path
    if creates {
      do {
        try systemCall { path.withPlatformString { mkdir($0, 0o700) } }
      } catch .fileExists {
        // A new directory is checked below too: the umask may have removed permissions.
      }
    }
    let opened = try OwnedDescriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    let folder = try opened.borrowed.stat()
    let permissions = folder.permissions.intersection(FilePermissions(rawValue: 0o777))
    guard folder.userID == place.owner, permissions == .ownerReadWriteExecute else {
      throw .notPermitted
    }
    descriptor = opened
  }

  /// The names of its sockets, stale ones included.
  package var socketNames: [String] {
    let list = FilePath("/proc/self/fd/\(descriptor.borrowed.rawValue)")
    return list.entryNames().filter { $0.hasSuffix(Self.suffix) }.sorted()
  }

  /// A path to a socket, valid while this value exists.
  package func socketPath(_ name: String) -> FilePath {
    FilePath("/proc/self/fd/\(descriptor.borrowed.rawValue)/\(name)")
  }

  /// Holds a lock of the directory while a function runs, so that two processes with one number, in
  /// different containers, do not take the same name. The corresponding C function is `flock`.
  func locked<Result>(
    within limit: Duration, _ body: () throws(Errno) -> Result
  ) throws(Errno) -> Result {
    do throws(Errno) {
      return try descriptor.borrowed.locked(within: limit, body)
    } catch .wouldBlock {
      // A stopped process has it. Two processes with one number are rarer than that.
      return try body()
    }
  }

  /// The file that has the name now; nil if there is none.
  func identity(of name: String) -> FileIdentity? {
    try? FileIdentity(at: FilePath(name), in: descriptor.borrowed)
  }

  /// Removes a socket.
  package func remove(_ name: String) {
    // ENOENT: it is already gone.
    _ = unlinkat(descriptor.borrowed.rawValue, name, 0)
  }

  /// The names for a session's socket: the usual one, then alternatives if that is taken.
  package static func names(pid: pid_t) -> [String] {
    (0..<8).map { $0 == 0 ? "\(pid)\(suffix)" : "\(pid)-\($0)\(suffix)" }
  }
}

extension ControlFolder {
  /// The process that a socket belongs to, by its name; nil for any other name.
  package static func pid(ofSocket name: String) -> pid_t? {
    guard name.hasSuffix(suffix) else { return nil }
    return pid_t(name.prefix { $0 != "-" && $0 != "." })
  }
}

extension ControlFolder {
  /// A directory for sockets, and the owner that it must have.
  package struct Place: Hashable {
    package let path: FilePath
    package let owner: UserID
  }

  /// The directories for a user's sockets, in the order in which they are tried.
  ///
  /// - Parameter runtimeFolder: the user's `$XDG_RUNTIME_DIR`; a relative path is ignored, as the
  ///   XDG Base Directory Specification says.
  package static func places(of user: UserID, runtimeFolder: String?) -> [Place] {
    let runtime = runtimeFolder.map { FilePath($0) }.flatMap { $0.isAbsolute ? $0 : nil }
    let paths = [runtime?.appending("serialterm"), FilePath("/tmp/serialterm-\(user.rawValue)")]
    return paths.compactMap(\.self).map { Place(path: $0, owner: user) }
  }

  /// The directories whose sessions are asked: those of the user; for root, also those of the user
  /// who called sudo(8). Sessions of other users are never asked.
  package static func placesToAsk(
    as user: UserID, runtimeFolder: String?, sudoUser: UserID?
  ) -> [Place] {
    let own = places(of: user, runtimeFolder: runtimeFolder)
    guard let sudoUser, user == UserID(rawValue: 0), sudoUser != user else { return own }
    return own + places(of: sudoUser, runtimeFolder: "/run/user/\(sudoUser.rawValue)")
  }
}

extension ControlFolder {
  /// The directories for sockets of this process.
  static var ownPlaces: [Place] {
    places(of: UserID(rawValue: geteuid()), runtimeFolder: variable("XDG_RUNTIME_DIR"))
  }

  /// The directories whose sessions this process asks.
  ///
  /// - Parameter includesSudoUser: whether root asks those of the user of sudo(8).
  package static func placesToAsk(includingSudoUser includesSudoUser: Bool) -> [Place] {
    let sudoUser = includesSudoUser ? variable("SUDO_UID").flatMap { uid_t($0) } : nil
    return placesToAsk(
      as: UserID(rawValue: geteuid()), runtimeFolder: variable("XDG_RUNTIME_DIR"),
      sudoUser: sudoUser.map(UserID.init(rawValue:)))
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
