import Glibc
import Posix
import SystemPackage

/// A path that a session is bound to, and what was seen there.
///
/// A pseudo-terminal's number is given to the next one that is made: what appears at `/dev/pts/7`
/// after ours was closed is somebody's shell. A link that leads there counts only if it was made
/// anew since; a UART's or an adapter's node is what it was.
struct PathBinding: Hashable {
  let path: FilePath
  /// What the path itself was when we last had, or missed, what is behind it; nil for nothing.
  private var seen: Entry?

  init(_ path: FilePath) {
    self.path = path
    look()
  }

  /// Remembers what is there now.
  mutating func look() { seen = Entry(path) }

  /// Whether what the path leads to now may be the session's device.
  var mayBeOurs: Bool {
    guard let target = try? path.stat(), target.isPseudoTerminal else { return true }
    guard let seen else { return true }
    return Entry(path).map { $0.isLink && $0 != seen } ?? false
  }

  /// What stands at a path, not what it leads to. One that was made anew differs in its time, if
  /// not in its inode.
  private struct Entry: Hashable {
    let isLink: Bool
    private let inode: Inode
    private let seconds: Int
    private let nanoseconds: Int

    init?(_ path: FilePath) {
      guard let file = try? path.stat(followTargetSymlink: false) else { return nil }
      isLink = file.type == .symbolicLink
      inode = file.inode
      seconds = file.st_ctim.tv_sec
      nanoseconds = file.st_ctim.tv_nsec
    }
  }
}

extension Stat {
  /// Whether it is the side of a pseudo-terminal that programs open: major numbers 136 to 143, see
  /// the kernel's Documentation/admin-guide/devices.txt.
  fileprivate var isPseudoTerminal: Bool {
    type == .characterSpecial && (136...143).contains(specialDeviceID.majorNumber)
  }
}
