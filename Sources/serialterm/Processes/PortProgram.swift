import EventLoop
import Glibc
import Posix
import SerialCore
import SessionKit
import SystemPackage
import TerminalFrontEnd

/// A shell command whose standard input and output are the port: of `--exec`, and of a session.
///
/// It has the pen while it runs. The device waits, if it can, while the command does not read; the command
/// waits while the device takes nothing.
final class PortProgram: SessionObserver, RunningExchange {
  /// How it has ended.
  struct Outcome {
    enum Reason: Hashable {
      case ended(ExitStatus)
      /// The user did not wait for its end any longer.
      case killed
      /// The port is gone, or the session ends.
      case cutOff
    }

    let reason: Reason
    /// The number of bytes of the device that it was given.
    let receivedCount: Int
    /// The number of its bytes that the driver has taken.
    let sentCount: Int
    /// How many of the bytes that it was given it did not read.
    let unreadCount: Int
    /// How many of these are passed to the views now, the last ones.
    let returnedCount: Int
    /// The number of its bytes that were discarded because the user stopped it.
    let unsentCount: Int
  }

  /// Who gets the device's bytes, and where the command's errors go.
  struct Surroundings {
    /// Whether the views get no bytes of the device meanwhile. Logs always do.
    let isAlone: Bool
    let errors: PipedChild.Plan.Errors
    let leads: PipedChild.Plan.Leading

    /// In place of a session: `--exec`.
    static let program = Surroundings(isAlone: false, errors: .inherited, leads: .nothing)
    /// In a session with a user.
    static let session = Surroundings(isAlone: true, errors: .piped, leads: .session)
  }

  /// Called once, at the end. The pen is returned by then. The views get what it did not read afterwards.
  var onEnd: (Outcome) -> Void = { _ in }
  /// Called with a line of its errors, if they are piped.
  var onErrorLine: (String) -> Void = { _ in }
  /// Called when it still runs a while after it was interrupted.
  var onInterruptIgnored: () -> Void = {}
  /// Whether its errors wait until ``goOn()`` is called.
  var isHeldUp: () -> Bool = { false }

  private let command: String
  private let author: Author
  private let surroundings: Surroundings
  private let session: Session
  private let hub: Hub
  private let loop: IOLoop
  private var child: PipedChild?
  private var toChild: OutputChannel?
  private var pen: Session.Pen?
  private var subscription: Hub.Subscription?
  private var outputWatch: DescriptorWatch?
  private var errorWatch: DescriptorWatch?
  private var timer: LoopTimer?
  private var interruptTimer: LoopTimer?
  private var errorLines = ErrorLines()
  private var isRunning = false
  private var hasAllOutput = false
  /// Whether the session is about to end: nothing more is sent.
  private var isLeaving = false
  private var isInterrupted = false
  private var writtenCount = 0
  private var receivedCount = 0
  /// The last bytes that it was given: it may not have read them.
  private var recent: [UInt8] = []
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  /// More than a pipe and the channel to it hold, in bytes.
  private static let recentCapacity = 262_144
  /// How long a command may run on after an interrupt, and how long the device may take what it has sent
  /// until then.
  private static let interruptPatience = Duration.seconds(1)

  /// - Parameter author: who writes.
  init(
    _ command: String, by author: Author, in surroundings: Surroundings,
    on controller: SessionController, loop: IOLoop
  ) {
    self.command = command
    self.author = author
    self.surroundings = surroundings
    session = controller.session
    hub = controller.hub
    self.loop = loop
  }

  deinit {
    outputWatch?.cancel()
    errorWatch?.cancel()
    buffer.deallocate()
  }

  /// Starts the command.
  ///
  /// - Throws: ``Failure`` if the port is not open, another author has the pen, or there is no room for a
  ///   process.
  func begin() throws(Failure) {
    do throws(SerialError) {
      pen = try session.takePen(for: author)
    } catch {
      throw Failure(error)
    }
    do throws(Errno) {
      try start()
    } catch {
      child?.end(SIGHUP)
      (pen, subscription, outputWatch, errorWatch) = (nil, nil, nil, nil)
      throw Failure(.otherFailure, "the command cannot be run: \(error).")
    }
  }

