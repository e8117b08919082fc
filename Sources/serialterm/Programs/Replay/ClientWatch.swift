import EventLoop
import Glibc
import Posix
import SystemPackage

/// Detects programs that open, read and close a node. See inotify(7).
final class ClientWatch {
  /// An event of a client at the node.
  enum Event {
    case opened
    case read
    case closed
  }

  private let inotify: OwnedDescriptor
  private var watch: DescriptorWatch?

  /// Starts watching a node.
  ///
  /// - Throws: the errors of inotify_init1(2), inotify_add_watch(2) and epoll_ctl(2): `EMFILE` and
  ///   `ENOSPC` at the user's limits.
  init(
    _ path: FilePath, on loop: IOLoop, _ handler: @escaping (Event) -> Void
  ) throws(Errno) {
    inotify = try FileDescriptor.makeInotify()
    let descriptor = inotify.borrowed
    let mask = UInt32(IN_OPEN | IN_ACCESS | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE)
    try systemCall { path.withPlatformString { inotify_add_watch(descriptor.rawValue, $0, mask) } }
    watch = try loop.watch(descriptor, for: .reading) { _ in
      Self.takeEvents(from: descriptor).forEach(handler)
    }
  }

  deinit { watch?.cancel() }

  private static func takeEvents(from descriptor: FileDescriptor) -> [Event] {
    var events: [Event] = []
    descriptor.readInotifyEvents { event, _ in
      if event.mask & UInt32(IN_OPEN) != 0 { events.append(.opened) }
      if event.mask & UInt32(IN_ACCESS) != 0 { events.append(.read) }
      if event.mask & UInt32(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) != 0 { events.append(.closed) }
    }
    return events
  }
}
