import EventLoop
import Glibc
import Posix
import SystemPackage

/// A descriptor that is written to without ever waiting for it: what it does not take is queued.
final class OutputChannel {
  /// What to do when the queue is full because nobody reads.
  enum WhenFull {
    /// Nothing is lost, however long one piece is: ``isCrowded`` asks the source to hold back.
    case pushBack
    /// What finds no room is counted and left out: the source must not wait for a terminal that
    /// stalls. One that moves is waited for, if the source can wait: ``isCrowded``.
    case leaveOut
    /// The same, for a program that reads: nothing is put in the place of what is missing.
    case leaveOutSilently
  }

  /// Called when the channel is no longer crowded.
  var onRoom: () -> Void = {}
  /// Called when nothing is queued any more.
  var onDrained: () -> Void = {}
  /// Called when bytes begin to be left out.
  var onOverflow: () -> Void = {}
  /// Called with how many bytes were left out, when what follows them is taken again: more may be
  /// missing than the device's.
  var onGap: (Int) -> Void = { _ in }
  /// Called once, when nobody can read what is written any more.
  var onGone: (Errno) -> Void = { _ in }

  /// What is written before the notice of a gap.
  var beforeNotice = ""

  private let file: StandardFile
  private let whenFull: WhenFull
  private var backlog: Backlog
  private var watch: DescriptorWatch?
  /// Whether nothing was taken for longer than ``patience`` while something waited.
  private var isStalled = false
  private var takenCount = 0
  private var stallTimer: LoopTimer?
  private let loop: IOLoop
  private var isGone = false
  /// What waited when nobody could read it any more, or came later.
  private var lostCount = 0

  /// Past this the source is asked to hold back; what it may still send before it does fits above.
  private static let crowd = 65_536
  /// How long a terminal that moves may take nothing.
  private static let patience = Duration.milliseconds(30)
  /// What a blocking descriptor takes without waiting, once it is said to be writable.
  private static let cautiousPiece = 256

  /// Creates a channel.
  ///
  /// - Parameters:
  ///   - descriptor: where to; lent for as long as the channel lives.
  ///   - loop: where readiness is watched.
  ///   - whenFull: what to do when nobody reads.
  /// - Throws: what epoll_ctl(2) says.
  init(
    _ descriptor: FileDescriptor, on loop: IOLoop, whenFull: WhenFull
  ) throws(Errno) {
    file = StandardFile(descriptor, O_WRONLY)
    self.whenFull = whenFull
    backlog = Backlog(isBounded: whenFull != .pushBack)
    self.loop = loop
    watch = try loop.watch(file.descriptor, for: .hangUp) { [unowned self] in
      // A reader that goes away is noticed also while there is nothing to write.
      if isDrained && $0.contains(.hungUp) { lose(.brokenPipe) } else { drain() }
    }
  }

  deinit { watch?.cancel() }

  /// Whether the source ought to hold back.
  var isCrowded: Bool { backlog.count > Self.crowd && !isStalled }

  /// Whether all that was written has been taken.
  var isDrained: Bool { backlog.front.isEmpty }

  /// How many bytes were not taken so far, those included that found no room.
  var untakenCount: Int { lostCount + backlog.count + backlog.leftOut }

  /// Writes what is taken at once and queues the rest.
  ///
  /// - Parameter isMessage: whether it is said about the session, and is to be read whatever is left
  ///   out of what the device sends.
  func write(_ bytes: UnsafeRawBufferPointer, isMessage: Bool = false) {
    guard !isGone else { return lostCount += bytes.count }
    // A descriptor that may block is only written to when it is known to be writable.
    let taken = backlog.isEmpty && neverBlocks ? writeSome(bytes) : 0
    guard !isGone else { return lostCount += bytes.count }
    guard taken < bytes.count else { return }
    let before = backlog.leftOut
    backlog.append(UnsafeRawBufferPointer(rebasing: bytes[taken...]), isMessage: isMessage)
    wantRoom(true)
    if before == 0 && backlog.leftOut > 0 { onOverflow() }
    if whenFull != .pushBack && isCrowded && stallTimer == nil { watchForStall() }
  }

