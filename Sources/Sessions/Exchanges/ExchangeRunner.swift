package import Encodings
package import EventLoop
package import Framing
import Observing
import Posix
import Reconnecting
package import SerialCore
import SystemPackage
package import Time

/// Runs an exchange on a session: performs its actions and reports events to it.
///
/// It holds the pen while the exchange runs, keeps the queue filled at the device's pace,
/// and owns the timer. When the port is closed or the session ends, the owner of the
/// session calls ``cutOff(discarding:)``.
package final class ExchangeRunner<Value: Exchange>: RunningExchange {
  /// Performs the operation of ``ExchangeAction/perform(_:)``, then reports once what became of
  /// it.
  package typealias Performer = (LineOperation, _ then: @escaping (LineOperation.Outcome) -> Void)
    -> Void

  /// The present state of the exchange.
  package private(set) var exchange: Value
  /// The time when the exchange began.
  package private(set) var start: MonotonicTime
  /// The number of bytes that the exchange has withdrawn and that were not sent.
  package private(set) var withdrawnCount = 0

  private let session: Session
  private weak var owner: Sending?
  private let hub: Hub?
  private let loop: IOLoop
  /// The form of frames, if the exchange gets a line for each frame in place of bytes.
  private let frameForm: ChosenFrameForm?
  private let encoding: Encoding
  private let source: (any ExchangeSource)?
  private let storage: (any TransferStorage)?
  private let callbacks: Callbacks
  /// What the exchange has while it runs; nil before and after.
  private var running: Running?
  /// The number of bytes that were written to the session and not discarded.
  private var writtenCount = 0
  /// Events that arrived while another one was handled; nil while none is.
  private var waitingEvents: [ExchangeEvent]?

  private struct Callbacks {
    let perform: Performer
    let isHeldUp: () -> Bool
    let onFrame: (Frame) -> Void
    let onReport: (Value.Report) -> Void
    let onEnd: (Value.Outcome) -> Void
  }

  private struct Running {
    let pen: Session.Pen?
    let receiver: ExchangeReceiver
    let supply: ExchangeSupply
    var observations: [ObservationToken<SessionEvent>] = []
    var timer: LoopTimer?
    var drain: Drain?
    var standstill: StandstillWatch?
    /// Whether the port is lost, and may return.
    var isLost = false
    /// Whether the exchange waits for another turn of the loop.
    var hasYielded = false
    var resumption: LoopTimer?
  }

  /// Creates a runner; ``begin()`` starts it.
  ///
  /// - Parameters:
  ///   - owner: stops the exchange and cuts it off; nil if the creator of the runner does.
  ///   - hub: passes received bytes; an exchange that receives needs it.
  ///   - frameForm: the form of frames, if the exchange gets a line for each frame that is neither
  ///     bad nor an echo; nil if it gets the bytes.
  ///   - encoding: the encoding of the device's text. The exchange gets what is received as UTF-8.
  ///   - source: the source that the exchange reads; nil for none.
  ///   - storage: the files of a transfer; nil for none.
  ///   - perform: performs the operations of the line.
  ///   - isHeldUp: returns whether an exchange that yields must wait until ``resume()`` is called.
  ///   - onFrame: called with each frame, if there is a form.
  ///   - onReport: called with each report.
  ///   - onEnd: called once, at the end, after the pen was released.
  package init(
    _ exchange: Value, on session: Session, ownedBy owner: Sending? = nil,
    receivingFrom hub: Hub? = nil,
    framedBy frameForm: ChosenFrameForm? = nil, decodedFrom encoding: Encoding = .utf8,
    loop: IOLoop,
    source: (any ExchangeSource)? = nil, storage: (any TransferStorage)? = nil,
    perform: @escaping Performer = { $1(.refused) }, isHeldUp: @escaping () -> Bool = { false },
    onFrame: @escaping (Frame) -> Void = { _ in },
    onReport: @escaping (Value.Report) -> Void = { _ in },
    onEnd: @escaping (Value.Outcome) -> Void = { _ in }
  ) {
    callbacks = Callbacks(
      perform: perform, isHeldUp: isHeldUp, onFrame: onFrame, onReport: onReport, onEnd: onEnd)
    self.exchange = exchange
    (self.session, self.owner) = (session, owner)
    self.hub = hub
    self.frameForm = frameForm
    self.encoding = encoding
    self.loop = loop
    self.source = source
    self.storage = storage
    start = loop.now
  }

  /// Starts the exchange. It may end during the call.
  ///
  /// - Parameters:
  ///   - early: bytes that the device sent earlier and that the exchange must see.
  ///   - takesPen: whether to take the pen; otherwise the author must have it already.
  /// - Throws: ``SerialError``, if it writes and the port is not open, or another author
  ///   has the pen.
  package func begin(
    afterReceiving early: [UInt8] = [], takesPen: Bool = true
  ) throws(SerialError) {
    guard let owner else { return try beginNow(afterReceiving: early, takesPen: takesPen) }
    try owner.run(self) { () throws(SerialError) in
      try beginNow(afterReceiving: early, takesPen: takesPen)
    }
  }

  private func beginNow(
    afterReceiving early: [UInt8], takesPen: Bool
  ) throws(SerialError) {
    let receiver = ExchangeReceiver(onFrame: callbacks.onFrame) { [unowned self] in
      handle(.received($0))
    }
    running = Running(
      pen: takesPen ? try takePen() : nil, receiver: receiver,
      supply: ExchangeSupply(source, to: session, on: loop) { [unowned self] in handle($0) })
    start = loop.now
    running?.observations = [
      session.observe(.sent) { [unowned self] in didSend($0.bytes.count, by: $0.author) },
      session.observe(.stateChange) { [unowned self] in stateDidChange(to: $0.new) },
    ]
    switch (exchange.reception, frameForm, hub) {
    case (.shared, let form?, let hub?):
      receiver.receive(from: hub, framedBy: form, afterReceiving: early, on: session, loop)
    case (.nothing, _, _): break
    case (let reception, _, _):
      receiver.receive(
        from: hub, as: reception == .alone ? .owner : .listener, decodedFrom: encoding,
        afterReceiving: early, on: loop)
    }
    handle(.begun)
  }

  private func takePen() throws(SerialError) -> Session.Pen? {
    guard let author = exchange.author else { return nil }
    return try session.takePen(for: author, outlivesLoss: exchange.outlivesLoss)
  }

  // MARK: Calls by the owner of the session

  package func stop() {
    running?.receiver.flush()
    handle(.stopped)
  }

  package func leave() { handle(.leaving) }

  package func cutOff(discarding discarded: inout UnsentBytes) {
    running?.receiver.flush()
    guard running != nil else { return }
    var own = 0
    if let author = exchange.author {
      // The remaining bytes, if any, belong to an earlier exchange of the same author.
      own = min(discarded[author], writtenCount)
      if exchange.reportsUnsent { discarded.remove(own, by: author) }
    }
    handle(.cutOff(sent: writtenCount - own))
  }

  package func portWasLost(discarding discarded: inout UnsentBytes) {
    guard exchange.outlivesLoss else { return cutOff(discarding: &discarded) }
    if let author = exchange.author { discarded.remove(discarded[author], by: author) }
    suspendAfterLoss()
  }

  package func resume() {
    if running?.hasYielded == true { resumeSoon() }
  }

  private func resumeSoon() {
    running?.resumption = loop.schedule(after: .zero) { [unowned self] in
      guard !callbacks.isHeldUp() else { return }
      running?.hasYielded = false
      handle(.resumed)
    }
  }

  // MARK: Events

  private func handle(_ event: ExchangeEvent) {
    guard waitingEvents == nil else {
      waitingEvents?.append(event)
      return
    }
    waitingEvents = [event]
    while running != nil, let next = waitingEvents?.first {
      waitingEvents?.removeFirst()
      for action in exchange.handle(next, at: loop.now) where running != nil { carryOut(action) }
    }
    waitingEvents = nil
  }

  private func didSend(_ count: Int, by author: Author) {
    guard author == exchange.author else { return }
    handle(.sent(count))
    running?.supply.fillSoon()
  }

  private func stateDidChange(to new: SessionState) {
    if new.isOpen, running?.isLost == true {
      // Runs after the observers that prepare the port.
      loop.atEndOfTurn { [weak self] in
        guard let self, running?.isLost == true, session.state.isOpen else { return }
        running?.isLost = false
        handle(.regained)
      }
    }
    guard !new.isOpen else { return }
    // Runs after the owner of the session, which counts unsent bytes.
    loop.atEndOfTurn { [weak self] in
      guard let self, running != nil, !session.state.isOpen else { return }
      if exchange.outlivesLoss, session.state.isWaiting { return suspendAfterLoss() }
      if exchange.reportsUnsent, let author = exchange.author {
        writtenCount -= session.discardQueued(by: author)
      }
      handle(.cutOff(sent: writtenCount))
    }
  }

  /// The port is lost, and the session waits for its device.
  private func suspendAfterLoss() {
    guard running?.isLost == false else { return }
    running?.isLost = true
    if let author = exchange.author { session.discardQueued(by: author) }
    running?.drain = nil
    running?.standstill = nil
    running?.supply.cancel()
    handle(.lost)
  }

  // MARK: Actions

  private func carryOut(_ action: ExchangeAction<Value.Report, Value.Outcome>) {
    switch action {
    case .send(let bytes): send(bytes)
    case .read(let limit): running?.supply.wait(for: .bytes(limit))
    case .withdraw:
      running?.supply.cancelRead()
      if let author = exchange.author {
        let count = session.discardQueued(by: author)
        writtenCount -= count
        withdrawnCount += count
        // The awaited line may be that of another author.
        if count + writtenCount > 0 { session.pacer?.sessionDidGiveUp(session) }
      }
    case .awaitRoom(let level): running?.supply.wait(for: .room(level))
    case .store(let operation): store(operation)
    case .pass(let bytes): bytes.withUnsafeBytes { hub?.passUnused($0) }
    case .drain:
      let drain = Drain(session, on: loop, patience: nil) { [unowned self] in handle(.drained) }
      running?.drain = drain
    case .watchStandstill(let limit): watchStandstill(limit)
    case .watchAnswers(let limit): watchStandstill(limit, isOfAnswers: true)
    case .perform(let operation):
      callbacks.perform(operation) { [weak self] in self?.handle(.performed($0)) }
    case .wake(let time):
      running?.timer = time.map { time in
        loop.schedule(after: time - loop.now) { [unowned self] in
          running?.timer = nil
          handle(.woken)
        }
      }
    case .yield:
      running?.hasYielded = true
      resumeSoon()
    case .report(let report): callbacks.onReport(report)
    case .finish(let outcome): end(outcome)
    }
  }

  private func watchStandstill(_ limit: Duration?, isOfAnswers: Bool = false) {
    let watch = limit.map {
      StandstillWatch(session, on: loop, limit: $0, isOfAnswers: isOfAnswers) {
        [unowned self] in handle(.standstill)
      }
    }
    running?.standstill = watch
  }

  private func send(_ bytes: [UInt8]) {
    // Counted before the write, which cuts the exchange off if the device is gone.
    writtenCount += bytes.count
    do throws(SerialError) {
      try session.write(bytes.span.bytes, by: exchange.author)
    } catch {
      writtenCount -= bytes.count
      handle(.sendFailed(error))
    }
  }

  private func store(_ operation: StorageOperation) {
    do throws(TransferStorageError) {
      if let answer = try storage?.perform(operation) { handle(.stored(answer)) }
    } catch {
      handle(.storageFailed(error))
    }
  }

  private func end(_ outcome: Value.Outcome) {
    var ended = running
    running = nil
    ended?.receiver.end()
    // Gives the pen back.
    ended = nil
    owner?.didEnd(self)
    callbacks.onEnd(outcome)
  }
}

