import Encodings
import EventLoop
import Framing
import Glibc
import Observing
import Patterns
import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal

/// A controller of `send`.
protocol SendingController: AnyObject {
  /// The configuration. A profile may change it before the port is open.
  var configuration: SendConfiguration { get set }
  /// Runs the exchange to its end.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus
}

/// Sends bytes and waits for the answer: runs the exchange and prints the result.
final class SendController: SendingController, InputSender {
  var configuration: SendConfiguration
  private let frontEnd: HeadlessInterface
  private var tail = ReceivedTail()
  /// The bytes that were received before the exchange begins.
  private var early = EarlyBytes()
  private var runner: ExchangeRunner<SendAndExpect>?
  private var reception: Hub.Subscription?
  private var events: ObservationToken<HeadlessInterface.Event>?

  /// Standard input as a source.
  private final class Input: ExchangeSource {
    private let file = StandardFile(.standardInput, O_RDONLY)
    var descriptor: FileDescriptor { file.descriptor }
    var isUsable: Bool { file.isUsable }

    func read(atMost limit: Int) throws(Errno) -> SourceOutcome {
      do throws(Errno) {
        return try descriptor.readPiece(atMost: limit)
      } catch .ioError where file.isMaster {
        return .end
      }
    }
  }

  /// Standard input, if that is sent.
  private var input: Input?

  init(_ configuration: SendConfiguration, _ frontEnd: HeadlessInterface) {
    self.configuration = configuration
    self.frontEnd = frontEnd
  }

  func run() throws -> ExitStatus {
    // Before the exchange, whose report has the last bytes.
    reception = frontEnd.hub.subscribe(as: .listener) { [unowned self] bytes, _ in
      tail.encoding = configuration.encoding
      tail.add(bytes)
      if runner == nil { early.add(bytes) }
    }
    events = frontEnd.events.observe { [unowned self] in
      // A device that is gone after its answer, or because of the text, is no failure.
      if $0 == .lost, runner?.exchange.isLingering == true { frontEnd.finish(.success(.done)) }
      guard $0 == .ready else { return }
      if let warning = configuration.warning { frontEnd.console.say(warning) }
      do throws(Failure) {
        try begin()
      } catch {
        frontEnd.finish(.failure(error))
      }
    }
    return try frontEnd.run()
  }

  private func begin() throws(Failure) {
    let (content, source) = try content()
    let exchange = SendAndExpect(
      content, after: configuration.prompt, expecting: configuration.expectation,
      failingOn: configuration.failure, within: configuration.timeout,
      lingering: configuration.source.isText || configuration.failure != nil
        ? Linger(configuration.linger) : nil,
      mayBeEchoed: configuration.frameForm == nil, in: configuration.encoding)
    let runner = ExchangeRunner(
      exchange, on: frontEnd.session, ownedBy: frontEnd.controller.sending,
      receivingFrom: frontEnd.hub, framedBy: configuration.frameForm,
      decodedFrom: configuration.encoding, loop: frontEnd.loop, source: source,
      onFrame: { [unowned self] in
        let isText = configuration.frameForm?.isText == true
        tail.add($0, isText: isText)
        if configuration.printsFrames, self.runner?.exchange.phase != .prompt {
          frontEnd.show($0, isText: isText)
        }
      },
      onReport: { [unowned self] in handleReport($0) },
      onEnd: { [unowned self] in ended($0) })
    self.runner = runner
    do throws(SerialError) { try runner.begin(afterReceiving: early.bytes) } catch {
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
      guard input.isUsable else { throw Failure(inputFailed: .badFileDescriptor) }
      self.input = input
      frontEnd.inputSender = self
      return (.source(PlainFile("standard input", size: 0, by: .pipe)), input)
    }
  }

  /// Before the prompt has come, nothing of the input was needed.
  var unreadInputCount: Int {
    guard let input, runner?.exchange.phase != .prompt else { return 0 }
    return input.descriptor.availableByteCount
  }

  // MARK: Results