  private func watchForStall() {
    let before = takenCount
    stallTimer = loop.schedule(after: Self.patience) { [unowned self] in
      stallTimer = nil
      guard isCrowded else { return }
      if takenCount != before { return watchForStall() }
      isStalled = true
      onRoom()
    }
  }

  /// Writes a text.
  func write(_ text: String, isMessage: Bool = false) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0), isMessage: isMessage) }
  }

  /// What stands in for bytes that could not be shown. CAN ends a sequence that was cut off: its
  /// beginning must not make a command of what follows.
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
      if !neverBlocks { break }  // one cautious piece each time it is said to be writable
    }
    if isDrained && !backlog.isGapless && whenFull != .pushBack { settle() }
    if isDrained {
      wantRoom(false)
      onDrained()
    }
    if wasCrowded && !isCrowded { onRoom() }
  }

  /// Says what is missing, and what was said meanwhile, behind what has been taken.
  private func settle() {
    let count = backlog.settle {
      whenFull == .leaveOut ? Self.notShown($0, after: beforeNotice) : nil
    }
    let taken = neverBlocks ? writeSome(backlog.front) : 0
    backlog.removeFirst(taken)
    if count > 0 { onGap(count) }
  }

  /// Gives up what is queued, if anything is, and writes other bytes, as many as are taken at once.
  func giveUp(writing bytes: [UInt8]) {
    guard !isGone, !(isDrained && backlog.isGapless) else { return }
    backlog = Backlog()
    _ = bytes.withUnsafeBytes { writeSome($0) }
  }

  /// - Returns: how many bytes were taken.
  private func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int {
    let piece = neverBlocks ? bytes[...] : bytes.prefix(Self.cautiousPiece)
    do {
      guard case .bytes(let count) = try file.descriptor.writeAvailable(.init(rebasing: piece))
      else {
        return 0
      }
      return count
    } catch {
      lose(error)
      return 0
    }
  }

  private func lose(_ error: Errno) {
    isGone = true
    lostCount = backlog.count
    backlog.removeAll()
    watch?.cancel()
    onGone(error)
  }

  private lazy var isRegularFile = (try? file.descriptor.stat().type == .regular) ?? false
  private var neverBlocks: Bool { file.isNonBlocking || isRegularFile }

  private func wantRoom(_ wanted: Bool) {
    // Changing the interest of a watched descriptor fails only when the kernel is out of memory;
    // the next write tries again.
    _ = try? watch?.setInterest(wanted ? .writing : .hangUp)
  }

  /// Writes what is queued, for as long as it is taken within a limit.
  ///
  /// - Returns: how many bytes were never taken.
  func finish(within limit: Duration) -> Int {
    let deadline = MonotonicTime.now + limit
    while !isDrained && !isGone {
      let rest = (deadline - .now).nanoseconds / 1_000_000
      guard rest > 0 else { break }
      var poll = pollfd(fd: file.descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
      guard Glibc.poll(&poll, 1, CInt(rest)) >= 0 else { continue }
      if poll.revents != 0 { drain() }
    }
    return backlog.count + backlog.leftOut
  }
}

extension Int {
  /// With commas between the thousands: 12,345.
  var grouped: String {
    var result = ""
    for (index, digit) in "\(magnitude)".reversed().enumerated() {
      if index > 0 && index % 3 == 0 { result.append(",") }
      result.append(digit)
    }
    return (self < 0 ? "-" : "") + String(result.reversed())
  }

  /// The number with what it counts: "1 byte", "30,000 bytes".
  func counted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }

  /// The same of bytes that are not sent: "1 byte was", "30,000 bytes were".
  var bytesWere: String { counted("byte") + (self == 1 ? " was" : " were") }
}
