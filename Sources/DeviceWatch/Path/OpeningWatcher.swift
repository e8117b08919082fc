import Posix
public import SystemPackage

/// Reports that programs open and close a device node, by inotify(7).
///
/// It only detects opens of the same inode, not those in a container that has a separate node for
/// the same device. The owner watches ``descriptor`` for reading and calls ``readEvents()``.
public final class OpeningWatcher {
  private let inotify: Inotify
  /// The number of times that the node was opened and not closed since the watcher was created. It
  /// is not exact, because the kernel merges equal events that were not read.
  public private(set) var openCount = 0

  /// Starts watching a node.
  ///
  /// - Parameter node: a device node, or a link to one.
  /// - Throws: `Errno` of inotify_init1(2) and inotify_add_watch(2): `EMFILE` and `ENOSPC` at
  ///   the user's limits.
  public init(_ node: FilePath) throws(Errno) {
    inotify = try Inotify()
    _ = try inotify.watchOpenings(of: node)
  }

  /// Readable while events are waiting; borrowed.
  public var descriptor: FileDescriptor { inotify.descriptor }

  /// Reads the queued events.
  ///
  /// - Returns: whether the node was opened or closed.
  public func readEvents() -> Bool {
    let events = inotify.readEvents()
    for event in events {
      if event.isOpening { openCount += 1 }
      if event.isClosing { openCount = max(0, openCount - 1) }
    }
    return events.contains { $0.isOpening || $0.isClosing || $0.isOverflow }
  }
}

@available(*, unavailable)
extension OpeningWatcher: Sendable {}
