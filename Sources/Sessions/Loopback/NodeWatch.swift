import EventLoop
import Glibc
import Posix
import SystemPackage

/// Watches the accesses of clients to a node. See inotify(7).
final class NodeWatch {
  /// The kinds of events since the last call. How often each happened is unknown.
  struct Events: OptionSet {
    let rawValue: UInt8
    /// A client that could write has closed the node.
    ///
    /// The kernel reports this *before* the client has released the terminal. Read-only clients are
    /// not counted: `stty -F` is one, and its settings are meant for the next client.
    static let closed = Events(rawValue: 1)
    /// A client has read bytes.
    static let read = Events(rawValue: 2)
  }

  private let path: FilePath
  private let inotify: OwnedDescriptor
  private var watch: DescriptorWatch?

  /// Watches a node for closing.
  ///
  /// - Throws: the errors of inotify_init1(2), inotify_add_watch(2) and epoll_ctl(2): `EMFILE` and
  ///   `ENOSPC` at the user's limits.
  init(
    _ path: FilePath, on loop: IOLoop, _ handler: @escaping (Events) -> Void
  ) throws(Errno) {
    self.path = path
    inotify = try FileDescriptor.makeInotify()
    let descriptor = inotify.borrowed
    try setMask(IN_CLOSE_WRITE)
    watch = try loop.watch(descriptor, for: .reading) { _ in
      handler(Self.takeEvents(from: descriptor))
    }
  }

  deinit { watch?.cancel() }

  /// Also watches for reading. Each read then causes a wake-up, so use this only while necessary.
  ///
  /// - Throws: the errors of inotify_add_watch(2).
  func watchReads() throws(Errno) { try setMask(IN_CLOSE_WRITE | IN_ACCESS) }

  /// Sets the mask of the watch, which is created if there is none.
  private func setMask(_ mask: CInt) throws(Errno) {
    try systemCall {
      path.withPlatformString {
        inotify_add_watch(inotify.borrowed.rawValue, $0, UInt32(bitPattern: mask))
      }
    }
  }

  /// Reads the queued events. They cannot be counted, because the kernel merges
  /// equal consecutive events.
  private static func takeEvents(from descriptor: FileDescriptor) -> Events {
    var mask: UInt32 = 0
    descriptor.readInotifyEvents { event, _ in mask |= event.mask }
    var events: Events = []
    // After an overflow any event may be missing.
    let overflow = UInt32(bitPattern: CInt(IN_Q_OVERFLOW))
    if mask & (UInt32(bitPattern: CInt(IN_CLOSE_WRITE)) | overflow) != 0 { events.insert(.closed) }
    if mask & (UInt32(bitPattern: CInt(IN_ACCESS)) | overflow) != 0 { events.insert(.read) }
    return events
  }
}
