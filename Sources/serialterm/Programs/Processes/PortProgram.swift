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
  private let controller: SessionController
  private let loop: IOLoop
  private let isHeldUp: () -> Bool
  private let onEvent: (Event) -> Void
  private var child: PipedChild?
  /// Nil before it runs, and after its end.
  private var run: Run?
  private var errorLines = ErrorLines()
  /// Whether the session is about to end. If so, nothing more is sent.
  private var isLeaving = false
  private var writtenCount = 0
  private var receivedCount = 0
  /// The bytes that were passed to it most recently, and that it may not have read.
  private var recent: [UInt8] = []

  /// What it has while it runs.
  private struct Run {
    let pen: Session.Pen
    let input: (channel: OutputChannel, events: ObservationToken<OutputChannel.Event>)?
    var observations: [ObservationToken<SessionEvent>]
    var subscription: Hub.Subscription?
    /// The time that it has after an interrupt, and after its end what it sent before; nil if it
    /// was not interrupted.
    var patience: LoopTimer?
    /// Its status, when all of its output was read.
    var status: ExitStatus?
  }

  /// The number of bytes in the queue of the session from which on the command waits.
  private static let queueCapacity = 65_536
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
    self.controller = controller
    self.loop = loop
    self.isHeldUp = isHeldUp
    self.onEvent = onEvent
  }

  private var session: Session { controller.session }

  /// Starts the command.
  ///
  /// - Throws: ``Failure`` if the port is not open, another author has the pen, or there is no room
  ///   for a process.
  func begin() throws(Failure) {
    try controller.sending.run(self) { () throws(Failure) in try start() }
  }

  private func start() throws(Failure) {
    let pen: Session.Pen
    do throws(SerialError) {
      pen = try session.takePen(for: author)
    } catch {
      throw Failure(error)
    }
    do throws(Errno) {
      try start(with: pen)
    } catch {
      child?.end(SIGHUP)
      child = nil
      throw Failure(.otherFailure, "the command cannot be run: \(error).")
    }
  }

  private func start(with pen: Session.Pen) throws(Errno) {
    let child = try PipedChild(
      command, .init(errors: surroundings.errors, leads: surroundings.leads))
    self.child = child
    try child.follow(
      on: loop, outputRoom: { [unowned self] in outputRoom },
      // Output that is shown is never dropped, so a command that prints without end must wait.
      errorRoom: { [unowned self] in isHeldUp() ? 0 : PipeReader.piece }
    ) { [unowned self] in handle($0) }
    let channel = try child.inputDescriptor.map { (input) throws(Errno) in
      try OutputChannel(input, on: loop, whenFull: .pushBack)
    }
    run = Run(
      pen: pen,
      input: channel.map { channel in
        let events = channel.events.observe { [unowned self] in
          switch $0 {
          // A command that no longer reads may still write.
          case .room, .gone: run?.subscription?.update(isFull: false)
          case .drained: break
          }
        }
        return (channel, events)
      },
      observations: [
        session.observe(.sent) { [unowned self] _ in didSend() },
        session.observe(.stateChange) { [unowned self] in if !$0.new.isOpen { portDidClose() } },
      ])
    let subscription = controller.hub.subscribe(
      as: surroundings.isAlone ? .owner : .view, whenFull: .wait
    ) { [unowned self] bytes, _ in
      receivedCount += bytes.count
      if surroundings.isAlone { keep(bytes) }
      guard let run, let channel = run.input?.channel else { return }
      channel.write(bytes)
      if channel.isCrowded { run.subscription?.update(isFull: true) }
    }
    run?.subscription = subscription
  }

  private func keep(_ bytes: UnsafeRawBufferPointer) {
    recent += bytes
    if recent.count > 2 * Self.recentCapacity {
      recent.removeFirst(recent.count - Self.recentCapacity)
    }
  }

  /// The number of bytes of its output that are available and were not read.
  var unreadOutputCount: Int { child?.output?.descriptor.availableByteCount ?? 0 }

  /// Resumes reading its standard error.
  func resume() { child?.errors?.resume() }

  private func handle(_ event: PipedChild.Event) {
    switch event {
    case .output(let bytes): send(bytes)
    case .errors(let bytes):
      for line in errorLines.receive(bytes, at: loop.now) { onEvent(.errorLine(line)) }
    case .exited: if isInterrupted { waitForDevice() }
    case .ended(let end):
      run?.status = ExitStatus(end)
      endIfSent()
    case .outputClosed: break
    }
  }

  // MARK: To the device

  /// The number of bytes that may be read from the command before the driver takes them: its output
  /// is sent at the device's pace.
  private var outputRoom: Int {
    isLeaving ? 0 : max(0, Self.queueCapacity - session.queuedByteCount)
  }

  private func send(_ bytes: UnsafeRawBufferPointer) {
    // Counted before the write, which ends the command if the device is gone. There is room.
    writtenCount += bytes.count
    _ = try? session.write(bytes.bytes, by: author)
  }

  private func didSend() {
    child?.output?.resume()
    endIfSent()
  }

  private func endIfSent() {
    guard let status = run?.status, queuedCount == 0 else { return }
    end(.ended(status))
  }

  private var queuedCount: Int { session.queuedByteCount(by: author) }

  // MARK: The end

  private var isInterrupted: Bool { run?.patience != nil }

  /// Gives the last output of an interrupted command, such as the end of a transfer, some time to
  /// reach the device. The user need not wait for it.
  private func waitForDevice() {
    run?.patience = loop.schedule(after: Self.interruptPatience) { [unowned self] in
      if let exit = child?.exit { end(.ended(ExitStatus(exit))) }
    }
  }

  /// Interrupts the command. The second call kills it, and the user gets the pen again immediately.
  func stop() {
    guard run != nil, let child else { return }
    if let exit = child.exit { return end(.ended(ExitStatus(exit))) }
    if isInterrupted {
      child.end(SIGKILL)
      return end(.killed)
    }
    child.end(SIGINT)
    run?.patience = loop.schedule(after: Self.interruptPatience) { [unowned self] in
      onEvent(.interruptIgnored)
    }
  }

  func leave() {
    isLeaving = true
    child?.end(SIGHUP)
  }

  func cutOff(discarding discarded: inout UnsentBytes) {
    guard run != nil else { return }
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
    let wasInterrupted = isInterrupted
    var run = run.take()
    run?.observations = []
    // The rest of its errors. A user who has stopped it does not want all.
    child?.errors?.readRest(atMost: wasInterrupted ? 1 : PipeReader.capacity)
    for line in errorLines.flush() { onEvent(.errorLine(line)) }
    let unreadCount = (run?.input?.channel.unwrittenCount ?? 0) + (child?.unreadCount ?? 0)
    let unsentCount = reason == .cutOff ? 0 : session.discardQueued(by: author)
    // Releases the pen.
    run = nil
    child?.stop()
    // After an interrupt, unread bytes are the middle of something, and not shown.
    let returned = wasInterrupted || reason == .cutOff ? [] : recent.suffix(unreadCount)
    // The owner releases it now.
    loop.atEndOfTurn { _ = self }
    controller.sending.didEnd(self)
    onEvent(
      .ended(
        Outcome(
          reason: reason, receivedCount: receivedCount, sentCount: writtenCount - unsentCount,
          unreadCount: unreadCount, returnedCount: returned.count, unsentCount: unsentCount)))
    returned.withUnsafeBytes { controller.hub.passUnused($0) }
  }
}
