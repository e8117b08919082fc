import DeviceWatch
import EventLoop
import Observing
import Posix
import Reconnecting
import SerialCore
import SystemPackage
import Time

/// A session with a buffer of what was received, and lines of callers that wait for it: what
/// ``SerialPort`` and ``BlockingPort`` have in common.
///
/// It has no thread. Its owner runs the loop, and calls its methods on the loop's thread.
final class PortEngine {
  /// Why the port sends and receives nothing any more.
  enum Ending {
    /// Its program has closed it.
    case closed
    /// The device is lost, and the port does not wait for it.
    case lost(SerialError)
  }

  let session: Session
  let loop: IOLoop
  private let onEvent: (PortEvent) -> Void
  /// What was received and not read.
  private(set) var buffer = ReceiveBuffer()
  /// Why the port has ended; nil while it is open, and while it waits for its device.
  private(set) var ending: Ending? = .closed
  /// Callers that read.
  let readers = WaitingLine()
  /// Callers that write.
  let writers = WaitingLine()
  /// Callers that send a request and wait for the answer.
  let requesters = WaitingLine()
  /// Callers that wait for a time, or for everything to be sent. Each is woken by itself.
  let sleepers = WaitingLine()

  private let driver: SessionDriver
  private var observations: [ObservationToken<SessionEvent>] = []
  private let reconnects: Bool
  private let devices: DeviceCatalog
  private var reconnector: Reconnector?
  /// The number of received bytes at which the device has to wait.
  private let capacity: Int
  private var readingPause: Session.Pause?
  /// Whether the first reader needs more than the buffer has.
  private var isStarving = false
  /// Whether what is received next may have arrived long before.
  private var isLate = false
  /// The number of times that the device was lost.
  private(set) var lossCount = 0
  /// Where the first byte after the last loss is.
  private(set) var lossPosition = 0
  private var lastFraming: (position: Int, framing: any Framing)?

  /// Creates an engine without a port.
  ///
  /// - Parameters:
  ///   - devices: the serial ports of the computer, which ports on one loop share.
  ///   - onEvent: called with each event.
  init(
    _ settings: LineSettings, _ options: PortOptions, on loop: IOLoop, devices: DeviceCatalog,
    onEvent: @escaping (PortEvent) -> Void = { _ in }
  ) {
    self.loop = loop
    self.onEvent = onEvent
    self.devices = devices
    session = Session(
      settings: settings, options: options.link, waitsForLostDevice: options.reconnects,
      writeCapacity: options.writeCapacity)
    reconnects = options.reconnects
    capacity = options.readCapacity
    driver = SessionDriver(session, on: loop) { [unowned session] _ in
      // A port that cannot be polled would be deaf without a word.
      loop.atEndOfTurn { [weak session] in session?.deviceDidDisappear() }
    }
    observations = [
      session.observe(.stateChange) { [unowned self] in stateDidChange(from: $0.old, to: $0.new) },
      session.observe(.received) { [unowned self] in receive($0) },
      session.observe(.lineError) { onEvent(.lineError($0)) },
      session.observe(.modemLinesChange) { onEvent(.modemLinesChange($0.new)) },
      session.observe(.sent) { [unowned self] _ in writers.wakeFirst() },
    ]
  }

  // MARK: Opening and closing

  /// Opens a terminal device.
  func open(_ path: FilePath) throws(PortError) {
    ending = nil
    do throws(SerialError) {
      try session.open(.tty(path))
      if reconnects { try reconnect(following: path) }
    } catch {
      session.close()
      throw .serial(error)
    }
  }

  private func reconnect(following path: FilePath) throws(SerialError) {
    let presence = DevicePresence(
      of: .path(PathBinding(path)), among: devices, on: loop)
    let reconnector = Reconnector(session, to: presence, on: Scheduler(loop))
    self.reconnector = reconnector
    do throws(Errno) {
      try reconnector.start()
    } catch {
      throw SerialError(.system, in: "epoll_ctl", at: .tty(path), errno: error)
    }
  }

  /// Closes the port. What was received can still be read.
  ///
  /// - Returns: the number of bytes that were written and not sent.
  func close() -> Int {
    guard case .done(let discarded) = session.close() else { return 0 }
    return discarded.total
  }

  /// The error of an operation that needs an open port; nil if it is open.
  var notOpenError: PortError? {
    if session.isOpen { return nil }
    switch ending {
    case .closed: return .closed
    case .lost(let error): return .serial(error)
    case nil: break
    }
    if case .waitingForDevice = session.state, let lastLoss { return .serial(lastLoss) }
    return .serial(SerialError(.notOpen, in: "open", at: session.state.endpoint ?? .tty("")))
  }

  /// The last loss of the device.
  private(set) var lastLoss: SerialError?

  /// The time of the loop.
  var now: MonotonicTime { loop.now }

  /// Wakes a caller at a time.
  ///
  /// - Returns: the token, which the caller keeps meanwhile.
  func wake(_ caller: Int, in line: WaitingLine, at time: MonotonicTime) -> LoopTimer {
    loop.schedule(after: time - now) { line.wake(caller) }
  }

  // MARK: Bytes

