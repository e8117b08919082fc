import Glibc
import Posix
package import SystemPackage

/// A path that a session is bound to, and the files that were found there.
///
/// The kernel reuses the numbers of pseudo-terminals: after the session's device was closed, a new
/// `/dev/pts/7` may be the shell of another terminal. After a release, the same pseudo-terminal is
/// the session's device; another one is only if a symbolic link to it has been created since. The
/// node of a UART or an adapter always counts.
package struct PathBinding: Hashable {
  let path: FilePath
  /// The file at the path when the device was last open or missing; nil if there was none.
  private var seen: Entry?
  /// The file that the path led to at that time.
  private var seenTarget: Entry?

  package init(_ path: FilePath) {
    self.path = path
    look()
  }

  /// Stores the present files.
  mutating func look() {
    seen = Entry(path)
    seenTarget = Entry(behind: path)
  }

  /// Whether the path may lead to the session's device now.
  var mayBeTheDevice: Bool {
    guard let target = path.deviceNumber, target.isPseudoTerminal else { return true }
    guard let seen else { return true }
    if let seenTarget, seenTarget == Entry(behind: path) { return true }
    return Entry(path).map { $0.isLink && $0 != seen } ?? false
  }

  /// The file at a path, or the file that it leads to. A new file may have the same inode, but has
  /// another change time (ctime): opening, reading and writing a terminal do not change its ctime.
  private struct Entry: Hashable {
    let isLink: Bool
    private let inode: Inode
    private let seconds: Int
    private let nanoseconds: Int

    init?(_ path: FilePath) {
      guard let file = try? path.stat(followTargetSymlink: false) else { return nil }
      self.init(file)
    }

    init?(behind path: FilePath) {
      guard let file = try? path.stat() else { return nil }
      self.init(file)
    }

    private init(_ file: Stat) {
      isLink = file.type == .symbolicLink
      inode = file.inode
      seconds = file.st_ctim.tv_sec
      nanoseconds = file.st_ctim.tv_nsec
    }
  }
}
