import Glibc
import Posix
import SystemPackage

/// Events of directories and files. See inotify(7).
struct Inotify: ~Copyable {
  /// The number of a watched directory, which does not depend on the directory's present name.
  typealias Watch = CInt

  /// An event.
  struct Event {
    /// The watched directory; -1 for ``isOverflow``.
    let watch: Watch
    private let mask: UInt32
    /// The entry of the directory; empty for the directory itself.
    let name: String

    /// Events were lost.
    var isOverflow: Bool { has(IN_Q_OVERFLOW) }
    /// The directory itself was deleted or moved, or its file system unmounted.
    var isOfDirectory: Bool { has(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED) }
    /// The directory is no longer watched.
    var isEndOfWatch: Bool { has(IN_IGNORED) }
    /// The entry was deleted, or moved away.
    var isDeparture: Bool { has(IN_DELETE | IN_MOVED_FROM) }
    /// The entry's permissions, or other attributes, were changed.
    var isOfAttributes: Bool { has(IN_ATTRIB) }
    /// The watched file was opened.
    var isOpening: Bool { has(IN_OPEN) }
    /// A descriptor of the watched file was closed.
    var isClosing: Bool { has(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) }

    fileprivate init(_ raw: inotify_event, name: String) {
      watch = raw.wd
      mask = raw.mask
      self.name = name
    }

    private func has(_ bits: CInt) -> Bool { mask & UInt32(bitPattern: bits) != 0 }
  }

  private let owned: OwnedDescriptor

  /// Creates an instance.
  ///
  /// - Throws: the errors of inotify_init1(2): `EMFILE` also at the user's limit of instances.
  init() throws(Errno) { owned = try FileDescriptor.makeInotify() }

  /// Readable while events are waiting; borrowed.
  var descriptor: FileDescriptor { owned.borrowed }

  /// Watches the entries of a directory. A directory that is already watched keeps its watch, even
  /// if it is given by another name. The corresponding C function is `inotify_add_watch`.
  ///
  /// - Throws: `ENOTDIR` if it is not a directory but, for example, a link to one; `ENOSPC` at the
  ///   user's limit of watches, fs.inotify.max_user_watches; `EACCES` if it may not be read.
  borrowing func watch(_ directory: FilePath) throws(Errno) -> Watch {
    let entries = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_ATTRIB
    let itself = IN_DELETE_SELF | IN_MOVE_SELF
    let flags = UInt32(bitPattern: entries | itself) | UInt32(IN_ONLYDIR) | UInt32(IN_DONT_FOLLOW)
    return try systemCall {
      directory.withPlatformString { inotify_add_watch(descriptor.rawValue, $0, flags) }
    }
  }

  /// Watches when any process opens or closes a file. A symbolic link is followed. The
  /// corresponding C function is `inotify_add_watch`.
  ///
  /// - Throws: `ENOENT`, `EACCES`, and `ENOSPC` at the user's limit of watches.
  borrowing func watchOpenings(of file: FilePath) throws(Errno) -> Watch {
    let flags = UInt32(bitPattern: IN_OPEN | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE)
    return try systemCall {
      file.withPlatformString { inotify_add_watch(descriptor.rawValue, $0, flags) }
    }
  }

  /// Stops watching a directory. The corresponding C function is `inotify_rm_watch`.
  borrowing func remove(_ watch: Watch) {
    // The kernel may have removed it with its directory.
    _ = inotify_rm_watch(descriptor.rawValue, watch)
  }

  /// Reads queued events, oldest first. After a limited number of reads, the rest keeps
  /// the descriptor readable.
  borrowing func readEvents() -> [Event] {
    var events: [Event] = []
    descriptor.readInotifyEvents { event, name in
      events.append(Event(event, name: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)))
    }
    return events
  }
}
