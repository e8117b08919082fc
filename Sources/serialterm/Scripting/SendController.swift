import EventLoop
import Posix
import Scripting
import SerialCore
import SessionKit
import SystemPackage

/// Sends bytes, and waits for the answer.
final class SendController {
  var configuration: SendConfiguration
  private let unattended: UnattendedSession
  private let text: ReceivedTextWatch
  private var tail = ReceivedTail()
  private var step = Step.prompt
  private var pump: InputPump?
  private var drain: Drain?
  /// The match of the expectation. Nothing that comes after it is printed.
  private var answer: ReceivedText.Match?
  private var timer: LoopTimer?
  private var standstill: StandstillWatch?

  private var session: Session { unattended.session }
  private var loop: IOLoop { unattended.loop }

  /// The present phase.
  private enum Step {
    case prompt, sending, answer
  }

  init(_ configuration: SendConfiguration, _ unattended: UnattendedSession) {
    self.configuration = configuration
    self.unattended = unattended
    text = ReceivedTextWatch(on: unattended.loop)
  }

  /// Runs until everything is done.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus {
    text.onMatch = { [unowned self] in met($0) }
    text.onPassed = { [unowned self] in show($0) }
    unattended.onReceived = { [unowned self] in
      tail.add($0)
      text.add($0)
    }
    unattended.onLost = { [unowned self] in text.flush() }
    unattended.onReady = { [unowned self] in
      if let warning = configuration.warning { unattended.console.say(warning) }
      guard let prompt = configuration.prompt else { return send() }
      text.expressions = [prompt]
      startTimer()
    }
    return try unattended.run()
  }

  private func met(_ match: ReceivedText.Match) {
    text.expressions = []
    timer = nil
    switch step {
    case .prompt: send()
    case .sending: answer = match
    case .answer:
      answer = match
      finish(with: match)
    }
  }

  // MARK: Sending

  /// Without an expected answer there is no time limit, as for a pipe.
  private func send() {
    // Text that arrived before is not the answer.
    text.clear()
    step = .sending
    if let expectation = configuration.expectation {
      text.expressions = [expectation]
      standstill = StandstillWatch(session, on: loop, limit: configuration.timeout) {
        [unowned self] in
        timeIsUp()
      }
    }
    switch configuration.source {
    case .bytes(let bytes):
      let isTaken = bytes.withUnsafeBytes { (try? session.write($0.bytes)) != nil }
      // There is room for any argument. If the device is gone, the session ends.
      if isTaken { allIsQueued() }
    case .file(let path): sendFile(path)
    case .standardInput: sendInput()
    }
  }

  private func sendFile(_ path: FilePath) {
    do {
      let transfer = try FileTransfer(of: path, to: session, on: loop)
      transfer.onEnd = { [unowned self, unowned transfer] in transferEnded(transfer, $0) }
      unattended.transfer = transfer
      try transfer.begin()
    } catch let error as SerialError {
      unattended.finish(.failure(Failure(error)))
    } catch {
      unattended.finish(.failure((error as? Failure) ?? Failure(.otherFailure, "\(error).")))
    }
  }

  private func transferEnded(_ transfer: FileTransfer, _ end: PlainFile.End) {
    unattended.fileEnded(transfer, end)
    switch end {
    case .done: allIsQueued()
    case .unreadable: unattended.finish(.success(.transferFailed))
    // The session is ending and reports why.
    case .cutOff, .stopped: break
    }
  }

  private func sendInput() {
    let pump = InputPump(to: session, isTerminal: false, isReadOnly: false)
    pump.onEnd = { [unowned self] error in
      if let error { fail("standard input: \(error).") } else { allIsQueued() }
    }
    self.pump = pump
    unattended.unreadInputCount = { [unowned pump] in pump.unreadCount }
    do {
      try pump.start(on: loop)
    } catch {
      fail("standard input: \(error).")
    }
  }

  private func allIsQueued() {
    drain = Drain(session, on: loop, patience: nil) { [unowned self] in allIsSent() }
  }

  private func allIsSent() {
    step = .answer
    standstill = nil
    guard configuration.expectation != nil else { return unattended.finish(.success(.done)) }
    if let answer { return finish(with: answer) }
    startTimer()
  }

  // MARK: Waiting

  /// Starts the time limit of the device.
  private func startTimer() {
    timer = loop.schedule(after: configuration.timeout) { [unowned self] in timeIsUp() }
  }

  private func timeIsUp() {
    // Received text that was not searched yet is searched, and shown in any case.
    let awaited = step
    text.flush()
    guard step == awaited else { return }
    let time = configuration.timeout.inSeconds
    let failure =
      switch step {
      case .prompt: "timed out after \(time) s waiting for the prompt."
      case .sending: unattended.standstill("within \(time) s")
      case .answer: "timed out after \(time) s waiting for the answer."
      }
    unattended.finish(.failure(Failure(.timedOut, tail.message(failure))))
  }

  // MARK: Ending

  private func show(_ bytes: UnsafeRawBufferPointer) {
    guard step != .prompt, answer == nil, configuration.expectation != nil,
      configuration.printedGroup == nil
    else { return }
    unattended.show(bytes)
  }

  private func finish(with match: ReceivedText.Match) {
    if let group = configuration.printedGroup {
      ((match.captures[group] ?? []) + [0x0A]).withUnsafeBytes { unattended.show($0) }
    }
    unattended.finish(.success(.done))
  }

  private func fail(_ message: String) {
    unattended.finish(.failure(Failure(.otherFailure, message)))
  }
}
