import Dialogues
import Encodings
import EventLoop
import Framing
import Observing
import Patterns
import SerialCore
import Sessions
import Terminal
import TextTools
import TransferProtocols
import Time

/// Runs a script on an open port, for `serialterm run` and in a session. It runs the script's
/// exchange and line operations, and puts its steps and its end in words.
final class ScriptPlayer: RunningExchange {
  /// How a script ended.
  enum End {
    case done
    case failed(ScriptFailure)
    /// The user has stopped it. This number of its bytes was discarded.
    case stopped(unsentCount: Int)
    /// The port is gone, or the session ends.
    case cutOff
  }

  /// What happens while a script runs.
  enum Event {
    /// A step begins.
    case step(ScriptStep)
    /// A frame was received or sent, if there is a form of frames.
    case frame(Frame)
    /// Received bytes were searched.
    case received([UInt8])
    /// The expression of the present step, a repetition, has matched.
    case roundMatched
    /// The present step has timed out, and a `try` block of the script handles that. The message
    /// says what did not happen, and how many bytes were discarded, if any were.
    case timedOut(String, losesBytes: Bool)
    /// The script prints a line, with its end.
    case print([UInt8])
    /// A report about the file transfer of the present step.
    case transfer(TransferPlayer.Report)
    /// The script has ended, and the pen was released. This is the last event. The player then
    /// lives to the end of the turn.
    case ended(End)
  }

  /// The name of the script, for messages.
  let name: String
  /// The present step; nil before the first one.
  private(set) var step: ScriptStep?
  /// The last lines from the device.
  private(set) var tail = ReceivedTail()

  private let dialogue: Dialogue
  private let frameForm: ChosenFrameForm?
  private let port: Port
  private let loop: IOLoop
  private let isHeldUp: () -> Bool
  private let stopReason: () -> String?
  private let onEvent: (ScriptPlayer, Event) -> Void
  private var received: ObservationToken<SessionEvent>?
  private var subscription: Hub.Subscription?
  /// The bytes that were received before the script begins.
  private(set) var early = EarlyBytes()
  private var runner: ExchangeRunner<DialogueExchange>?
  private var timeout = Script.timeout
  /// The reason why the last line operation was not performed.
  private var refusal = ""
  private var refusalStatus = ExitStatus.otherFailure
  /// The file transfer of the present step.
  private var transfer: TransferPlayer?
  private var author = Author.script
  /// The number of withdrawn bytes that were reported.
  private var reportedCount = 0
  private var isStopped = false

  /// Prepares a script. Bytes received from now on belong to it.
  ///
  /// - Parameters:
  ///   - name: the name of the script, for messages.
  ///   - frameForm: the form of frames in whose lines the script's expressions are searched; nil
  ///     for text.
  ///   - isHeldUp: returns whether a script that prints must wait until ``resume()`` is called.
  ///   - stopReason: returns why the program ends a file transfer, as a phrase; nil if it does not.
  ///   - onEvent: called with this player and each event.
  init(
    _ dialogue: Dialogue, named name: String, framedBy frameForm: ChosenFrameForm?,
    on port: Port, loop: IOLoop,
    isHeldUp: @escaping () -> Bool, stopReason: @escaping () -> String? = { nil },
    onEvent: @escaping (ScriptPlayer, Event) -> Void
  ) {
    self.dialogue = dialogue
    self.name = name
    self.frameForm = frameForm
    self.port = port
    self.loop = loop
    self.isHeldUp = isHeldUp
    self.stopReason = stopReason
    self.onEvent = onEvent
    // A file transfer has the bytes for itself.
    received = port.session.observe(.received) { [unowned self] in
      tail.encoding = port.controller.encoding
      tail.add($0)
    }
    subscription = port.controller.hub.subscribe(as: .listener) { [unowned self] bytes, _ in
      if runner == nil { early.add(bytes) }
    }
  }

