import Dialogues
import EventLoop
import Observing
import Reconnecting
import Scrollback
import SerialCore
import Sessions
import TextTools

/// Writes bytes for a call: asks for the pen if another member has it, and waits until the driver
/// has sent all of them. With `--ask`, a person gives the pen for each write, and gets it back.
final class AgentWrite: AgentOperation {
  private let bytes: [UInt8]
  /// Whether a person must confirm it.
  private let asks: Bool
  private let session: AgentSession
  private let call: AgentCall
  private let loop: IOLoop
  private let done: (_ offset: Int) -> Void
  private var changes: ObservationToken<Change<TerminalState>>?
  private var drain: Drain?
  private var confirmation: LoopTimer?
  private var progress = Progress.waiting
  private var progressTimer: LoopTimer?
  /// The number of bytes that were reported as sent.
  private var reportedCount = 0
  private static let progressInterval = Duration.milliseconds(500)

  private enum Progress {
    /// It waits for the pen.
    case waiting
    case writing
    case done
  }

  /// The conditions of every write. Without the pen, it asks for it.
  static let needs = Need.toSend.map { $0 == .pen ? .obtainablePen : $0 }

  /// - Parameter done: continues the call when all bytes were sent, with the offset of the answer.
  init(
    _ bytes: [UInt8], asking asks: Bool, to session: AgentSession, for call: AgentCall,
    on loop: IOLoop,
    then done: @escaping (_ offset: Int) -> Void
  ) {
    (self.bytes, self.asks) = (bytes, asks)
    (self.session, self.call, self.loop) = (session, call, loop)
    self.done = done
  }

  var timeLimit: Duration { call.arguments.duration("timeout") ?? .seconds(30) }

  func begin() {
    if let reason = session.end { return call.fail(reason) }
    let state = session.port.model.state
    if asks { return askForConfirmation(in: state) }
    // What else is in the way does not end when somebody gives the pen.
    if let reason = Self.needs.unmet(in: state) { return call.fail(reason.text) }
    Need.pen.unmet(in: state) == nil ? write() : askForPen()
  }

  /// Asks the person with the pen, who sees what will be written.
  private func askForConfirmation(in state: TerminalState) {
    guard session.joined != nil, let remote = session.port.controller.userSharing.remote else {
      return call.fail(
        "with --ask, only a session that a person has open can be written to. Nothing was sent. Ask "
          + "the person to run 'serialterm connect', and open it again")
    }
    guard case .others(let person) = state.sharing.pen, person.answers else {
      return call.fail("nobody who could confirm it has the pen. Nothing was sent")
    }
    let question = Self.words(for: bytes)
    // An answer belongs to the question that the person has read.
    if state.sharing.isAsking, let earlier = session.question, earlier != question {
      return call.fail(
        "\(person.name) has not answered the question before: whether to send \(earlier). Nothing "
          + "was sent. Ask the person to answer it with ctrl-t w")
    }
    session.question = question
    session.port.controller.userSharing.isReadOnly = false
    askForPen { remote.ask(toWrite: question) }
  }

  /// What will be written, for a person.
  private static func words(for bytes: [UInt8]) -> String {
    let beginning = bytes.prefix(shownLimit)
    let rest = bytes.count - beginning.count
    return EscapedText.quoted(beginning) + (rest > 0 ? " and \(rest.counted("byte"))" : "")
  }

  /// The number of bytes that a person sees. Escaped, they fit into a message.
  private static let shownLimit = 30

  private func askForPen() { askForPen { session.port.penControl.ask() } }

  /// Asks the member with the pen.
  private func askForPen(_ ask: () -> Void) {
    changes = session.port.model.$state.observe { [unowned self] in
      guard progress == .waiting else { return }
      if Need.toSend.unmet(in: $0.new) == nil {
        // Not during the notification of the others.
        loop.atEndOfTurn { [weak self] in self?.writeIfPossible() }
      } else if $0.old.sharing.isAsking, !$0.new.sharing.isAsking,
        $0.new.sharing.penReason != nil
      {
        call.fail("the person keeps the pen: ask them before you try again")
      }
    }
    ask()
  }

  private func writeIfPossible() {
    guard !call.isOver, progress == .waiting,
      Need.toSend.unmet(in: session.port.model.state) == nil
    else { return }
    write()
  }

  private func write() {
    let offset = session.scrollback.addedByteCount
    let bytes = bytes
    do throws(SerialError) {
      try session.port.session.write(bytes.span.bytes, by: session.author)
    } catch {
      return call.fail(Failure(error).message)
    }
    progress = .writing
    session.isWriting = true
    reportNextProgress()
    drain = Drain(session.port.session, on: loop, patience: nil) { [unowned self] in
      if session.joined == nil { finish(from: offset) } else { confirm(from: offset) }
    }
  }

  /// Reports how many bytes are sent, from now on, as long as they are not all.
  private func reportNextProgress() {
    guard let report = call.reportProgress else { return }
    progressTimer = loop.schedule(after: Self.progressInterval) { [unowned self] in
      let sentCount = bytes.count - min(bytes.count, session.port.session.unsentByteCount)
      if sentCount > reportedCount {
        reportedCount = sentCount
        report(sentCount, bytes.count)
      }
      reportNextProgress()
    }
  }

  /// Waits until everything has arrived that the joined session said before it read the bytes. It
  /// has dropped them if a person took the pen at that moment.
  private func confirm(from offset: Int) {
    confirmation = loop.schedule(after: .zero) { [unowned self] in
      loop.atEndOfTurn { [weak self] in self?.finish(from: offset) }
    }
  }

  private func finish(from offset: Int) {
    guard !call.isOver else { return }
    if session.joined != nil, let reason = session.port.model.state.sharing.penReason {
      return call.fail("\(reason): what was written may not have reached the device")
    }
    progress = .done
    progressTimer = nil
    session.isWriting = false
    endConfirmation()
    done(offset)
  }

  func timeOut() -> AgentCall.Outcome? {
    switch progress {
    case .waiting:
      let reason = session.port.model.state.sharing.penReason?.text ?? "the pen is not here"
      return .failed(
        "\(reason), and has not answered. Nothing was sent. Ask the person, and try again.")
    case .writing, .done:
      let unsent = session.port.session.unsentByteCount
      return .failed("Timed out: \(unsent.counted("byte")) not sent to \(session.portName).")
    }
  }

  /// Gives the pen back, also one that a person gives too late.
  private func endConfirmation() {
    if asks, session.joined != nil { session.port.controller.userSharing.isReadOnly = true }
  }

  func stop() {
    changes = nil
    endConfirmation()
    guard progress == .writing else { return }
    (drain, confirmation, progressTimer) = (nil, nil, nil)
    _ = session.port.session.discardUnsent(by: session.author)
    session.isWriting = false
  }
}
