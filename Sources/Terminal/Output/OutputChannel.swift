package import EventLoop
import Glibc
package import Observing
import Posix
package import SystemPackage
import TextTools
import Time

/// Writes to a descriptor without ever blocking. Bytes that it does not accept are queued.
package final class OutputChannel {
  /// What happens when the queue is full because the reader is too slow.
  package enum WhenFull {
    /// Nothing is lost, for pieces of any size. ``isCrowded`` asks the source to pause.
    case pushBack
    /// Bytes that do not fit are dropped and counted: the source must not wait for a stalled
    /// terminal. It should wait for a terminal that makes progress, if it can: ``isCrowded``.
    case leaveOut
    /// Like `leaveOut`, for a reader that is a program: no notice replaces the missing bytes.
    case leaveOutSilently
  }

  /// What the reader did.
  package enum Event: Equatable {
    /// It has read enough: the channel is no longer crowded.
    case room
    /// It has read everything: the queue is empty again.
    case drained
    /// It has closed. This is the last event.
    case gone(Errno)
  }

  /// Bytes that the reader does not get.
  package enum Gap: Equatable {
    /// The first byte was dropped.
    case began
    /// Output continues. The value is the number of dropped bytes. Messages may be missing too.
    case ended(Int)
  }

  /// What the reader did.
  package let events = Observable<Event>()
  /// Bytes that the reader does not get. A list of its own: an observer of ``Event/room`` writes,
  /// and the screen must know of a gap before the next write.
  package let gaps = Observable<Gap>()

  /// The bytes to write before the notice of a gap.
  var beforeNotice = ""

  private let file: StandardFile
  private let whenFull: WhenFull
  private var backlog: Backlog
  private var watch: DescriptorWatch?
  /// Whether nothing was accepted for longer than ``patience`` although bytes were queued.
  private var isStalled = false
  private var takenCount = 0
  private var stallTimer: LoopTimer?
  private let loop: IOLoop
  private var isGone = false
  /// The number of bytes that were queued when the reader closed, or written later.
  private var lostCount = 0

  /// The size of the queue above which the source is asked to pause. The bytes that it still sends
  /// fit above that.
  private static let crowd = 65_536
  /// The time for which a terminal that makes progress may accept nothing.
  private static let patience = Duration.milliseconds(30)
  /// The number of bytes that a writable descriptor accepts without blocking.
  static let cautiousPiece = 256

  /// Creates a channel.
  ///
  /// - Parameters:
  ///   - descriptor: the destination; borrowed for the lifetime of the channel.
  ///   - loop: the loop that watches its readiness.
  ///   - whenFull: what happens when the queue is full.
  /// - Throws: the errors of epoll_ctl(2).
  package init(
    _ descriptor: FileDescriptor, on loop: IOLoop, whenFull: WhenFull
  ) throws(Errno) {
    file = StandardFile(descriptor, O_WRONLY)
    self.whenFull = whenFull
    backlog = Backlog(isBounded: whenFull != .pushBack)
    self.loop = loop
    // Writing fails then, and is reported.
    guard file.isUsable else { return }
    watch = try loop.watch(file.descriptor, for: .hangUp) { [unowned self] in
      // A reader that closes is detected even if there is nothing to write.
      if isDrained && $0.contains(.hungUp) { fail(with: .brokenPipe) } else { drain() }
    }
  }

  deinit { watch?.cancel() }

  /// Whether the source should pause.
  package var isCrowded: Bool { backlog.count > Self.crowd && !isStalled }

  /// Whether the descriptor is open for writing.
  package var isUsable: Bool { file.isUsable }

  /// Whether everything was accepted.
  package var isDrained: Bool { backlog.front.isEmpty }

  /// The number of bytes that were not accepted so far, including dropped ones.
  package var unwrittenCount: Int { lostCount + backlog.count + backlog.leftOut }

  /// Writes as many bytes as the descriptor accepts now, and queues the rest.
  ///
  /// - Parameter isMessage: whether it is a message about the session, which is never dropped.
  package func write(_ bytes: UnsafeRawBufferPointer, isMessage: Bool = false) {
    guard !isGone else { return lostCount += bytes.count }
    guard file.isUsable else {
      fail(with: .badFileDescriptor)
      return lostCount += bytes.count
    }
    // A descriptor that may block is only written to when it is writable.
    let taken = backlog.isEmpty && neverBlocks ? writeSome(bytes) : 0
    guard !isGone else { return lostCount += bytes.count }
    guard taken < bytes.count else { return }
    let before = backlog.leftOut
    backlog.append(UnsafeRawBufferPointer(rebasing: bytes[taken...]), isMessage: isMessage)
    wantRoom(true)
    if before == 0 && backlog.leftOut > 0 { gaps.notify(.began) }
    if whenFull != .pushBack && isCrowded && stallTimer == nil { watchForStall() }
  }

  private func watchForStall() {
    let before = takenCount
    stallTimer = loop.schedule(after: Self.patience) { [unowned self] in
      stallTimer = nil
      guard isCrowded else { return }
      if takenCount != before { return watchForStall() }
      isStalled = true
      events.notify(.room)
    }
  }

  /// Writes a text.
  package func write(_ text: String, isMessage: Bool = false) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0), isMessage: isMessage) }
  }

  /// The notice of bytes that were not shown. It begins with CAN, which ends an incomplete escape
  /// sequence that would otherwise include the following text.
  static func notShown(_ count: Int) -> String { notShown(count, after: "") }

  private static func notShown(_ count: Int, after prefix: String) -> String {
    "\u{18}\(prefix)\r\n[\(count.counted("byte")) not shown]\r\n"
  }

  private func drain() {
    let wasCrowded = isCrowded
    while !isDrained {
      let count = writeSome(backlog.front)
      guard count > 0 else { break }
      backlog.removeFirst(count)
      takenCount &+= count
      isStalled = false
      if !neverBlocks { break }  // one cautious piece for each event of readiness
    }
    if isDrained && !backlog.isGapless && whenFull != .pushBack { settle() }
    if isDrained {
      wantRoom(false)
      events.notify(.drained)
    }
    if wasCrowded && !isCrowded { events.notify(.room) }
  }

  /// Queues the notice of a gap, and the messages since then.
  private func settle() {
    let count = backlog.settle {
      whenFull == .leaveOut ? Self.notShown($0, after: beforeNotice) : nil
    }
    let taken = neverBlocks ? writeSome(backlog.front) : 0
    backlog.removeFirst(taken)
    if count > 0 { gaps.notify(.ended(count)) }
  }

  /// Discards the queue if it is not empty, and writes as many other bytes as are accepted now.
  package func giveUp(writing bytes: [UInt8]) {
    guard !isGone, !(isDrained && backlog.isGapless) else { return }
    backlog = Backlog()
    _ = bytes.withUnsafeBytes { writeSome($0) }
  }

  /// - Returns: the number of accepted bytes.
  private func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int {
    let piece = neverBlocks ? bytes[...] : bytes.prefix(Self.cautiousPiece)
    do {
      guard case .bytes(let count) = try file.descriptor.writeAvailable(.init(rebasing: piece))
      else {
        return 0
      }
      return count
    } catch {
      fail(with: error)
      return 0
    }
  }

  private func fail(with error: Errno) {
    isGone = true
    lostCount = backlog.count
    backlog.removeAll()
    watch?.cancel()
    events.notify(.gone(error))
  }

  private lazy var isRegularFile = (try? file.descriptor.stat().type == .regular) ?? false
  private var neverBlocks: Bool { file.isNonBlocking || isRegularFile }

  private func wantRoom(_ wanted: Bool) {
    watch?.setInterest(wanted ? .writing : .hangUp)
  }

  /// Writes the queue within a time limit.
  ///
  /// - Returns: the number of bytes that were not accepted.
  package func finish(within limit: Duration) -> Int {
    let deadline = MonotonicTime.now + limit
    while !isDrained && !isGone {
      guard !file.descriptor.wait(for: .writing, until: deadline).isEmpty else { break }
      drain()
    }
    return backlog.count + backlog.leftOut
  }
}
