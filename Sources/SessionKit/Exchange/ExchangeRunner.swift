package import EventLoop
package import Posix
package import SerialCore
import SystemPackage

/// Runs an exchange on a session: performs its actions, and tells it what happens.
///
/// It holds the pen while the exchange runs, keeps the queue filled at the device's pace, and has the one
/// timer. When the port is closed or the session ends, the owner of the session calls
/// ``cutOff(discarding:)``.
package final class ExchangeRunner<Value: Exchange>: SessionObserver, RunningExchange {
  /// Called with each report.
  package var onReport: (Value.Report) -> Void = { _ in }
  /// Called once, at the end. The pen is returned by then.
  package var onEnd: (Value.Outcome) -> Void = { _ in }
  /// Does what ``ExchangeAction/perform(_:)`` asks for, and says once whether it was done.
  package var perform: (LineOperation, _ then: @escaping (Bool) -> Void) -> Void = { $1(false) }

  /// Whether an exchange that yields has to wait until ``goOn()`` is called.
  package var isHeldUp: () -> Bool = { false }

  /// The exchange as it is now.
  package private(set) var exchange: Value
  /// When the exchange has begun.
  package private(set) var start: MonotonicTime
  /// The number of bytes that the exchange has withdrawn: they were not sent.
  package private(set) var withdrawnCount = 0

  private let session: Session
  private let hub: Hub?
  private let loop: IOLoop
  private let source: (any ExchangeSource)?
  private let storage: (any TransferStorage)?
  private var isRunning = false
  /// Whether the port is lost, and may come back.
  private var isLost = false
  private var pen: Session.Pen?
  private var subscription: Hub.Subscription?
  private var timer: LoopTimer?
  private var hasYielded = false
  private var resumption: LoopTimer?
  private var drain: Drain?
  private var standstill: StandstillWatch?
  /// The read that is not answered yet: the largest number of bytes.
  private var pendingRead: Int?
  private var isFillPending = false
  /// The exchange waits until fewer bytes are queued.
  private var roomLevel: Int?
  private var sourceWatch: DescriptorWatch?
  /// The number of bytes that were written to the session and not discarded.
  private var writtenCount = 0
  /// Events that came while another one was handled.
  private var events: [ExchangeEvent] = []
  private var isHandling = false

  /// The source is read while less than this is queued, so that the driver does not wait for the disk.
  private static var fillLevel: Int { 32_768 }

  /// Creates a runner; ``begin()`` starts it.
  ///
  /// - Parameters:
  ///   - hub: passes received bytes; an exchange that receives needs it.
  ///   - source: what the exchange reads from, if anything.
  ///   - storage: where the files of a transfer are.
  package init(
    _ exchange: Value, on session: Session, receivingFrom hub: Hub? = nil, loop: IOLoop,
    source: (any ExchangeSource)? = nil, storage: (any TransferStorage)? = nil
  ) {
    self.exchange = exchange
    self.session = session
    self.hub = hub
    self.loop = loop
    self.source = source
    self.storage = storage
    start = loop.now
  }

  /// Starts the exchange. It may end during the call.
  ///
  /// - Parameters:
  ///   - early: what the device sent before, if that counts.
  ///   - takesPen: whether it takes the pen; otherwise its author must have it already.
  /// - Throws: ``SerialError``, if it writes and the port is not open, or another author has the pen.
  package func begin(
    afterReceiving early: [UInt8] = [], takesPen: Bool = true
  ) throws(SerialError) {
    if let author = exchange.author, takesPen {
      pen = try session.takePen(for: author, outlivesLoss: exchange.outlivesLoss)
    }
    isRunning = true
    start = loop.now
    session.addObserver(self, of: [.sent, .stateChange])
    switch exchange.reception {
    case .nothing: break
    case .shared, .alone:
      let rank: Hub.Rank = exchange.reception == .alone ? .owner : .listener
      subscription = hub?.subscribe(as: rank) { [unowned self] in take(.received(Array($0))) }
    }
    if !early.isEmpty { take(.received(early)) }
    take(.begun)
  }

  // MARK: What the owner of the session says

  package func stop() { take(.stopped) }

  package func leave() { take(.leaving) }

  package func cutOff(discarding discarded: inout UnsentBytes) {
    guard isRunning else { return }
    var own = 0
    if let author = exchange.author {
      // The rest, if any, is of an earlier exchange of the same author.
      own = min(discarded[author], writtenCount)
      if exchange.reportsUnsent { discarded.remove(own, by: author) }
    }
    take(.cutOff(sent: writtenCount - own))
  }

  package func lose(discarding discarded: inout UnsentBytes) {
    guard exchange.outlivesLoss else { return cutOff(discarding: &discarded) }
    if let author = exchange.author { discarded.remove(discarded[author], by: author) }
    takeLoss()
  }

  package func goOn() {
    if hasYielded { resumeSoon() }
  }

  private func resumeSoon() {
    resumption = loop.schedule(after: .zero) { [unowned self] in
      guard !isHeldUp() else { return }
      hasYielded = false
      take(.resumed)
    }
  }

  // MARK: Events

  private func take(_ event: ExchangeEvent) {
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

  package func session(_ session: Session, didSend bytes: RawSpan, by author: Author) {
    guard author == exchange.author else { return }
    take(.sent(bytes.byteCount))
    fillSoon()
  }

  package func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    if new.isOpen, isLost {
      // After the observers that prepare the port.
      loop.atEndOfTurn { [weak self] in
        guard let self, isLost, session.state.isOpen else { return }
        isLost = false
        take(.regained)
      }
    }
    guard !new.isOpen else { return }
    // After the owner of the session, who counts what was not sent.
    loop.atEndOfTurn { [weak self] in
      guard let self, isRunning, !session.state.isOpen else { return }
      if exchange.outlivesLoss, session.state.isWaiting { return takeLoss() }
      if exchange.reportsUnsent, let author = exchange.author {
        writtenCount -= session.discardQueued(by: author)
      }
      take(.cutOff(sent: writtenCount))
    }
  }

  /// The port is lost, and the session waits for its device.
  private func takeLoss() {
    guard isRunning, !isLost else { return }
    isLost = true
    if let author = exchange.author { session.discardQueued(by: author) }
    (drain, standstill, roomLevel, pendingRead) = (nil, nil, nil, nil)
    take(.lost)
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
      }
    case .awaitRoom(let level):
      roomLevel = level
      fillSoon()
    case .store(let operation): store(operation)
    case .pass(let bytes): bytes.withUnsafeBytes { hub?.giveBack($0) }
    case .drain:
      drain = Drain(session, on: loop, patience: nil) { [unowned self] in take(.drained) }
    case .watchStandstill(let limit):
      standstill = limit.map { limit in
        StandstillWatch(session, on: loop, limit: limit) { [unowned self] in take(.standstill) }
      }
    case .perform(let operation): perform(operation) { [weak self] in self?.take(.performed($0)) }
    case .wake(let time):
      timer = time.map { time in
        loop.schedule(after: time - loop.now) { [unowned self] in
          timer = nil
          take(.woken)
        }
      }
    case .yield:
      hasYielded = true
      resumeSoon()
    case .report(let report): onReport(report)
    case .finish(let outcome): end(outcome)
    }
  }

  private func send(_ bytes: [UInt8]) {
    // Counted first: if the device is gone, the write cuts the exchange off.
    writtenCount += bytes.count
    do throws(SerialError) {
      try session.write(bytes.span.bytes, by: exchange.author)
    } catch {
      writtenCount -= bytes.count
      take(.sendFailed(error))
    }
  }

  private func store(_ operation: StorageOperation) {
    do throws(TransferStorageError) {
      if let answer = try storage?.perform(operation) { take(.stored(answer)) }
    } catch {
      take(.storageFailed(error))
    }
  }

  private func end(_ outcome: Value.Outcome) {
    isRunning = false
    session.removeObserver(self)
    (pen, subscription, timer, drain, standstill) = (nil, nil, nil, nil, nil)
    (pendingRead, sourceWatch, resumption, roomLevel) = (nil, nil, nil, nil)
    onEnd(outcome)
  }

  // MARK: The source

  /// Reads at the end of the turn: if the driver takes everything at once, keys must still be handled.
  private func fillSoon() {
    guard pendingRead != nil || roomLevel != nil, !isFillPending, isRunning else { return }
    isFillPending = true
    loop.atEndOfTurn { [weak self] in self?.fill() }
  }

  private func fill() {
    isFillPending = false
    if let level = roomLevel, isRunning, session.queuedByteCount < level {
      roomLevel = nil
      take(.room)
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
    take(event)
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

/// A running exchange of any kind: what the owner of its session can do with it.
package protocol RunningExchange: AnyObject {
  /// Stops the exchange, because the user wants it. What the driver has not taken is discarded.
  func stop()

  /// Lets an exchange go on that was held up because what it shows was not taken.
  func goOn()

  /// Lets the exchange send no more, because the session is about to end. The session waits for the
  /// bytes that the driver has taken, and then calls ``cutOff(discarding:)``.
  func leave()

  /// Whether the other side has to be told that it ends, which takes up to a second after ``leave()``.
  var takesLeave: Bool { get }

  /// The port is lost, and the session waits for its device. An exchange that does not outlive that is cut off.
  ///
  /// - Parameter discarded: the bytes that the session has discarded; see ``cutOff(discarding:)``.
  func lose(discarding discarded: inout UnsentBytes)

  /// Ends the exchange, because the session has discarded what it had not sent.
  ///
  /// - Parameter discarded: the bytes that the session has discarded. Those of the exchange are removed
  ///   if its outcome tells how many they are.
  func cutOff(discarding discarded: inout UnsentBytes)
}

extension RunningExchange {
  package var takesLeave: Bool { false }

  package func lose(discarding discarded: inout UnsentBytes) { cutOff(discarding: &discarded) }
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
