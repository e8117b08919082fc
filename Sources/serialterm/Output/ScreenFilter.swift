import EventLoop
import Glibc
import Posix
import SystemPackage

/// A command that what the device sends passes on its way to the screen. It may stall and end as it
/// likes: nothing waits for it.
final class ScreenFilter {
  /// Takes what it puts out.
  var onOutput: (UnsafeRawBufferPointer) -> Void = { _ in }
  /// Called when it takes bytes again after ``isCrowded``.
  var onRoom: () -> Void = {}
  /// Called when something has to be said of it.
  var onNews: (News) -> Void = { _ in }

  enum News {
    /// It takes nothing, or is too slow: what comes now is missing.
    case overflow
    /// It takes bytes again; so many are missing before them.
    case goesOn(missing: Int)
    /// It has ended, or cannot be used any more; so many of the bytes it was given it has not read.
    case ended(ExitStatus?, unread: Int)
  }

  private let child: PipedChild
  private let loop: IOLoop
  private var input: OutputChannel?
  private var watch: DescriptorWatch?
  private var signals: SignalWatch?
  private var endTimer: LoopTimer?
  private var status: ExitStatus?
  private var unreadCount = 0
  private var hasEnded = false
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  /// How long a command that has closed one end may take to end altogether.
  private static let closingPatience = Duration.milliseconds(100)
  /// How much is read of what is left when it has ended, in pieces: more than a pipe holds.
  private static let lastPieces = 17

  /// Starts the command.
  ///
  /// - Throws: what pipe(2), posix_spawn(3) and epoll_ctl(2) say.
  init(_ command: String, on loop: IOLoop) throws(Errno) {
    self.loop = loop
    signal(SIGCHLD, SIG_DFL)
    child = try PipedChild(command, isFilter: true)
    signals = try loop.watchSignals([SIGCHLD]) { [unowned self] _ in look() }
    if let descriptor = child.inputDescriptor {
      let channel = try OutputChannel(descriptor, on: loop, whenFull: .leaveOutSilently)
      channel.onOverflow = { [unowned self] in onNews(.overflow) }
      channel.onGap = { [unowned self] in onNews(.goesOn(missing: $0)) }
      channel.onRoom = { [unowned self] in onRoom() }
      channel.onGone = { [unowned self] _ in endSoon() }
      input = channel
    }
    watch = try loop.watch(child.output.borrowed, for: .reading) { [unowned self] _ in
      if !readOutput() { endSoon() }
    }
  }

  deinit {
    watch?.cancel()
    buffer.deallocate()
  }

  /// Whether the device ought to hold back, if it can.
  var isCrowded: Bool { input?.isCrowded ?? false }

  /// Whether what it puts out is left where it is for now.
  var isPaused = false {
    didSet {
      guard isPaused != oldValue, !hasEnded else { return }
      // Fails only for want of memory; it is tried again with the next change.
      _ = try? watch?.setInterest(isPaused ? [] : .reading)
    }
  }

  /// Gives it what the device has sent.
  func write(_ bytes: UnsafeRawBufferPointer) { input?.write(bytes) }

  // MARK: The end

  /// Looks whether it has ended, of which SIGCHLD tells.
  private func look() {
    if status == nil { status = child.status() }
    if status != nil { endSoon(after: .zero) }
  }

  /// It cannot be used any more; how it ends is told if that is soon known.
  private func endSoon(after time: Duration = closingPatience) {
    guard !hasEnded, endTimer == nil || time == .zero else { return }
    endTimer = loop.schedule(after: time) { [unowned self] in
      if status == nil { status = child.status() }
      for _ in 0..<Self.lastPieces where !readOutput() { break }
      let unread = close()
      onNews(.ended(status, unread: unread))
    }
    // Its end of a pipe that is closed is readable for ever.
    if time != .zero { watch?.cancel() }
  }

  /// Ends it: it gets the end of its input, a limited time to show what it has, and a SIGTERM.
  ///
  /// - Returns: how many of the bytes that it was given it has not read.
  func finish(within limit: Duration) -> Int {
    guard !hasEnded else { return 0 }
    let deadline = MonotonicTime.now + limit
    var isOpen = true
    while isOpen {
      if input?.isDrained ?? false { closeInput(countingPipe: false) }
      let rest = (deadline - .now).nanoseconds / 1_000_000
      guard rest > 0 else { break }
      _ = input?.finish(within: .zero)
      // While input waits, it is tried again soon; its output is what the waiting is for.
      var poll = pollfd(fd: child.output.borrowed.rawValue, events: Int16(POLLIN), revents: 0)
      let wait = input == nil ? rest : min(rest, 5)
      if Glibc.poll(&poll, 1, CInt(wait)) > 0 { isOpen = readOutput() }
    }
    return close()
  }

  /// Whether it has ended; asked for, so that nothing of it stays with the system.
  var hasExited: Bool {
    if status == nil { status = child.status() }
    return status != nil
  }

  private func close() -> Int {
    hasEnded = true
    endTimer = nil
    watch?.cancel()
    // The next one's child is not ours to hear of.
    signals = nil
    closeInput(countingPipe: true)
    if status == nil { status = child.status() }
    child.end(SIGTERM)
    return unreadCount
  }

  /// - Parameter countingPipe: whether what is in the pipe will not be read.
  private func closeInput(countingPipe: Bool) {
    guard let channel = input, let descriptor = child.inputDescriptor else { return }
    var inPipe: CInt = 0
    if countingPipe { _ = ioctl(descriptor.rawValue, UInt(FIONREAD), &inPipe) }
    unreadCount = channel.untakenCount + Int(inPipe)
    input = nil
    child.closeInput()
  }

  // MARK: Its output

  /// - Returns: whether more may come.
  private func readOutput() -> Bool {
    switch (try? child.output.borrowed.readAvailable(into: buffer)) ?? .endOfFile {
    case .bytes(let count):
      onOutput(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      return true
    case .wouldBlock: return !hasEnded && status == nil
    case .endOfFile: return false
    }
  }
}