  private func handleReport(_ report: SendAndExpect.Report) {
    switch report {
    case .answer(let bytes):
      if configuration.printedGroup == nil, !configuration.printsFrames {
        bytes.withUnsafeBytes { frontEnd.show($0) }
      }
    case .matchedTooEarly: frontEnd.console.say(Self.earlyMatch(of: configuration.source))
    case .failed(let match):
      let message = configuration.failure.map { match.failureMessage($0) } ?? ""
      frontEnd.finish(.failure(Failure(.otherFailure, tail.message(message))))
    case .timedOut(let phase):
      let message = configuration.timeoutMessage(phase, at: frontEnd.port)
      frontEnd.finish(.failure(Failure(.timedOut, tail.message(message))))
    }
  }

  private static func earlyMatch(of source: SendConfiguration.Source) -> String {
    let what =
      if source.isText {
        "before the device echoed TEXT: it is text from before the command, or the echo itself"
      } else {
        "before the file was sent"
      }
    return """
      warning: the match of --expect came \(what). --prompt REGEX waits for the device's prompt \
      before anything is sent.
      """
  }

  private func ended(_ end: SendAndExpect.End) {
    // For a file, its progress is reported.
    let file = runner.flatMap { $0.exchange.reportsUnsent ? $0.exchange.file : nil }
    switch end {
    case .done(let match):
      if let group = configuration.printedGroup, let match {
        match.line(ofGroup: group).withUnsafeBytes { frontEnd.show($0) }
      }
      frontEnd.finish(.success(.done))
    case .unreadable(let error):
      guard let file else { return frontEnd.finish(.failure(Failure(inputFailed: error))) }
      frontEnd.report(file, .unreadable(error))
      frontEnd.finish(.success(.transferFailed))
    case .refused(let error): frontEnd.finish(.failure(Failure(error)))
    // The session is already ending, and reports the reason.
    case .cutOff: if let file { frontEnd.report(file, .cutOff) }
    }
  }
}

/// Configuration of `send`.
struct SendConfiguration {
  /// The source of the bytes.
  enum Source {
    case bytes([UInt8])
    case file(FilePath)
    case standardInput

    /// Whether it is TEXT, and not a file or standard input.
    var isText: Bool { if case .bytes = self { true } else { false } }
  }

  let source: Source
  /// The encoding of the device's text, in which the prompt and the answer are searched.
  let encoding: Encoding
  /// A warning about the source; nil for none.
  let warning: String?
  /// The prompt to wait for before sending; nil for none.
  let prompt: ExpectedPattern?
  /// The expected answer; nil for none.
  let expectation: ExpectedPattern?
  /// The text that means a failure; nil for none.
  let failure: ExpectedPattern?
  /// The form of frames in which the prompt and the answer are searched; nil for text.
  let frameForm: ChosenFrameForm?
  /// The time limit for the prompt and for the answer. While sending with an expected answer, it is
  /// the time limit without progress; without one, for the answer that paced sending waits for.
  let timeout: Duration
  /// The silence after which an answer that is not known has ended; 0 to wait for none.
  let linger: Duration
  /// The group to print instead of all received bytes; 0 is the whole match.
  let printedGroup: Int?
  /// When the bytes are sent again; nil to send them once.
  let repetition: Repetition?

  /// Whether all received frames are printed, because no answer is expected.
  var printsFrames: Bool { expectation == nil && frameForm != nil && source.isText }

  /// When bytes are sent repeatedly.
  struct Repetition {
    let interval: Duration
    /// The number of times; nil for no end.
    let count: Int64?
  }

  /// The message when something takes longer than the timeout.
  func timeoutMessage(_ phase: SendAndExpect.Phase, at port: Port) -> String {
    let time = timeout.inSeconds
    return switch phase {
    case .prompt: "timed out after \(time) s waiting for the prompt."
    case .sending: port.standstill("within \(time) s", namesLine: true) + "."
    case .answer: "timed out after \(time) s waiting for the answer."
    }
  }
}

extension ReceivedText.Match {
  /// A captured group, and a line end; 0 is the whole match.
  func line(ofGroup group: Int) -> [UInt8] { (captures[group] ?? []) + [UInt8(ascii: "\n")] }
}