  private func start() throws(Errno) {
    let child = try PipedChild(
      command, .init(errors: surroundings.errors, leads: surroundings.leads))
    self.child = child
    try child.watchEnd(on: loop) { [weak self] _ in self?.childEnded() }
    if let input = child.inputDescriptor {
      let channel = try OutputChannel(input, on: loop, whenFull: .pushBack)
      channel.onRoom = { [unowned self] in subscription?.update(isFull: false) }
      // A command that no longer reads may still write.
      channel.onGone = { [unowned self] _ in subscription?.update(isFull: false) }
      toChild = channel
    }
    if let output = child.outputDescriptor {
      outputWatch = try loop.watch(output, for: .reading) { [unowned self] _ in pump() }
    }
    if let errors = child.errorDescriptor {
      errorWatch = try loop.watch(errors, for: .reading) { [unowned self] _ in readErrors() }
    }
    isRunning = true
    session.addObserver(self, of: [.sent, .stateChange])
    subscription = hub.subscribe(
      as: surroundings.isAlone ? .owner : .view, whenFull: .wait
    ) { [unowned self] bytes in
      receivedCount += bytes.count
      if surroundings.isAlone { keep(bytes) }
      toChild?.write(bytes)
      if toChild?.isCrowded == true { subscription?.update(isFull: true) }
    }
  }

  private func keep(_ bytes: UnsafeRawBufferPointer) {
    recent += bytes
    if recent.count > 2 * Self.recentCapacity {
      recent.removeFirst(recent.count - Self.recentCapacity)
    }
  }

  /// The number of bytes of its output that can be read and were not.
  var unreadOutputCount: Int { child?.outputDescriptor?.availableByteCount ?? 0 }

  /// Lets its errors go on that were held up.
  func goOn() {
    // Fails only if memory is short; the next call tries again.
    _ = try? errorWatch?.setInterest(.reading)
  }

  // MARK: To the device

  func session(_ session: Session, didSend bytes: RawSpan, by author: Author) {
    wantMore()
    endIfSent()
  }

  /// The number of bytes that may be read ahead of the driver.
  private var room: Int { max(0, buffer.count - session.queuedByteCount) }

  private func updateInterest() {
    // Fails only if memory is short; the next event tries again.
    _ = try? outputWatch?.setInterest(room > 0 ? .reading : [])
  }

  /// Waits for output of the command. After its end, the rest is read without waiting: a child of the
  /// command may keep the pipe open, so there would be no end-of-file event.
  private func wantMore() {
    guard child?.knownStatus != nil else { return updateInterest() }
    timer = loop.schedule(after: .zero) { [unowned self] in pump() }
  }

