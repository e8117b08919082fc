import Glibc
import Posix
import SystemPackage

/// A path that a session is bound to, and what was seen there.
///
/// A pseudo-terminal's number is given to the next one that is made: what appears at `/dev/pts/7`
/// after ours was closed is somebody's shell. One that has been there all the time, while we had
/// let go of it, is ours still; a link that leads to another counts only if it was made anew since.
/// A UART's or an adapter's node is what it was.
struct PathBinding: Hashable {
  let path: FilePath
  /// What the path itself was when we last had, or missed, what is behind it; nil for nothing.
  private var seen: Entry?
  /// What the path led to then.
  private var seenTarget: Entry?

  init(_ path: FilePath) {
    self.path = path
    look()
  }

  /// Remembers what is there now.
  mutating func look() {
    seen = Entry(path)
    seenTarget = Entry(behind: path)
  }

  /// Whether what the path leads to now may be the session's device.
  var mayBeOurs: Bool {
    guard let target = path.deviceNumber, target.isPseudoTerminal else { return true }
    guard let seen else { return true }
    if let seenTarget, seenTarget == Entry(behind: path) { return true }
    return Entry(path).map { $0.isLink && $0 != seen } ?? false
  }

  /// What stands at a path, or what it leads to. One that was made anew differs in its time, if not
  /// in its inode: opening, reading and writing a terminal leave the time of its attributes alone.
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