  /// Starts the script. It may end during the call.
  ///
  /// - Parameters:
  ///   - author: the author of what the script sends.
  ///   - timeout: the time limit of an expectation without one in the script.
  /// - Throws: ``ScriptFailure`` if the encoding of the device does not have a character that the
  ///   script sends, if the port is not open, or if another author has the pen.
  func begin(by author: Author = .script, timeout: Duration = Script.timeout) throws(ScriptFailure)
  {
    self.timeout = timeout
    self.author = author
    let encoding = port.controller.encoding
    try check(encoding)
    let writer = try writer(for: encoding)
    let runner = ExchangeRunner(
      DialogueExchange(
        dialogue, timeout: timeout, by: author, encodedBy: writer,
        receivesLines: frameForm != nil),
      on: port.session,
      receivingFrom: port.controller.hub, framedBy: frameForm,
      decodedFrom: encoding, loop: loop,
      perform: { [unowned self] operation, then in perform(operation, then: then) },
      isHeldUp: { [unowned self] in isHeldUp() },
      onFrame: { [unowned self] in
        tail.add($0, isText: frameForm?.isText == true)
        onEvent(self, .frame($0))
      },
      onReport: { [unowned self] in handleReport($0) },
      onEnd: { [unowned self] in ended($0) })
    self.runner = runner
    do throws(SerialError) {
      try port.controller.sending.run(self) { () throws(SerialError) in
        try runner.begin(afterReceiving: early.bytes)
      }
    } catch {
      throw failure(.otherFailure, Failure(error).message)
    }
    early = EarlyBytes()
  }

  /// Checks that the encoding has all characters that the script sends. Those of a match are
  /// checked when they are sent.
  private func check(_ encoding: Encoding) throws(ScriptFailure) {
    guard let writer = try writer(for: encoding) else { return }
    for (line, text) in dialogue.sentTexts {
      do throws(UnencodableText) {
        var bytes: [UInt8] = []
        try writer.encode(text, into: &bytes)
      } catch {
        throw ScriptFailure(
          status: .usage, isExpectation: false, place: "\(name):\(line)",
          message: "\(error)".sentence,
          details: "\(error)".sentence)
      }
    }
  }

  /// Converts what is sent, from the beginning of a stream; nil for UTF-8.
  private func writer(for encoding: Encoding) throws(ScriptFailure) -> EncodingWriter? {
    if encoding.isUTF8 { return nil }
    do throws(EncodingError) {
      return try EncodingWriter(encoding)
    } catch {
      throw failure(.otherFailure, "\(error)".sentence)
    }
  }

  /// The time when the script began; nil before.
  var start: MonotonicTime? { runner?.start }

  /// Resumes a script that was held up.
  func resume() { runner?.resume() }

  private func handleReport(_ report: DialogueExchange.Report) {
    switch report {
    case .step(let instruction):
      let step = ScriptStep(instruction)
      self.step = step
      onEvent(self, .step(step))
    case .received(let bytes): onEvent(self, .received(bytes))
    case .roundMatched: onEvent(self, .roundMatched)
    case .print(let bytes): onEvent(self, .print(bytes))
    case .timedOut(let end):
      guard let message = timeoutMessage(of: end) else { return }
      let count = takeUnsentCount()
      let loss = count > 0 ? " \(count.bytesWere) not sent." : ""
      // The message about a file that was not sent has its own count.
      let isFile = if case .unanswered = end { true } else { false }
      onEvent(self, .timedOut(message + loss, losesBytes: count > 0 || isFile))
    }
  }

  /// The number of withdrawn bytes that were not reported.
  private func takeUnsentCount() -> Int {
    let count = runner?.withdrawnCount ?? 0
    defer { reportedCount = count }
    return count - reportedCount
  }

  /// Performs an operation like the command of the palette.
  private func perform(
    _ operation: LineOperation, then: @escaping (LineOperation.Outcome) -> Void
  ) {
    refusalStatus = .otherFailure
    func call(_ done: @escaping () -> Void = {}) -> CommandCall {
      CommandCall(from: .script, at: port) { [weak self] outcome in
        done()
        self?.refusal = outcome.refusal ?? ""
        then(outcome.refusal == nil ? .done : .refused)
      }
    }
    switch operation {
    case .setLines(let asserting, let deasserting):
      Command.toggleLine.perform(
        LineChange(asserting: asserting, deasserting: deasserting), call())
    case .setBaudRate(let rate):
      SettingsChange(\.baudRate, to: rate).perform(
        call { [port] in port.narrator.warnOfDifferences(in: port.session) })
    case .sendBreak(let duration): Command.sendBreak.perform(duration, call())
    case .pulse(let line, let duration):
      Command.pulseLine.perform(LinePulse(line, for: duration), call())
    case .transfer(let files): perform(files, then: then)
    case .setBreak, .play: preconditionFailure("a script has no such step")
    }
  }

