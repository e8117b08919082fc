import EventLoop
import Glibc
import Posix
import SerialCore
import SessionKit
import SystemPackage
import TerminalFrontEnd

/// Connects a command's standard input and output to the port, until the command ends.
final class ExecController: SessionObserver {
  private let command: String
  private let frontEnd: HeadlessInterface
  private var child: PipedChild?
  private var toChild: OutputChannel?
  private var watch: DescriptorWatch?
  private var signals: SignalWatch?
  /// Gets what the device sends. The device waits while the command does not read.
  private var subscription: Hub.Subscription?
  private var drain: Drain?
  private var timer: LoopTimer?
  private var status: ExitStatus?
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  private var session: Session { frontEnd.session }
  private var loop: IOLoop { frontEnd.loop }

  init(_ command: String, _ frontEnd: HeadlessInterface) {
    self.command = command
    self.frontEnd = frontEnd
  }

  deinit { buffer.deallocate() }

  /// Runs the command; the exit status is the command's.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus {
    frontEnd.onReady = { [unowned self] in
      do throws(Errno) {
        try start()
      } catch {
        frontEnd.finish(.failure(Failure(.otherFailure, "the command cannot be run: \(error).")))
      }
    }
    // A signal to this process, or the loss of the device, ends the command too.
    defer { child?.end(SIGHUP) }
    return try frontEnd.run()
  }

  private func start() throws(Errno) {
    signal(SIGCHLD, SIG_DFL)
    signals = try loop.watchSignals([SIGCHLD]) { [unowned self] _ in pump() }
    let child = try PipedChild(command)
    self.child = child
    if let input = child.inputDescriptor {
      let channel = try OutputChannel(input, on: loop, whenFull: .pushBack)
      channel.onRoom = { [unowned self] in subscription?.update(isFull: false) }
      // A command that no longer reads may still write.
      channel.onGone = { [unowned self] _ in subscription?.update(isFull: false) }
      toChild = channel
    }
    frontEnd.unreadInputCount = { [unowned child] in child.output.borrowed.availableByteCount }
    watch = try loop.watch(child.output.borrowed, for: .reading) { [unowned self] _ in pump() }
    session.addObserver(self, of: .sent)
    subscription = frontEnd.hub.subscribe(as: .view, whenFull: .wait) { [unowned self] bytes in
      toChild?.write(bytes)
      if toChild?.isCrowded == true { subscription?.update(isFull: true) }
    }
  }

  func session(_ session: Session, didSend bytes: RawSpan, by author: Author) { wantMore() }

  /// The number of bytes that may be read ahead of the driver.
  private var room: Int { max(0, buffer.count - session.queuedByteCount) }

  private func updateInterest() {
    // Fails only if memory is short; the next event tries again.
    _ = try? watch?.setInterest(room > 0 ? .reading : [])
  }

  /// Waits for output of the command. After its end, the rest is read without waiting: a child of the
  /// command may keep the pipe open, so there would be no end-of-file event.
  private func wantMore() {
    guard status != nil else { return updateInterest() }
    timer = loop.schedule(after: .zero) { [unowned self] in pump() }
  }

  /// Sends the command's output to the device, at the device's pace.
  private func pump() {
    guard let child, drain == nil else { return }
    if status == nil { status = child.status() }
    let room = room
    guard room > 0 else { return updateInterest() }
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])
    switch (try? child.output.borrowed.readAvailable(into: piece)) ?? .endOfFile {
    case .bytes(let count):
      let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count]).bytes
      // There is room. If the device is gone, the session ends.
      _ = try? session.write(bytes)
      wantMore()
    case .wouldBlock:
      if status != nil { finish() }
    case .endOfFile:
      watch?.cancel()
      watch = nil
      if status != nil { finish() }
    }
  }

  /// Ends the session when the driver has sent the command's output.
  private func finish() {
    drain = Drain(session, on: loop, patience: nil) { [unowned self] in
      // Only .done lets gaps in the log and a running line sequence affect the exit status.
      frontEnd.finish(.success(status == .command(0) ? .done : status ?? .done))
    }
  }
}
