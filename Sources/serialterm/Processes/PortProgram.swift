import EventLoop
import Glibc
import Observing
import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal

/// A shell command whose standard input and output are the port, for `--exec` and in a session.
///
/// It has the pen while it runs. While the command does not read, the device waits if it can. While
/// the device takes nothing, the command waits.
final class PortProgram: RunningExchange {
  /// How the command ended.
  struct Outcome {
    enum Reason: Hashable {
      case ended(ExitStatus)
      /// The user did not wait for its end any longer.
      case killed
      /// The port is gone, or the session ends.
      case cutOff
    }

    let reason: Reason
    /// The number of the device's bytes that were passed to the command.
    let receivedCount: Int
    /// The number of its bytes that the driver has taken.
    let sentCount: Int
    /// The number of bytes that were passed to the command and that it did not read.
    let unreadCount: Int
    /// How many of the unread bytes are now passed to the views. These are the last ones.
    let returnedCount: Int
    /// The number of its bytes that were discarded because the user stopped it.
    let unsentCount: Int
  }

  /// The other receivers of the device's bytes, and the destination of the command's errors.
  struct Surroundings {
    /// Whether the views get no bytes of the device meanwhile. The logs always get them.
    let isAlone: Bool
    let errors: PipedChild.Plan.Errors
    let leads: ChildProcess.Leading

    /// Instead of a session: `--exec`.
    static let program = Surroundings(isAlone: false, errors: .inherited, leads: .nothing)
    /// In a session with a user.
    static let session = Surroundings(isAlone: true, errors: .piped, leads: .session)
  }

  /// What happens while it runs.
  enum Event {
    /// A line of its standard error, if that is piped.
    case errorLine(String)
    /// It still runs a while after it was interrupted.
    case interruptIgnored
    /// It has ended, and the pen was released. This is the last event. Afterwards the views get the
    /// unread bytes. The program then lives to the end of the turn.
    case ended(Outcome)
  }

  private let command: String
  private let author: Author
  private let surroundings: Surroundings
  private let session: Session
  private var observations: [ObservationToken<SessionEvent>] = []
  private let hub: Hub
  private let loop: IOLoop
  private let isHeldUp: () -> Bool
  private let onEvent: (Event) -> Void
  private var child: PipedChild?
  private var toChild: OutputChannel?
  private var inputEvents: ObservationToken<OutputChannel.Event>?
  private var pen: Session.Pen?
  private var subscription: Hub.Subscription?
  private var outputWatch: DescriptorWatch?
  private var errorWatch: DescriptorWatch?
  private var timer: LoopTimer?
  private var interruptTimer: LoopTimer?
  private var errorLines = ErrorLines()
  private var isRunning = false
  private var hasAllOutput = false
  /// Whether the session is about to end. If so, nothing more is sent.
  private var isLeaving = false
  private var isInterrupted = false
  private var writtenCount = 0
  private var receivedCount = 0
  /// The bytes that were passed to it most recently, and that it may not have read.
  private var recent: [UInt8] = []
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  /// A capacity in bytes that is larger than a pipe and the channel to it together.
  private static let recentCapacity = 262_144
  /// The time that a command may continue after an interrupt, and that the device has to take the
  /// bytes that it sent before.
  private static let interruptPatience = Duration.seconds(1)

  /// - Parameters:
  ///   - author: the author of what the command sends.
  ///   - isHeldUp: returns whether its standard error must wait until ``resume()`` is called.
  ///   - onEvent: called with each event.
  init(
    _ command: String, by author: Author, in surroundings: Surroundings,
    on controller: SessionController, loop: IOLoop,
    isHeldUp: @escaping () -> Bool = { false }, onEvent: @escaping (Event) -> Void
  ) {
    self.command = command
    self.author = author
    self.surroundings = surroundings
    session = controller.session
    hub = controller.hub
    self.loop = loop
    self.isHeldUp = isHeldUp
    self.onEvent = onEvent
  }

  deinit {
    outputWatch?.cancel()
    errorWatch?.cancel()
    buffer.deallocate()
  }

