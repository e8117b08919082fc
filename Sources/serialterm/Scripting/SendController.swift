import EventLoop
import Glibc
import Posix
import Scripting
import SerialCore
import SessionKit
import SystemPackage

/// Sends bytes, and waits for the answer: runs the exchange, and prints what comes of it.
final class SendController {
  var configuration: SendConfiguration
  private let unattended: UnattendedSession
  private var tail = ReceivedTail()
  /// What was received before the exchange begins.
  private var early: [UInt8] = []
  private var runner: ExchangeRunner<SendAndExpect>?

  /// Standard input as a source.
  private final class Input: ExchangeSource {
    private let file = StandardFile(.standardInput, O_RDONLY)
    var descriptor: FileDescriptor { file.descriptor }

    func read(atMost limit: Int) throws(Errno) -> SourceOutcome {
      try descriptor.readPiece(atMost: limit)
    }
  }

  init(_ configuration: SendConfiguration, _ unattended: UnattendedSession) {
    self.configuration = configuration
    self.unattended = unattended
  }

  /// Runs until everything is done.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus {
    unattended.onReceived = { [unowned self] in
      tail.add($0)
      if runner == nil { early += $0 }
    }
    unattended.onReady = { [unowned self] in
      if let warning = configuration.warning { unattended.console.say(warning) }
      do throws(Failure) {
        try begin()
      } catch {
        unattended.finish(.failure(error))
      }
    }
    return try unattended.run()
  }

  private func begin() throws(Failure) {
    let (content, source) = try content()
    let exchange = SendAndExpect(
      content, after: configuration.prompt, expecting: configuration.expectation,
      within: configuration.timeout)
    let runner = ExchangeRunner(
      exchange, on: unattended.session, receivingFrom: unattended.hub, loop: unattended.loop,
      source: source)
    runner.onReport = { [unowned self] in hear($0) }
    runner.onEnd = { [unowned self] in ended($0) }
    self.runner = runner
    unattended.exchange = runner
    do throws(SerialError) { try runner.begin(afterReceiving: early) } catch {
      throw Failure(error)
    }
  }

  private func content() throws(Failure) -> (SendAndExpect.Content, (any ExchangeSource)?) {
    switch configuration.source {
    case .bytes(let bytes): return (.bytes(bytes), nil)
    case .file(let path):
      let source = try FileSource(ofUser: path)
      return (.source(PlainFile(path, source)), source)
    case .standardInput:
      let input = Input()
      unattended.unreadInputCount = { [unowned self] in
        runner?.exchange.phase == .prompt ? 0 : input.descriptor.availableByteCount
      }
      return (.source(PlainFile("standard input", size: 0, by: .pipe)), input)
    }
  }

  // MARK: What comes of it

  private func hear(_ report: SendAndExpect.Report) {
    switch report {
    case .answer(let bytes):
      if configuration.printedGroup == nil { bytes.withUnsafeBytes { unattended.show($0) } }
    case .timedOut(let phase):
      let time = configuration.timeout.inSeconds
      let message =
        switch phase {
        case .prompt: "timed out after \(time) s waiting for the prompt."
        case .sending: unattended.standstill("within \(time) s")
        case .answer: "timed out after \(time) s waiting for the answer."
        }
      unattended.finish(.failure(Failure(.timedOut, tail.message(message))))
    }
  }

  private func ended(_ end: SendAndExpect.End) {
    unattended.exchange = nil
    // Of a file, how far it got is reported.
    let file = runner.flatMap { $0.exchange.reportsUnsent ? $0.exchange.file : nil }
    switch end {
    case .done(let match):
      if let group = configuration.printedGroup, let match {
        ((match.captures[group] ?? []) + [0x0A]).withUnsafeBytes { unattended.show($0) }
      }
      unattended.finish(.success(.done))
    case .unreadable(let error):
      guard let file else { return fail("standard input: \(error).") }
      unattended.report(file, .unreadable(error))
      unattended.finish(.success(.transferFailed))
    case .refused(let error): unattended.finish(.failure(Failure(error)))
    // The session is ending and reports why.
    case .cutOff: if let file { unattended.report(file, .cutOff) }
    }
  }

  private func fail(_ message: String) {
    unattended.finish(.failure(Failure(.otherFailure, message)))
  }
}
