import EventLoop
import Glibc
import Posix
import SystemPackage

/// Hears what clients do with a node, for as long as it is kept. See inotify(7).
final class NodeWatch {
  /// What clients have done since it was last told, each any number of times.
  struct Events: OptionSet {
    let rawValue: UInt8
    /// A client that could write has closed the node.
    ///
    /// The kernel says so *before* the client has let go of the terminal. Clients that could only
    /// read do not count: `stty -F` is one, and what it sets is meant for the next.
    static let closed = Events(rawValue: 1)
    /// A client has read something.
    static let read = Events(rawValue: 2)
  }

  private let path: FilePath
  private let inotify: OwnedDescriptor
  private var watch: DescriptorWatch?

  /// Watches a node for closing.
  ///
  /// - Throws: what inotify_init1(2), inotify_add_watch(2) and epoll_ctl(2) say: `EMFILE` and
  ///   `ENOSPC` at the user's limits.
  init(
    _ path: FilePath, on loop: EventLoop, _ handler: @escaping (Events) -> Void
  ) throws(Errno) {
    self.path = path
    let rawValue = try systemCall { inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC)) }
    let descriptor = FileDescriptor(rawValue: rawValue)
    inotify = OwnedDescriptor(descriptor)
    try setMask(IN_CLOSE_WRITE)
    watch = try loop.watch(descriptor, for: .reading) { _ in
      handler(Self.takeEvents(from: descriptor))
    }
  }

  deinit { watch?.cancel() }

  /// Hears of reading too, which is one wakeup a read and therefore not for every day.
  ///
  /// - Throws: what inotify_add_watch(2) says.
  func hearReading() throws(Errno) { try setMask(IN_CLOSE_WRITE | IN_ACCESS) }

  /// Of a node that is watched already this changes the mask.
  private func setMask(_ mask: CInt) throws(Errno) {
    try systemCall {
      path.withPlatformString {
        inotify_add_watch(inotify.borrowed.rawValue, $0, UInt32(bitPattern: mask))
      }
    }
  }

  /// Reads what is queued and forgets how often: the kernel merges equal events in a row, so that
  /// they cannot be counted.
  private static func takeEvents(from descriptor: FileDescriptor) -> Events {
    var mask: UInt32 = 0
    withUnsafeTemporaryAllocation(
      byteCount: 4_096, alignment: MemoryLayout<inotify_event>.alignment
    ) { buffer in
      while case .bytes(let count)? = try? descriptor.readAvailable(into: buffer) {
        var offset = 0
        while offset < count {
          let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          mask |= event.mask
          offset += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
    var events: Events = []
    // An overflow may have swallowed anything.
    let overflow = UInt32(bitPattern: CInt(IN_Q_OVERFLOW))
    if mask & (UInt32(bitPattern: CInt(IN_CLOSE_WRITE)) | overflow) != 0 { events.insert(.closed) }
    if mask & (UInt32(bitPattern: CInt(IN_ACCESS)) | overflow) != 0 { events.insert(.read) }
    return events
  }
}