/// A running exchange of any kind, as the owner of its session sees it.
package protocol RunningExchange: AnyObject {
  /// Stops the exchange for the user. Bytes that the driver has not taken are discarded.
  func stop()

  /// Resumes an exchange that was held up because its output was not taken.
  func resume()

  /// Stops the exchange from sending, because the session is about to end. The session waits until
  /// the driver has sent what it has taken, and then calls ``cutOff(discarding:)``.
  func leave()

  /// Whether the exchange must notify the other side of its end, which takes up to a
  /// second after ``leave()``.
  var takesLeave: Bool { get }

  /// Reports that the port is lost, and that the session waits for its device. An exchange that
  /// does not outlive the loss is cut off.
  ///
  /// - Parameter discarded: the bytes that the session has discarded; see ``cutOff(discarding:)``.
  func portWasLost(discarding discarded: inout UnsentBytes)

  /// Ends the exchange, because the session has discarded its unsent bytes.
  ///
  /// - Parameter discarded: the bytes that the session has discarded. The exchange's own are
  ///   removed if its outcome includes their number.
  func cutOff(discarding discarded: inout UnsentBytes)
}

extension RunningExchange {
  package var takesLeave: Bool { false }

  package func portWasLost(discarding discarded: inout UnsentBytes) {
    cutOff(discarding: &discarded)
  }
}

extension SessionState {
  /// Whether the session is bound to a device, and its port is not open.
  fileprivate var isWaiting: Bool {
    switch self {
    case .waitingForDevice, .opening: true
    case .closed, .open, .released: false
    }
  }
}