  /// Starts the command.
  ///
  /// - Throws: ``Failure`` if the port is not open, another author has the pen, or there is no room
  ///   for a process.
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
      inputEvents = channel.events.observe { [unowned self] in
        switch $0 {
        // A command that no longer reads may still write.
        case .room, .gone: subscription?.update(isFull: false)
        case .drained: break
        }
      }
      toChild = channel
    }
    if let output = child.outputDescriptor {
      outputWatch = try loop.watch(output, for: .reading) { [unowned self] _ in pump() }
    }
    if let errors = child.errorDescriptor {
      errorWatch = try loop.watch(errors, for: .reading) { [unowned self] _ in readErrors() }
    }
    isRunning = true
    observations = [
      session.observe(.sent) { [unowned self] _ in didSend() },
      session.observe(.stateChange) { [unowned self] in if !$0.new.isOpen { portDidClose() } },
    ]
    subscription = hub.subscribe(
      as: surroundings.isAlone ? .owner : .view, whenFull: .wait
    ) { [unowned self] bytes, _ in
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

  /// The number of bytes of its output that are available and were not read.
  var unreadOutputCount: Int { child?.outputDescriptor?.availableByteCount ?? 0 }

  /// Resumes reading its standard error.
  func resume() {
    errorWatch?.setInterest(.reading)
  }

  // MARK: To the device

  private func didSend() {
    wantMore()
    endIfSent()
  }

  /// The number of bytes that may be read from the command before the driver takes them.
  private var room: Int { max(0, buffer.count - session.queuedByteCount) }

  private func updateInterest() {
    outputWatch?.setInterest(room > 0 ? .reading : [])
  }

  /// Waits for output of the command. After the command's end, the remaining output is read without
  /// waiting: a child of the command may keep the pipe open, so there may be no end-of-file event.
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
      // Counted before the write, which ends the command if the device is gone. There is room.
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

  // MARK: Standard error

  /// The number of bytes of standard error that are shown at once: a few screens.
  private static let errorPiece = 4_096

  private func readErrors() {
    guard let errors = child?.errorDescriptor else { return }
    // Output that is shown is never dropped, so a command that prints without end must wait.
    guard !isHeldUp() else {
      errorWatch?.setInterest([])
      return
    }
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Self.errorPiece])
    switch (try? errors.readAvailable(into: piece)) ?? .endOfFile {
    case .bytes(let count):
      let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
      for line in errorLines.receive(bytes, at: loop.now) { onEvent(.errorLine(line)) }
    case .wouldBlock: break
    case .endOfFile:
      errorWatch?.cancel()
      errorWatch = nil
    }
  }

  /// Shows the remaining errors, at most the contents of a pipe. A user who has stopped the command
  /// does not want all.
  private func finishErrors() {
    guard let errors = child?.errorDescriptor else { return }
    let limit = isInterrupted ? 1 : 65_536
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Self.errorPiece])
    var count = 0
    while count < limit, case .bytes(let number)? = try? errors.readAvailable(into: piece) {
      count += number
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<number])
      for line in errorLines.receive(bytes, at: loop.now) { onEvent(.errorLine(line)) }
    }
    for line in errorLines.flush() { onEvent(.errorLine(line)) }
  }

  // MARK: The end

  private func childEnded() {
    guard isRunning else { return }
    interruptTimer = nil
    if isInterrupted { waitForDevice() }
    wantMore()
  }

  /// Gives the last output of an interrupted command, such as the end of a transfer, some time to
  /// reach the device. The user need not wait for it.
  private func waitForDevice() {
    interruptTimer = loop.schedule(after: Self.interruptPatience) { [unowned self] in
      if let status = child?.knownStatus { end(.ended(status)) }
    }
  }

  /// Interrupts the command. The second call kills it, and the user gets the pen again immediately.
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
      onEvent(.interruptIgnored)
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

  private func portDidClose() {
    // Runs after the owner of the session, which counts unsent bytes.
    loop.atEndOfTurn { [weak self] in
      var nothing = UnsentBytes()
      if let self, !session.state.isOpen { cutOff(discarding: &nothing) }
    }
  }

  private func end(_ reason: Outcome.Reason) {
    isRunning = false
    observations = []
    finishErrors()
    let unreadCount = (toChild?.unwrittenCount ?? 0) + (child?.unreadCount ?? 0)
    let unsentCount = reason == .cutOff ? 0 : session.discardQueued(by: author)
    outputWatch?.cancel()
    errorWatch?.cancel()
    (pen, subscription, outputWatch, errorWatch) = (nil, nil, nil, nil)
    (timer, interruptTimer) = (nil, nil)
    toChild = nil
    child?.closeInput()
    // After an interrupt, unread bytes are the middle of something, and not shown.
    let returned = isInterrupted || reason == .cutOff ? [] : recent.suffix(unreadCount)
    // The owner releases it now.
    loop.atEndOfTurn { _ = self }
    onEvent(
      .ended(
        Outcome(
          reason: reason, receivedCount: receivedCount, sentCount: writtenCount - unsentCount,
          unreadCount: unreadCount, returnedCount: returned.count, unsentCount: unsentCount)))
    returned.withUnsafeBytes { hub.passUnused($0) }
  }
}