  private func perform(_ files: FileStep, then: @escaping (LineOperation.Outcome) -> Void) {
    do {
      let transfer = try TransferPlayer(
        TransferOrder(files), on: port, loop: loop, withPenOf: author, answerLimit: timeout,
        outlivesLoss: false, stopReason: stopReason,
        onReport: { [unowned self] in onEvent(self, .transfer($0)) },
        onEnd: { [unowned self] end in
          self.transfer = nil
          refusalStatus = .transferFailed
          switch end {
          case .done: then(.done)
          case .timedOut(let message):
            refusal = message
            then(.timedOut)
          case .failed(let message), .stopped(let message), .cutOff(let message):
            refusal = message
            then(.refused)
          }
        })
      self.transfer = transfer
      onEvent(self, .transfer(.status(transfer.status)))
      try transfer.begin()
    } catch {
      transfer = nil
      refusalStatus = .transferFailed
      refusal = (error as? Failure)?.message ?? "\(error)"
      then(.refused)
    }
  }

  // MARK: The end

  func stop() {
    isStopped = true
    if let transfer { transfer.stop() } else { runner?.stop() }
  }

  func leave() { if let transfer { transfer.leave() } else { runner?.leave() } }

  var takesLeave: Bool { transfer?.takesLeave ?? false }

  func cutOff(discarding discarded: inout UnsentBytes) {
    transfer?.cutOff(discarding: &discarded)
    runner?.cutOff(discarding: &discarded)
  }

  /// Ends the script, which first shows the remaining received bytes. The session counts
  /// the unsent bytes.
  func cutOff() {
    var nothing = UnsentBytes()
    cutOff(discarding: &nothing)
  }

  private func ended(_ end: DialogueExchange.End) {
    switch end {
    case .done: self.end(.done)
    case .timedOut, .unmatched, .unanswered, .standstill:
      fail(timedOut(timeoutMessage(of: end) ?? ""))
    case .refused where isStopped: self.end(.stopped(unsentCount: 0))
    case .refused: fail(failure(refusalStatus, refusal))
    case .sendFailed(let error): fail(failure(.otherFailure, Failure(error).message))
    case .unencodable(let error): fail(failure(.otherFailure, "\(error)."))
    case .failed(let reason):
      let reason = String(decoding: reason, as: UTF8.self).harmless
      fail(failure(.otherFailure, isExpectation: true, reason))
    case .cutOff:
      self.end(isStopped ? .stopped(unsentCount: takeUnsentCount()) : .cutOff)
    }
  }

  /// What did not happen in time; nil for an end that is no timeout.
  private func timeoutMessage(of end: DialogueExchange.End) -> String? {
    switch end {
    case .timedOut(let expressions, let limit):
      let names = expressions.map(\.description).joined(separator: " or ")
      return "timed out after \(limit.inSeconds) s waiting for \(names.harmless)."
    case .unmatched(let rounds):
      let time = (rounds.interval ?? timeout).inSeconds
      let name = rounds.expression?.description.harmless ?? ""
      return "timed out: \(name) did not come in \(rounds.count.counted("round")) of \(time) s."
    case .unanswered: return refusal
    // What is sent may be a password.
    case .standstill:
      return port.standstill("within \(timeout.inSeconds) s", namesLine: false) + "."
    case .done, .refused, .sendFailed, .unencodable, .failed, .cutOff: return nil
    }
  }

  private func fail(_ failure: ScriptFailure) { end(.failed(failure)) }

  private func end(_ end: End) {
    // The owner releases it now, and the runner is calling.
    loop.atEndOfTurn { _ = self }
    port.controller.sending.didEnd(self)
    onEvent(self, .ended(end))
  }

