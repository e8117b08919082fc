import EventLoop
import NetworkLinks
import Observing
import Posix
import SystemPackage

/// The bytes to a client of a shared session, with a backlog of those that the client
/// has not taken.
///
/// The backlog always has room for messages. While it is long, the device's bytes are skipped and
/// counted, unless the device waits for the client. A piece is skipped as a whole, because it may
/// contain protocol sequences.
final class ClientOutput {
  /// An event of the output.
  enum Event {
    /// The client takes bytes again after ``isCrowded``.
    case hasRoom
    /// The client has taken the whole backlog. This number of the device's bytes
    /// was skipped before.
    case leftOut(Int)
    /// The client is gone, or messages have filled the backlog, and it was given up.
    /// The last event.
    case gone(isOverfull: Bool)
  }

  let events = Observable<Event>()
  /// Whether bytes are skipped. Otherwise the device waits, and all bytes are kept.
  var leavesOut = true

  private let descriptor: FileDescriptor
  private var timeout: TCPTimeout?
  private var watch: DescriptorWatch?
  private var backlog: [UInt8] = []
  /// The number of bytes at the front of the backlog that the client has taken.
  private var head = 0
  /// The number of bytes that the client has taken.
  private(set) var takenCount = 0
  /// The number of the device's bytes that were skipped and not reported.
  private(set) var leftOut = 0
  /// Whether the client has asked for a pause of the device's bytes.
  var isSuspended = false {
    didSet { if !isSuspended { reportGapIfDrained() } }
  }

  /// The length of the backlog above which the device's bytes are skipped, or the device waits.
  static let crowd = 65_536
  /// The maximum length of the backlog. A client that takes nothing until messages fill it is
  /// disconnected. The history for a viewer fits: see ``ReceivedHistory/messageLimit``.
  static let limit = 229_376

  /// - Parameter descriptor: borrowed; it does not block.
  /// - Throws: the errors of epoll_ctl(2).
  init(_ descriptor: FileDescriptor, on loop: IOLoop) throws(Errno) {
    self.descriptor = descriptor
    timeout = TCPTimeout(of: descriptor, on: loop)
    watch = try loop.watch(descriptor, for: .hangUp) { [unowned self] in
      if $0.contains(.writable) || !isDrained { drain() } else { giveUp(isOverfull: false) }
    }
  }

  deinit { watch?.cancel() }

  /// The number of bytes in the backlog.
  var count: Int { backlog.count - head }
  var isDrained: Bool { count == 0 }
  /// Whether the client takes no output any more.
  var isGone: Bool { watch == nil }
  var isCrowded: Bool { count > Self.crowd }

  /// Ends the output. No event follows.
  func end() {
    watch?.cancel()
    (watch, timeout) = (nil, nil)
  }

  /// Writes bytes of the device.
  ///
  /// - Parameter byteCount: the number of bytes before they were encoded.
  /// - Returns: whether they were not skipped.
  func write(_ bytes: UnsafeRawBufferPointer, of byteCount: Int) -> Bool {
    let isFull = isSuspended || (!isDrained && count + bytes.count > Self.crowd)
    // Bytes are skipped until the client has been informed of the gap.
    if leftOut > 0 || (leavesOut && isFull) {
      leftOut += byteCount
      return false
    }
    put(bytes)
    return true
  }

  /// Counts bytes of the device that the client does not get.
  func skip(_ byteCount: Int) {
    leftOut += byteCount
    reportGapIfDrained()
  }

  /// Writes a message of the protocol.
  func write(message: [UInt8]) {
    guard !message.isEmpty else { return }
    if count + message.count > Self.limit { return giveUp(isOverfull: true) }
    message.withUnsafeBytes { put($0) }
  }

  private func put(_ bytes: UnsafeRawBufferPointer) {
    guard watch != nil else { return }
    let taken = isDrained ? writeSome(bytes) : 0
    guard watch != nil, taken < bytes.count else { return }
    // Doubling a long backlog would take more memory than it may have.
    if backlog.count + bytes.count > Self.limit / 4 { backlog.reserveCapacity(Self.limit) }
    backlog.append(contentsOf: bytes[taken...])
    watch?.setInterest(.writing)
  }

  private func drain() {
    let wasCrowded = isCrowded
    if !isDrained {
      head += backlog.withUnsafeBytes { writeSome(UnsafeRawBufferPointer(rebasing: $0[head...])) }
    }
    guard watch != nil else { return }
    if isDrained {
      (backlog, head) = ([], 0)
      watch?.setInterest(.hangUp)
      reportGapIfDrained()
    } else if head > Self.crowd {
      backlog.removeFirst(head)
      head = 0
    }
    if wasCrowded && !isCrowded { events.notify(.hasRoom) }
  }

  private func reportGapIfDrained() {
    guard leftOut > 0, isDrained, !isSuspended else { return }
    let count = leftOut
    leftOut = 0
    events.notify(.leftOut(count))
  }

  private func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int {
    timeout?.bytesWereWritten()
    do throws(Errno) {
      guard case .bytes(let count) = try descriptor.writeAvailable(bytes) else { return 0 }
      takenCount += count
      return count
    } catch {
      giveUp(isOverfull: false)
      return 0
    }
  }

  private func giveUp(isOverfull: Bool) {
    guard watch != nil else { return }
    end()
    events.notify(.gone(isOverfull: isOverfull))
  }
}
