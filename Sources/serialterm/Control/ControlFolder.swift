import Glibc
import Posix
import SystemPackage

/// A folder of one user's own, in which sessions have their sockets.
///
/// It is held open, and what is in it is reached through it: a folder that somebody puts in its
/// place after it was looked at changes nothing, and its path may be longer than a socket's.
struct ControlFolder: ~Copyable {
  private let descriptor: OwnedDescriptor

  private static let suffix = ".sock"

  /// Opens a folder, if it is what it has to be.
  ///
  /// - Parameters:
  ///   - place: where it is, and whose it has to be.
  ///   - creates: whether it is made if it is not there.
  /// - Throws: what mkdir(2) and open(2) say: `ELOOP` or `ENOTDIR` for a symbolic link; `EPERM`
  ///   for a folder that is not the owner's, or open to others.
  init(_ place: Place, creates: Bool = false) throws(Errno) {
    let path = place.path
    if creates {
      do {
        try systemCall { path.withPlatformString { mkdir($0, 0o700) } }
      } catch .fileExists {
        // Looked at below, as is one that was made: the umask may have taken permissions away.
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

  /// The names of the sockets in it, dead ones too.
  var socketNames: [String] {
    let list = FilePath("/proc/self/fd/\(descriptor.borrowed.rawValue)")
    return list.entryNames().filter { $0.hasSuffix(Self.suffix) }.sorted()
  }

  /// A path to a socket, for as long as the folder is kept.
  func socketPath(_ name: String) -> FilePath {
    FilePath("/proc/self/fd/\(descriptor.borrowed.rawValue)/\(name)")
  }

  /// Removes a socket.
  func remove(_ name: String) {
    // What is not there any more need not be removed.
    _ = unlinkat(descriptor.borrowed.rawValue, name, 0)
  }

  /// What a session's socket is called: the first name, and others for when it is taken.
  static func names(pid: pid_t) -> [String] {
    (0..<8).map { $0 == 0 ? "\(pid)\(suffix)" : "\(pid)-\($0)\(suffix)" }
  }
}

extension ControlFolder {
  /// Whose socket it is, by its name; nil for a name that is none of ours.
  static func pid(ofSocket name: String) -> pid_t? {
    guard name.hasSuffix(suffix) else { return nil }
    return pid_t(name.prefix { $0 != "-" && $0 != "." })
  }
}