  /// A failure by a time limit, with the last lines from the device.
  func timedOut(_ message: String) -> ScriptFailure {
    failure(.timedOut, isExpectation: true, message, details: tail.message(message))
  }

  /// A failure by a text of the device.
  func failedOn(_ message: String) -> ScriptFailure {
    failure(.otherFailure, isExpectation: true, message, details: tail.message(message))
  }

  /// A message with the place of the present step.
  func named(_ message: String) -> String { "\(place): \(message)" }

  /// The name of the script, and the line of the present step.
  private var place: String { step.map { "\(name):\($0.line)" } ?? name }

  /// A failure in the present step.
  func failure(
    _ status: ExitStatus, isExpectation: Bool = false, _ message: String, details: String? = nil
  ) -> ScriptFailure {
    ScriptFailure(
      status: status, isExpectation: isExpectation,
      place: place,
      message: message, details: details ?? message)
  }
}

/// A step of a script that is being performed.
struct ScriptStep: Hashable {
  /// The line of the script, counted from 1.
  let line: Int
  /// The name of the step: `expect /login: /`. It does not contain what is sent, because that may
  /// be a password.
  let name: String
  /// The round of a repetition with a time or an end; nil for another step.
  let round: Round?

  /// A round of a repetition.
  struct Round: Hashable {
    /// The number of rounds whose steps were performed; 0 when the repetition begins.
    let number: Int
    /// The maximum number of rounds.
    let limit: Int
  }

  fileprivate init(_ instruction: DialogueRun.Instruction) {
    line = instruction.line
    name = instruction.action.name
    switch instruction.action {
    case .beginRounds(let rounds): round = Round(number: 0, limit: rounds.count)
    case .awaitRound(let rounds, let number, _): round = Round(number: number, limit: rounds.count)
    default: round = nil
    }
  }

  /// The step in words: `expect /login: /`, `repeat until /OK/: round 2 of 10`.
  var words: String {
    guard let round, round.number > 0 else { return name }
    return "\(name): round \(round.number) of \(round.limit)"
  }
}

/// Why a script failed.
struct ScriptFailure: Error {
  /// The exit status of a program that ends with it.
  let status: ExitStatus
  /// Whether it is a failed expectation or `fail`. Otherwise it is an error, such as
  /// a refused command.
  let isExpectation: Bool
  /// The name of the script, and the line of the step.
  let place: String
  let message: String
  /// The message with further information, as lines.
  let details: String
}

extension DialogueRun.Action {
  /// The name of the step, without what is sent.
  fileprivate var name: String {
    switch self {
    case .send: "send"
    case .expect(let expressions, _):
      "expect " + expressions.map(\.description).joined(separator: " or ")
    case .wait(let duration): "wait \(duration.inSeconds)s"
    case .set(let line, let isOn): "set \(line.rawValue) \(isOn ? "on" : "off")"
    case .setBaudRate(let rate): "set baud \(rate)"
    case .sendBreak(let duration): "break \(duration.inSeconds)s"
    case .pulse(let line, let duration): "pulse \(line.rawValue) \(duration.inSeconds)s"
    case .transfer(let files): files.words
    case .beginRounds(let rounds), .awaitRound(let rounds, _, _): rounds.name
    case .print: "print"
    case .fail: "fail"
    }
  }
}

extension Rounds {
  /// The repetition in the form of a script's step: `repeat until /OK/`.
  fileprivate var name: String {
    if let expression { return "repeat until \(expression.description)" }
    return interval.map { "repeat every \($0.inSeconds)s" } ?? "repeat"
  }
}

extension FileStep {
  /// The operation in the form of a script's step.
  fileprivate var words: String {
    let path = String(decoding: path, as: UTF8.self).harmless
    return switch direction {
    case .send: "send file \(path) by \(fileProtocol.rawValue)"
    case .receiveInto: "receive into \(path) by \(fileProtocol.rawValue)"
    case .receiveFile: "receive file \(path) by \(fileProtocol.rawValue)"
    }
  }
}
