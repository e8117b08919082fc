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
    let rawValue = try systemCall { inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC)) }
    let descriptor = FileDescriptor(rawValue: rawValue)
    inotify = OwnedDescriptor(descriptor)
    let mask = UInt32(IN_OPEN | IN_ACCESS | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE)
    try systemCall { path.withPlatformString { inotify_add_watch(rawValue, $0, mask) } }
    watch = try loop.watch(descriptor, for: .reading) { _ in
      Self.takeEvents(from: descriptor).forEach(handler)
    }
  }

  deinit { watch?.cancel() }

  private static func takeEvents(from descriptor: FileDescriptor) -> [Event] {
    var events: [Event] = []
    withUnsafeTemporaryAllocation(
      byteCount: 4_096, alignment: MemoryLayout<inotify_event>.alignment
    ) { buffer in
      // Bounded: clients may cause events faster than they are read. The rest keeps the descriptor readable.
      for _ in 0..<16 {
        guard case .bytes(let count)? = try? descriptor.readAvailable(into: buffer) else { break }
        var offset = 0
        while offset < count {
          let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          if event.mask & UInt32(IN_OPEN) != 0 { events.append(.opened) }
          if event.mask & UInt32(IN_ACCESS) != 0 { events.append(.read) }
          if event.mask & UInt32(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) != 0 { events.append(.closed) }
          offset += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
    return events
  }
}
