package import Encodings
package import EventLoop
package import Frames
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

  private let perform: Performer
  private let isHeldUp: () -> Bool
  private let onFrame: (Frame) -> Void
  private let onReport: (Value.Report) -> Void
  private let onEnd: (Value.Outcome) -> Void
  private let session: Session
  private weak var owner: SessionController?
  private var observations: [ObservationToken<SessionEvent>] = []
  private let hub: Hub?
  private let loop: IOLoop
  /// The form of frames, if the exchange gets a line for each frame in place of bytes.
  private let frameForm: ChosenFrameForm?
  /// Converts what is received, unless there are frames.
  private var decoder: ReceivedDecoder?
  private let encoding: Encoding
  private var frameWatch: FrameWatch?
  private var frames: ObservationToken<Frame>?
  private let source: (any ExchangeSource)?
  private let storage: (any TransferStorage)?
  private var isRunning = false
  /// Whether the port is lost, and may return.
  private var isLost = false
  private var pen: Session.Pen?
  private var subscription: Hub.Subscription?
  private var timer: LoopTimer?
  private var hasYielded = false
  private var resumption: LoopTimer?
  private var drain: Drain?
  private var standstill: StandstillWatch?
  /// The maximum byte count of the unanswered read; nil if there is none.
  private var pendingRead: Int?
  private var isFillPending = false
  /// The exchange waits until fewer bytes than this are queued; nil if it does not wait.
  private var roomLevel: Int?
  private var sourceWatch: DescriptorWatch?
  /// The number of bytes that were written to the session and not discarded.
  private var writtenCount = 0
  /// Events that arrived while another one was handled.
  private var events: [ExchangeEvent] = []
  private var isHandling = false

  /// The source is read while fewer bytes than this are queued, so that the driver does not wait
  /// for the disk.
  private static var fillLevel: Int { 32_768 }

  /// Creates a runner; ``begin()`` starts it.
  ///
  /// - Parameters:
  ///   - owner: stops the exchange and cuts it off; nil if the creator of the runner does.
  ///   - hub: passes received bytes; an exchange that receives needs it.
  ///   - frameForm: the form of frames, if the exchange gets a line for each good frame that is no
  ///     echo; nil if it gets the bytes.
  ///   - encoding: the encoding of the device's text. The exchange gets what is received as UTF-8.
  ///   - source: the source that the exchange reads; nil for none.
  ///   - storage: the files of a transfer; nil for none.
  ///   - perform: performs the operations of the line.
  ///   - isHeldUp: returns whether an exchange that yields must wait until ``resume()`` is called.
  ///   - onFrame: called with each frame, if there is a form.
  ///   - onReport: called with each report.
  ///   - onEnd: called once, at the end, after the pen was released.
  package init(
    _ exchange: Value, on session: Session, ownedBy owner: SessionController? = nil,
    receivingFrom hub: Hub? = nil,
    framedBy frameForm: ChosenFrameForm? = nil, decodedFrom encoding: Encoding = .utf8,
    loop: IOLoop,
    source: (any ExchangeSource)? = nil, storage: (any TransferStorage)? = nil,
    perform: @escaping Performer = { $1(.refused) }, isHeldUp: @escaping () -> Bool = { false },
    onFrame: @escaping (Frame) -> Void = { _ in },
    onReport: @escaping (Value.Report) -> Void = { _ in },
    onEnd: @escaping (Value.Outcome) -> Void = { _ in }
  ) {
    (self.perform, self.isHeldUp, self.onFrame) = (perform, isHeldUp, onFrame)
    (self.onReport, self.onEnd) = (onReport, onEnd)
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
    if let author = exchange.author, takesPen {
      pen = try session.takePen(for: author, outlivesLoss: exchange.outlivesLoss)
    }
    isRunning = true
    start = loop.now
    observations = [
      session.observe(.sent) { [unowned self] in didSend($0.bytes.count, by: $0.author) },
      session.observe(.stateChange) { [unowned self] in stateDidChange(to: $0.new) },
    ]
    switch exchange.reception {
    case .nothing: break
    case .shared where frameForm != nil: watchFrames(afterReceiving: early)
    case .shared, .alone:
      let rank: Hub.Rank = exchange.reception == .alone ? .owner : .listener
      decoder = ReceivedDecoder(encoding, on: loop) { [unowned self] text, _ in
        handle(.received(Array(text)))
      }
      subscription = hub?.subscribe(as: rank) { [unowned self] bytes, moment in
        decoder?.add(bytes, at: moment)
      }
    }
    if let decoder {
      early.withUnsafeBytes { if !$0.isEmpty { decoder.add($0) } }
    } else if !early.isEmpty && frameWatch == nil {
      handle(.received(early))
    }
    handle(.begun)
  }

  private func watchFrames(afterReceiving early: [UInt8]) {
    guard let hub, let frameForm else { return }
    let watch = FrameWatch(frameForm, of: session, receivingFrom: hub, on: loop)
    frames = watch.frames.observe { [unowned self, unowned watch] in
      onFrame($0)
      if let line = $0.answerLine(isText: watch.isText) { handle(.received(line)) }
    }
    frameWatch = watch
    watch.add(early: early)
  }

  // MARK: Calls by the owner of the session

  package func stop() {
    decoder?.flush()
    handle(.stopped)
  }

  package func leave() { handle(.leaving) }

  package func cutOff(discarding discarded: inout UnsentBytes) {
    guard isRunning else { return }
    decoder?.flush()
    guard isRunning else { return }
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
    if hasYielded { resumeSoon() }
  }

  private func resumeSoon() {
    resumption = loop.schedule(after: .zero) { [unowned self] in
      guard !isHeldUp() else { return }
      hasYielded = false
      handle(.resumed)
    }
  }

  // MARK: Events

  private func handle(_ event: ExchangeEvent) {
    events.append(event)
    guard !isHandling else { return }
    isHandling = true
    while isRunning, !events.isEmpty {
      for action in exchange.handle(events.removeFirst(), at: loop.now) where isRunning {
        carryOut(action)
      }
    }
    isHandling = false
    events = []
  }

  private func didSend(_ count: Int, by author: Author) {
    guard author == exchange.author else { return }
    handle(.sent(count))
    fillSoon()
  }

  private func stateDidChange(to new: SessionState) {
    if new.isOpen, isLost {
      // Runs after the observers that prepare the port.
      loop.atEndOfTurn { [weak self] in
        guard let self, isLost, session.state.isOpen else { return }
        isLost = false
        handle(.regained)
      }
    }
    guard !new.isOpen else { return }
    // Runs after the owner of the session, which counts unsent bytes.
    loop.atEndOfTurn { [weak self] in
      guard let self, isRunning, !session.state.isOpen else { return }
      if exchange.outlivesLoss, session.state.isWaiting { return suspendAfterLoss() }
      if exchange.reportsUnsent, let author = exchange.author {
        writtenCount -= session.discardQueued(by: author)
      }
      handle(.cutOff(sent: writtenCount))
    }
  }

  /// The port is lost, and the session waits for its device.
  private func suspendAfterLoss() {
    guard isRunning, !isLost else { return }
    isLost = true
    if let author = exchange.author { session.discardQueued(by: author) }
    (drain, standstill, roomLevel, pendingRead) = (nil, nil, nil, nil)
    handle(.lost)
  }

  // MARK: Actions

  private func carryOut(_ action: ExchangeAction<Value.Report, Value.Outcome>) {
    switch action {
    case .send(let bytes): send(bytes)
    case .read(let limit):
      pendingRead = limit
      fillSoon()
    case .withdraw:
      pendingRead = nil
      if let author = exchange.author {
        let count = session.discardQueued(by: author)
        writtenCount -= count
        withdrawnCount += count
        // The awaited line may be that of another author.
        if count + writtenCount > 0 { session.pacer?.sessionDidGiveUp(session) }
      }
    case .awaitRoom(let level):
      roomLevel = level
      fillSoon()
    case .store(let operation): store(operation)
    case .pass(let bytes): bytes.withUnsafeBytes { hub?.passUnused($0) }
    case .drain:
      drain = Drain(session, on: loop, patience: nil) { [unowned self] in handle(.drained) }
    case .watchStandstill(let limit):
      standstill = limit.map { watchStandstill($0) }
    case .watchAnswers(let limit): standstill = watchStandstill(limit, isOfAnswers: true)
    case .perform(let operation): perform(operation) { [weak self] in self?.handle(.performed($0)) }
    case .wake(let time):
      timer = time.map { time in
        loop.schedule(after: time - loop.now) { [unowned self] in
          timer = nil
          handle(.woken)
        }
      }
    case .yield:
      hasYielded = true
      resumeSoon()
    case .report(let report): onReport(report)
    case .finish(let outcome): end(outcome)
    }
  }

  private func watchStandstill(_ limit: Duration, isOfAnswers: Bool = false) -> StandstillWatch {
    StandstillWatch(session, on: loop, limit: limit, isOfAnswers: isOfAnswers) {
      [unowned self] in handle(.standstill)
    }
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
    isRunning = false
    // What is left of a frame is one, and cannot be an answer any more.
    frames = frameWatch?.frames.observe { [unowned self] in onFrame($0) }
    frameWatch?.end()
    observations = []
    (pen, subscription, timer, drain, standstill) = (nil, nil, nil, nil, nil)
    (pendingRead, sourceWatch, resumption, roomLevel) = (nil, nil, nil, nil)
    (frames, frameWatch, decoder) = (nil, nil, nil)
    owner?.didEnd(self)
    onEnd(outcome)
  }

  // MARK: The source

  /// Reads at the end of the turn, so that keys are handled even if the driver always takes
  /// everything at once.
  private func fillSoon() {
    guard pendingRead != nil || roomLevel != nil, !isFillPending, isRunning else { return }
    isFillPending = true
    loop.atEndOfTurn { [weak self] in self?.fill() }
  }

  private func fill() {
    isFillPending = false
    if let level = roomLevel, isRunning, session.queuedByteCount < level {
      roomLevel = nil
      handle(.room)
    }
    guard isRunning, session.state.isOpen, let limit = pendingRead, let source,
      session.queuedByteCount < Self.fillLevel
    else { return }
    do throws(Errno) {
      switch try source.read(atMost: limit) {
      case .bytes(let bytes): answerRead(.read(bytes))
      case .end: answerRead(.endOfSource)
      case .wouldBlock: try wait(for: source)
      }
    } catch {
      answerRead(.sourceFailed(error))
    }
  }

  private func answerRead(_ event: ExchangeEvent) {
    pendingRead = nil
    sourceWatch = nil
    handle(event)
  }

  /// Waits until there is something to read.
  private func wait(for source: any ExchangeSource) throws(Errno) {
    guard sourceWatch == nil else { return }
    sourceWatch = try loop.watch(source.descriptor, for: .reading) { [unowned self] _ in
      sourceWatch = nil
      fillSoon()
    }
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