  /// Queues as many bytes as there is room for.
  ///
  /// - Returns: their number.
  func write(_ bytes: RawSpan) throws(PortError) -> Int {
    if let notOpenError { throw notOpenError }
    let piece = bytes.extracting(first: session.writeRoom)
    guard piece.byteCount > 0 else { return 0 }
    do throws(SerialError) {
      try session.write(piece)
    } catch {
      throw .serial(error)
    }
    return piece.byteCount
  }

  /// Removes bytes at the front of the buffer.
  ///
  /// - Parameter framing: the framing that has found them, with what it keeps between frames.
  func removeReceived(_ count: Int, leaving framing: (any Framing)? = nil) {
    buffer.removeFirst(count)
    let isBeforeLoss = lossCount > 0 && buffer.position == lossPosition
    lastFraming = isBeforeLoss ? nil : framing.map { (buffer.position, $0) }
    isStarving = false
    if buffer.count <= capacity / 2 { endPause() }
  }

  /// The framing that has removed the bytes up to a position.
  func leftFraming(at position: Int) -> (any Framing)? {
    lastFraming.flatMap { $0.position == position ? $0.framing : nil }
  }

  /// Whether the device has to wait for a reader.
  var holdsDevice: Bool { readingPause != nil }

  /// Has the device send more, although the buffer may be full: the first reader cannot use
  /// what it has.
  func needMore() {
    isStarving = true
    endPause()
  }

  /// Nobody reads at present: the buffer has its limit again.
  func needNoMore() {
    isStarving = false
    pauseIfFull()
  }

  private func pauseIfFull() {
    guard buffer.count >= capacity && !isStarving && readingPause == nil else { return }
    readingPause = session.pauseReading()
  }

  private func endPause() {
    // The driver has held bytes back, and nobody knows for how long.
    if readingPause != nil { isLate = true }
    readingPause = nil
  }

  /// Reads what the driver has, which may have arrived long before.
  ///
  /// - Returns: whether there was something.
  func receiveLate() -> Bool {
    let before = session.receivedByteCount
    isLate = true
    session.handle(.readable)
    isLate = false
    return session.receivedByteCount != before
  }

  /// Discards what was received and not read, by this program or by the driver.
  ///
  /// - Returns: the number of bytes.
  func discardInput() -> Int {
    needMore()
    // The driver's buffer is read in a few pieces; a device that goes on sending must not keep
    // the caller here.
    for _ in 0..<16 where session.isOpen {
      let before = session.receivedByteCount
      session.handle(.readable)
      if session.receivedByteCount == before { break }
    }
    defer { removeReceived(buffer.count) }
    return buffer.count
  }

  /// Discards what was written and the driver has not taken. Writers that wait go on.
  ///
  /// - Returns: the number of bytes.
  func discardOutput() -> Int {
    let count = session.discardQueued().total
    writers.wakeFirst()
    return count
  }

  // MARK: The line

  /// The settings that the driver reports; those to apply while no port is open.
  var settings: LineSettings {
    if case .open(_, let settings) = session.state { settings } else { session.requestedSettings }
  }

  /// Changes the settings.
  ///
  /// - Returns: the settings that the driver reports.
  func apply(_ settings: LineSettings) throws(PortError) -> LineSettings {
    if let notOpenError { throw notOpenError }
    do throws(SerialError) {
      try session.apply(settings)
    } catch {
      throw .serial(error)
    }
    return self.settings
  }

  /// Asks the driver for the modem lines; nil if the port has none.
  func readModemLines() -> ModemLines? {
    session.refreshModemLines()
    return session.modemLines
  }

  func setModemLines(asserting: ModemLines, deasserting: ModemLines) throws(PortError) {
    if let notOpenError { throw notOpenError }
    do throws(SerialError) {
      try session.setModemLines(asserting: asserting, deasserting: deasserting)
    } catch {
      throw .serial(error)
    }
  }

  func setBreak(_ isOn: Bool) throws(PortError) {
    if let notOpenError { throw notOpenError }
    do throws(SerialError) {
      try session.setBreak(isOn)
    } catch {
      throw .serial(error)
    }
  }

  // MARK: The session's events

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    buffer.append(bytes, at: loop.now, continues: isLate)
    isLate = false
    pauseIfFull()
    readers.wakeFirst()
  }

  private func stateDidChange(from old: SessionState, to new: SessionState) {
    if old.isOpen && !new.isOpen { buffer.cut() }
    switch new {
    case .waitingForDevice(_, .lost(let error)), .closed(.lost(let error)?):
      lossCount += 1
      lossPosition = buffer.position + buffer.count
      if buffer.isEmpty { lastFraming = nil }
      lastLoss = error
    case .waitingForDevice, .closed, .opening, .open, .released: break
    }
    switch new {
    case .closed(.lost(let error)?), .closed(.failed(let error)?): ending = .lost(error)
    case .closed: ending = .closed
    case .opening, .open, .waitingForDevice, .released: ending = nil
    }
    if case .closed = new { reconnector = nil }
    onEvent(.stateChange(new))
    for line in [readers, writers, requesters, sleepers] { line.wakeAll() }
  }
}

/// The earlier one of two times; nil stands for no time.
func earlier(_ one: MonotonicTime?, _ other: MonotonicTime?) -> MonotonicTime? {
  guard let one, let other else { return one ?? other }
  return min(one, other)
}
