public import Framing
public import SerialCore
public import SystemPackage
import Time

/// A serial port for programs that use Swift's concurrency.
///
/// ```swift
/// let port = try await SerialPort.open("/dev/ttyUSB0", LineSettings(baudRate: 115_200))
/// try await port.write("version\r")
/// for try await line in port.lines() { print(line) }
/// ```
///
/// ## Principles of operation
///
/// - It is an actor on a ``PortExecutor``: an event loop moves the bytes on a thread that never
///   waits for its callers.
/// - A received byte goes to one reader. Readers take turns in the order of their calls; a request
///   goes before readers that wait.
/// - No byte is lost: not by a time limit, not by a cancelled task, not by leaving a `for` loop.
///   What a reader has not taken as a whole goes to the next one.
/// - Back-pressure reaches the device. When ``PortOptions/readCapacity`` bytes wait for a reader,
///   the port stops reading, and flow control, if there is any, stops the device.
///   ``write(_:timeout:)-([UInt8],_)`` waits for room.
/// - A device has one port: opening locks it, as a `Session` does.
///
/// Release the port, or call ``close(draining:)``, to close it.
public actor SerialPort {
  /// Where the port runs.
  public nonisolated let executor: PortExecutor
  /// The executor of the actor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private nonisolated let feed = PortFeed()
  private let engine: PortEngine

  private init(_ settings: LineSettings, _ options: PortOptions, on executor: PortExecutor) {
    self.executor = executor
    // Nothing here uses the loop before the actor runs on it.
    engine = PortEngine(settings, options, on: executor.loop, devices: executor.devices) {
      [feed] event in
      feed.publish(event)
      // A port is opened once.
      if case .stateChange(.closed) = event { feed.finish() }
    }
  }

  // On the executor: the loop may be calling the engine.
  isolated deinit {
    _ = engine.close()
    feed.finish()
  }

  // MARK: Opening and closing

  /// Opens a port, locks it, and applies settings.
  ///
  /// - Parameters:
  ///   - path: a terminal device: `/dev/ttyUSB0`.
  ///   - settings: the line settings; by default 115200 8N1 without flow control.
  ///   - options: other options; `.reconnecting` waits for a device that is lost.
  ///   - executor: where the port runs; nil for ``PortExecutor/shared()``.
  /// - Throws: ``PortError/serial(_:)``: the port does not exist, is in use, or refuses a setting.
  public static func open(
    _ path: FilePath, _ settings: LineSettings = LineSettings(),
    options: PortOptions = PortOptions(), on executor: PortExecutor? = nil
  ) async throws(PortError) -> SerialPort {
    let executor = if let executor { executor } else { try PortExecutor.shared(toOpen: path) }
    let port = SerialPort(settings, options, on: executor)
    try await port.open(path)
    return port
  }

  private func open(_ path: FilePath) throws(PortError) { try engine.open(path) }

  /// Closes the port. What was received can still be read; then the sequences end.
  ///
  /// - Parameter limit: how long to wait until everything that was written is sent.
  /// - Returns: the number of bytes that were written and not sent.
  @discardableResult
  public func close(draining limit: Duration = .zero) async -> Int {
    // What is left after the limit is the result. In a task of its own, because this one may be
    // cancelled: then it is time to close.
    if limit > .zero { await Task { _ = try? await self.drain(timeout: limit) }.value }
    let unsent = engine.close()
    feed.finish()
    return unsent
  }

  // MARK: State

  /// The present state, on any thread.
  public nonisolated var state: SessionState { feed.state }

  /// The present state, then the latest one after each change, until the port is closed.
  public nonisolated var states: AsyncStream<SessionState> { feed.states() }

  /// The events from now on, until the port is closed. Any number of readers may follow them.
  public nonisolated var events: AsyncStream<PortEvent> { feed.events() }

  // MARK: Reading

  /// The number of bytes that were received and not read.
  public var receivedByteCount: Int { engine.buffer.count }

  /// The number of callers that read or wait for their turn, for tests.
  var readerCount: Int { engine.readers.count }
  /// Whether the device has to wait for a reader, for tests.
  var holdsDevice: Bool { engine.holdsDevice }

  /// Reads what has arrived; waits if nothing has.
  ///
  /// - Parameters:
  ///   - limit: the most bytes to return, at least 1.
  ///   - timeout: how long to wait; nil for as long as it takes.
  /// - Throws: ``PortError``: `timedOut`, `cancelled`, `closed`, `serial` if the device is lost.
  public func read(
    upTo limit: Int = 65_536, timeout: Duration? = nil
  ) async throws(PortError) -> [UInt8] {
    precondition(limit > 0, "a piece has at least one byte")
    return try await read(AvailableBytes(limit: limit), timeout: timeout)
  }

  /// Reads a number of bytes; waits until all of them have arrived.
  ///
  /// - Throws: ``PortError``, as ``read(upTo:timeout:)``. The bytes that have arrived stay for
  ///   the next reader.
  public func read(
    exactly count: Int, timeout: Duration? = nil
  ) async throws(PortError) -> [UInt8] {
    if count == 0 { return [] }
    var reading = Reading(ExactBytes(count: count), keepsRest: true)
    return try await read(&reading, timeout: timeout)
  }

  /// Reads one frame.
  ///
  /// - Parameters:
  ///   - framing: what a frame is: `.lines()`, `.slip()`, an expectation.
  ///   - timeout: how long to wait; nil for as long as it takes.
  /// - Throws: ``PortError``: `timedOut`, `cancelled`, `closed`, `damagedFrame`, `serial` if the
  ///   device is lost.
  public func read<Format: Framing>(
    _ framing: Format, timeout: Duration? = nil
  ) async throws(PortError) -> Format.Frame {
    var reading = Reading(framing)
    return try await read(&reading, timeout: timeout)
  }

  private func read<Format: Framing>(
    _ reading: inout Reading<Format>, timeout: Duration?
  ) async throws(PortError) -> Format.Frame {
    let caller = engine.readers.enter()
    defer { leaveReaders(caller) }
    return try await read(&reading, by: caller, until: deadline(after: timeout))
  }

  private func leaveReaders(_ caller: Int) {
    engine.needNoMore()
    engine.readers.leave(caller)
  }

  /// The next frame for a sequence, which keeps the reading; nil when the port is closed or
  /// the task cancelled.
  func next<Format: Framing>(
    _ reading: inout Reading<Format>
  ) async throws(PortError) -> Format.Frame? {
    let caller = engine.readers.enter()
    defer { leaveReaders(caller) }
    while true {
      do throws(PortError) {
        return try await read(&reading, by: caller, until: nil)
      } catch {
        switch error {
        case .damagedFrame(let damage): feed.publish(.damagedFrame(damage))
        case .cancelled, .closed: return nil
        case .serial, .timedOut: throw error
        }
      }
    }
  }

  private func read<Format: Framing>(
    _ reading: inout Reading<Format>, by caller: Int, until deadline: MonotonicTime?,
    whileLossesAre losses: Int? = nil
  ) async throws(PortError) -> Format.Frame {
    while true {
      if Task.isCancelled { throw .cancelled }
      if let losses, losses != engine.lossCount, let loss = engine.lastLoss {
        throw .serial(loss)
      }
      var wakeTime = deadline
      if engine.readers.isFirst(caller) {
        switch reading.step(engine) {
        case .frame(let frame): return frame
        case .damaged(let damage): throw .damagedFrame(damage)
        case .end(.closed): throw .closed
        case .end(.lost(let error)): throw .serial(error)
        case .wait(let time): wakeTime = earlier(deadline, time)
        }
      }
      if let deadline, deadline <= engine.now { throw .timedOut }
      await wait(caller, in: engine.readers, until: wakeTime)
    }
  }

  /// Discards what was received and not read, by this program or by the driver.
  ///
  /// The corresponding C function is `tcflush` with `TCIFLUSH`, which does not know what the
  /// program has read.
  ///
  /// - Returns: the number of bytes that were discarded.
  @discardableResult
  public func discardInput() -> Int { engine.discardInput() }

  // MARK: Writing

  /// Writes bytes; waits until the port has taken all of them. They may not be sent
  /// yet: see ``drain(timeout:)``.
  ///
  /// Callers take turns, so that their bytes are not mixed. While the device is lost,
  /// nothing is taken.
  ///
  /// - Throws: ``PortError``: `closed`, `serial` if the device is lost, `timedOut` or `cancelled`.
  ///   Bytes that the port had taken by then are sent nevertheless.
  public func write(_ bytes: [UInt8], timeout: Duration? = nil) async throws(PortError) {
    try await write(bytes, until: deadline(after: timeout))
  }

  /// Writes a text in UTF-8, as ``write(_:timeout:)-([UInt8],_)`` does with bytes.
  public func write(_ text: String, timeout: Duration? = nil) async throws(PortError) {
    try await write(Array(text.utf8), timeout: timeout)
  }

  private func write(_ bytes: [UInt8], until deadline: MonotonicTime?) async throws(PortError) {
    let caller = engine.writers.enter()
    defer { engine.writers.leave(caller) }
    var count = 0
    while true {
      if Task.isCancelled { throw .cancelled }
      if engine.writers.isFirst(caller) {
        let taken = try engine.write(bytes.span.bytes.extracting(droppingFirst: count))
        count += taken
        if count == bytes.count { return }
        if taken > 0 {
          // The driver may have taken all of it already, so that there is room and no event.
          await Task.yield()
          continue
        }
      }
      if let deadline, deadline <= engine.now { throw .timedOut }
      await wait(caller, in: engine.writers, until: deadline)
    }
  }

  /// The number of bytes that were written and are not on the line yet.
  public var unsentByteCount: Int { engine.session.unsentByteCount }

  /// Waits until everything that was written is on the line.
  ///
  /// The corresponding C function is `tcdrain`, which has no limit.
  ///
  /// - Throws: ``PortError``: `timedOut`, `cancelled`, `closed`, `serial` if the device is lost.
  public func drain(timeout: Duration? = nil) async throws(PortError) {
    let deadline = deadline(after: timeout)
    try await sleep { engine throws(PortError) in
      if let error = engine.notOpenError { throw error }
      if engine.session.unsentByteCount == 0 { return nil }
      let now = engine.now
      if let deadline, deadline <= now { throw .timedOut }
      // No event reports that the driver has sent everything.
      return min(deadline ?? now + Self.drainInterval, now + Self.drainInterval)
    }
  }

  private static let drainInterval = Duration.milliseconds(2)

  /// Discards what was written and the driver has not taken. A `write(_:timeout:)` that waits goes
  /// on with the rest of its bytes.
  ///
  /// - Returns: the number of bytes that were discarded.
  @discardableResult
  public func discardOutput() -> Int { engine.discardOutput() }

  // MARK: Requests

  /// Sends a request and reads the answer.
  ///
  /// Requests take turns: the next one is sent when this one has its answer. The answer goes to the
  /// request, not to another reader that waits.
  ///
  /// - Parameters:
  ///   - bytes: the request.
  ///   - framing: what an answer is.
  ///   - timeout: how long to wait for the turn, for room, and for the answer.
  ///   - discardsInput: whether what was received before is discarded first: a late answer to
  ///     an earlier request.
  /// - Throws: ``PortError``: `timedOut`, `cancelled`, `closed`, `damagedFrame`, `serial` if the
  ///   device is lost, also if the port reconnects: the answer is gone.
  public func request<Format: Framing>(
    _ bytes: [UInt8], until framing: Format, timeout: Duration?,
    discardingInput discardsInput: Bool = false
  ) async throws(PortError) -> Format.Frame {
    let deadline = deadline(after: timeout)
    let turn = engine.requesters.enter()
    defer { engine.requesters.leave(turn) }
    while !engine.requesters.isFirst(turn) {
      if Task.isCancelled { throw .cancelled }
      if let deadline, deadline <= engine.now { throw .timedOut }
      await wait(turn, in: engine.requesters, until: deadline)
    }
    // Before the request is sent: nobody else may take the answer.
    let caller = engine.readers.enter(first: true)
    defer { leaveReaders(caller) }
    if discardsInput { _ = engine.discardInput() }
    // The device may be able to take the request only if it can send meanwhile.
    engine.needMore()
    let losses = engine.lossCount
    try await write(bytes, until: deadline)
    var reading = Reading(framing)
    return try await read(&reading, by: caller, until: deadline, whileLossesAre: losses)
  }

  /// Sends a request in UTF-8 and reads the answer, as with bytes.
  public func request<Format: Framing>(
    _ text: String, until framing: Format, timeout: Duration?,
    discardingInput discardsInput: Bool = false
  ) async throws(PortError) -> Format.Frame {
    try await request(
      Array(text.utf8), until: framing, timeout: timeout, discardingInput: discardsInput)
  }

  // MARK: The line

  /// The settings that the driver reports; those to apply while no port is open.
  public var settings: LineSettings { engine.settings }

  /// Changes the settings of the open port, and for every later opening. Nothing is flushed.
  ///
  /// - Returns: the settings that the driver reports.
  /// - Throws: ``PortError/serial(_:)``: the driver refuses a setting; the old ones are in effect.
  @discardableResult
  public func apply(_ settings: LineSettings) throws(PortError) -> LineSettings {
    try engine.apply(settings)
  }

  /// Reads the modem lines. Asking takes as long as a USB transfer for some adapters.
  ///
  /// - Returns: the lines that are asserted; nil if the port has none.
  public func modemLines() -> ModemLines? { engine.readModemLines() }

  /// Sets output lines, first those to deassert. With hardware flow control, the driver
  /// sets RTS itself.
  ///
  /// - Parameters:
  ///   - asserting: the lines to assert, of DTR and RTS.
  ///   - deasserting: the lines to deassert; no line may be in both.
  /// - Throws: ``PortError/serial(_:)``: the port has no modem lines, or is not open.
  public func setModemLines(
    asserting: ModemLines = [], deasserting: ModemLines = []
  ) throws(PortError) {
    try engine.setModemLines(asserting: asserting, deasserting: deasserting)
  }

  /// The modem lines now, and after each change, until the port is closed.
  ///
  /// No event reports a change: the driver is asked. A change that is undone between two
  /// questions is missed.
  ///
  /// - Parameter interval: the time between two questions, while a change is waited for.
  public nonisolated func modemLineChanges(
    every interval: Duration = .milliseconds(20)
  ) -> ModemLineSequence {
    ModemLineSequence(port: self, interval: interval)
  }

  /// Waits until the modem lines differ; nil when the port is closed or the task cancelled.
  func nextModemLines(
    after old: ModemLines?, every interval: Duration
  ) async throws(PortError) -> ModemLines? {
    var new: ModemLines?
    do throws(PortError) {
      try await sleep { engine throws(PortError) in
        switch engine.ending {
        case .closed: throw .closed
        case .lost(let error): throw .serial(error)
        case nil: break
        }
        new = engine.readModemLines()
        if let new, new != old { return nil }
        if engine.session.isOpen && new == nil {
          let endpoint = engine.session.state.endpoint ?? .tty("")
          throw .serial(
            SerialError(.unsupported, in: "TIOCMGET", at: endpoint, subject: "modem lines"))
        }
        return engine.now + interval
      }
    } catch {
      switch error {
      case .cancelled, .closed: return nil
      case .serial, .timedOut, .damagedFrame: throw error
      }
    }
    return new
  }

  /// Holds the line in the break condition for a time; shorter if the task is cancelled. POSIX's
  /// `tcsendbreak` takes 250 ms to 500 ms.
  ///
  /// - Throws: ``PortError``: `serial` if the port has no break or is lost, `cancelled`.
  public func sendBreak(for duration: Duration = .milliseconds(250)) async throws(PortError) {
    try engine.setBreak(true)
    // A port that is lost has no break to end.
    defer { _ = try? engine.setBreak(false) }
    let end = engine.now + duration
    try await sleep { engine throws(PortError) in
      if let error = engine.notOpenError { throw error }
      return engine.now < end ? end : nil
    }
  }

  // MARK: Waiting

  private func deadline(after timeout: Duration?) -> MonotonicTime? {
    timeout.map { engine.now + $0 }
  }

  /// Waits, and looks again at the times that a closure returns and when the state changes, until
  /// it returns nil.
  private func sleep(
    _ look: (PortEngine) throws(PortError) -> MonotonicTime?
  ) async throws(PortError) {
    let sleeper = engine.sleepers.enter()
    defer { engine.sleepers.leave(sleeper) }
    while let time = try look(engine) {
      if Task.isCancelled { throw .cancelled }
      await wait(sleeper, in: engine.sleepers, until: time)
    }
  }

  /// Suspends a caller until it is woken, a time has come, or its task is cancelled.
  private func wait(_ caller: Int, in line: WaitingLine, until time: MonotonicTime?) async {
    let timer = time.map { [engine] in engine.wake(caller, in: line, at: $0) }
    // Only a closure that captures the actor runs on it. The handler may run on any thread,
    // at any time.
    await withTaskCancellationHandler {
      // A continuation resumes its task on the executor that the task prefers, although it belongs
      // to the actor.
      await withTaskExecutorPreference(executor) {
        await withUnsafeContinuation { continuation in
          assertIsolated()
          line.park(caller, continuation)
        }
      }
    } onCancel: {
      Task { await self.wakeAll() }
    }
    withExtendedLifetime(timer) {}
  }

  /// Wakes every caller: those that are not cancelled wait again.
  private func wakeAll() {
    for line in [engine.readers, engine.writers, engine.requesters, engine.sleepers] {
      line.wakeAll()
    }
  }
}