  /// Sends the command's output to the device, at the device's pace.
  private func pump() {
    guard isRunning, !hasAllOutput, !isLeaving, let child, let output = child.outputDescriptor
    else {
      return
    }
    let room = room
    guard room > 0 else { return updateInterest() }
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])
    switch (try? output.readAvailable(into: piece)) ?? .endOfFile {
    case .bytes(let count):
      let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count]).bytes
      // Counted first: if the device is gone, the write ends it. There is room.
      writtenCount += count
      _ = try? session.write(bytes, by: author)
      wantMore()
    case .wouldBlock:
      if child.knownStatus != nil { outputEnded() }
    case .endOfFile:
      outputWatch?.cancel()
      outputWatch = nil
      if child.knownStatus != nil { outputEnded() }
    }
  }

  private func outputEnded() {
    hasAllOutput = true
    endIfSent()
  }

  private func endIfSent() {
    guard hasAllOutput, let status = child?.knownStatus, queuedCount == 0 else { return }
    end(.ended(status))
  }

  private var queuedCount: Int { session.queuedByteCount(by: author) }

  // MARK: Its errors

  /// How much of the errors is shown at once: some screens.
  private static let errorPiece = 4_096

  private func readErrors() {
    guard let errors = child?.errorDescriptor else { return }
    // What is shown is never dropped, so a command that prints without end must wait.
    guard !isHeldUp() else {
      _ = try? errorWatch?.setInterest([])
      return
    }
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Self.errorPiece])
    switch (try? errors.readAvailable(into: piece)) ?? .endOfFile {
    case .bytes(let count):
      let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
      for line in errorLines.take(bytes, at: loop.now) { onErrorLine(line) }
    case .wouldBlock: break
    case .endOfFile:
      errorWatch?.cancel()
      errorWatch = nil
    }
  }

  /// Shows the rest: as much as a pipe holds. A user who has stopped the command does not want all of it.
  private func finishErrors() {
    guard let errors = child?.errorDescriptor else { return }
    let limit = isInterrupted ? 1 : 65_536
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Self.errorPiece])
    var count = 0
    while count < limit, case .bytes(let number)? = try? errors.readAvailable(into: piece) {
      count += number
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<number])
      for line in errorLines.take(bytes, at: loop.now) { onErrorLine(line) }
    }
    for line in errorLines.flush() { onErrorLine(line) }
  }

  // MARK: The end

  private func childEnded() {
    guard isRunning else { return }
    interruptTimer = nil
    if isInterrupted { waitForDevice() }
    wantMore()
  }

  /// What an interrupted command has written, such as the end of a transfer, may still reach the device, but
  /// the user does not wait for it.
  private func waitForDevice() {
    interruptTimer = loop.schedule(after: Self.interruptPatience) { [unowned self] in
      if let status = child?.knownStatus { end(.ended(status)) }
    }
  }

  /// Interrupts it; the second time kills it. The user has the pen again at once then.
  func stop() {
    guard isRunning, let child else { return }
    if let status = child.knownStatus { return end(.ended(status)) }
    if isInterrupted {
      child.end(SIGKILL)
      return end(.killed)
    }
    isInterrupted = true
    child.end(SIGINT)
    interruptTimer = loop.schedule(after: Self.interruptPatience) { [unowned self] in
      onInterruptIgnored()
    }
  }

  func leave() {
    isLeaving = true
    child?.end(SIGHUP)
  }

  func cutOff(discarding discarded: inout UnsentBytes) {
    guard isRunning else { return }
    child?.end(SIGHUP)
    writtenCount -= min(discarded[author], writtenCount)
    end(.cutOff)
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    guard !new.isOpen else { return }
    // After the owner of the session, who counts what was not sent.
    loop.atEndOfTurn { [weak self] in
      var nothing = UnsentBytes()
      if let self, !session.state.isOpen { cutOff(discarding: &nothing) }
    }
  }

  private func end(_ reason: Outcome.Reason) {
    isRunning = false
    session.removeObserver(self)
    finishErrors()
    let unreadCount = (toChild?.untakenCount ?? 0) + (child?.unreadCount ?? 0)
    let unsentCount = reason == .cutOff ? 0 : session.discardQueued(by: author)
    outputWatch?.cancel()
    errorWatch?.cancel()
    (pen, subscription, outputWatch, errorWatch) = (nil, nil, nil, nil)
    (timer, interruptTimer) = (nil, nil)
    toChild = nil
    child?.closeInput()
    // What the user has stopped was the middle of something.
    let returned = isInterrupted || reason == .cutOff ? [] : recent.suffix(unreadCount)
    onEnd(
      Outcome(
        reason: reason, receivedCount: receivedCount, sentCount: writtenCount - unsentCount,
        unreadCount: unreadCount, returnedCount: returned.count, unsentCount: unsentCount))
    returned.withUnsafeBytes { hub.giveBack($0) }
  }
}
