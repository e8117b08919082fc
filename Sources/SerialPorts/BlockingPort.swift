import EventLoop
public import Framing
import Reconnecting
public import SerialCore
public import SystemPackage
import Time

/// A serial port whose methods wait: for scripts, tests, and programs with a thread for each port.
///
/// ```swift
/// let port = try BlockingPort("/dev/ttyUSB0", LineSettings(baudRate: 115_200))
/// try port.write("version\r")
/// print(try port.read(.lines(), timeout: .seconds(1)))
/// ```
///
/// Bytes move while a method runs; meanwhile the driver keeps what it receives, as far as it has
/// room. A time limit loses nothing: what has arrived stays for the next call. A port is confined
/// to one thread, and not `Sendable`.
public final class BlockingPort {
  private let engine: PortEngine
  private let loop: IOLoop

  /// Opens a port, locks it, and applies settings.
  ///
  /// - Parameters:
  ///   - path: a terminal device: `/dev/ttyUSB0`.
  ///   - settings: the line settings; by default 115200 8N1 without flow control.
  ///   - options: other options; `.reconnecting` waits for a device that is lost.
  /// - Throws: ``PortError/serial(_:)``: the port does not exist, is in use, or refuses a setting.
  public init(
    _ path: FilePath, _ settings: LineSettings = LineSettings(),
    options: PortOptions = PortOptions()
  ) throws(PortError) {
    do throws(Errno) {
      loop = try IOLoop()
    } catch {
      throw .serial(SerialError(.system, in: "epoll_create1", at: .tty(path), errno: error))
    }
    engine = PortEngine(settings, options, on: loop, devices: DeviceCatalog())
    try engine.open(path)
  }

  deinit { _ = engine.close() }

  /// The state of the port.
  public var state: SessionState { engine.session.state }

  /// Closes the port. What was received can still be read.
  ///
  /// - Parameter limit: how long to wait until everything that was written is sent.
  /// - Returns: the number of bytes that were written and not sent.
  @discardableResult
  public func close(draining limit: Duration = .zero) -> Int {
    // What is left after the limit is the result.
    if limit > .zero { _ = try? drain(timeout: limit) }
    return engine.close()
  }

  // MARK: Reading

  /// The number of bytes that were received and not read.
  public func receivedByteCount() throws(PortError) -> Int {
    try turn(waitingAtMost: .zero)
    return engine.buffer.count
  }

  /// Reads what has arrived; waits if nothing has.
  ///
  /// - Parameters:
  ///   - limit: the most bytes to return, at least 1.
  ///   - timeout: how long to wait; nil for as long as it takes.
  /// - Throws: ``PortError``: `timedOut`, `closed`, `serial` if the device is lost.
  public func read(
    upTo limit: Int = 65_536, timeout: Duration? = nil
  ) throws(PortError) -> [UInt8] {
    precondition(limit > 0, "a piece has at least one byte")
    return try read(AvailableBytes(limit: limit), timeout: timeout)
  }

  /// Reads a number of bytes; waits until all of them have arrived.
  ///
  /// - Throws: ``PortError``, as ``read(upTo:timeout:)``. The bytes that have arrived stay for
  ///   the next call.
  public func read(exactly count: Int, timeout: Duration? = nil) throws(PortError) -> [UInt8] {
    if count == 0 { return [] }
    return try read(
      Reading(ExactBytes(count: count), keepsRest: true), until: deadline(after: timeout))
  }

  /// Reads one frame: a line, a packet.
  ///
  /// - Throws: ``PortError``: `timedOut`, `closed`, `damagedFrame`, `serial` if the device is lost.
  public func read<Format: Framing>(
    _ framing: Format, timeout: Duration? = nil
  ) throws(PortError) -> Format.Frame {
    try read(Reading(framing), until: deadline(after: timeout))
  }

  private func read<Format: Framing>(
    _ reading: Reading<Format>, until deadline: MonotonicTime?,
    whileLossesAre losses: Int? = nil
  ) throws(PortError) -> Format.Frame {
    defer { engine.needNoMore() }
    var reading = reading
    var isLast = false
    while true {
      if let losses, losses != engine.lossCount, let loss = engine.lastLoss {
        throw .serial(loss)
      }
      switch reading.step(engine) {
      case .frame(let frame): return frame
      case .damaged(let damage): throw .damagedFrame(damage)
      case .end(.closed): throw .closed
      case .end(.lost(let error)): throw .serial(error)
      case .wait where isLast: throw .timedOut
      case .wait(let time):
        // At the deadline too, the driver is asked once.
        isLast = deadline.map { $0 <= engine.now } ?? false
        try turn(until: earlier(deadline, time))
      }
    }
  }

  /// Discards what was received and not read, by this program or by the driver.
  ///
  /// - Returns: the number of bytes that were discarded.
  @discardableResult
  public func discardInput() -> Int { engine.discardInput() }

  // MARK: Writing

  /// Writes bytes; waits until the driver has taken all of them. They may not be on the line
  /// yet: see ``drain(timeout:)``.
  ///
  /// - Throws: ``PortError``: `closed`, `serial` if the device is lost, `timedOut`. What the port
  ///   has taken by then is sent while later methods run, unless ``discardOutput()`` is called.
  public func write(_ bytes: [UInt8], timeout: Duration? = nil) throws(PortError) {
    try write(bytes, until: deadline(after: timeout))
  }

  /// Writes a text in UTF-8, as ``write(_:timeout:)-([UInt8],_)`` does with bytes.
  public func write(_ text: String, timeout: Duration? = nil) throws(PortError) {
    try write(Array(text.utf8), timeout: timeout)
  }

  private func write(_ bytes: [UInt8], until deadline: MonotonicTime?) throws(PortError) {
    var count = 0
    while true {
      let taken = try engine.write(bytes.span.bytes.extracting(droppingFirst: count))
      count += taken
      if count == bytes.count { break }
      // The driver may have taken all of it already, so that there is room and no event.
      if taken == 0 { try wait(until: deadline) }
    }
    // Nothing is sent while no method runs.
    while engine.session.queuedByteCount > 0 {
      if let error = engine.notOpenError { throw error }
      try wait(until: deadline)
    }
  }

  /// Waits until everything that was written is on the line.
  ///
  /// The corresponding C function is `tcdrain`, which has no limit.
  ///
  /// - Throws: ``PortError``: `timedOut`, `closed`, `serial` if the device is lost.
  public func drain(timeout: Duration? = nil) throws(PortError) {
    let deadline = deadline(after: timeout)
    while true {
      if let error = engine.notOpenError { throw error }
      if engine.session.unsentByteCount == 0 { return }
      // No event reports that the driver has sent everything.
      try wait(until: deadline, orAt: engine.now + .milliseconds(2))
    }
  }

  /// Sends a request and reads the answer.
  ///
  /// - Parameters:
  ///   - bytes: the request.
  ///   - framing: what an answer is.
  ///   - timeout: how long to wait for room and for the answer.
  ///   - discardsInput: whether what was received before is discarded first: a late answer to
  ///     an earlier request.
  /// - Throws: ``PortError``: `timedOut`, `closed`, `damagedFrame`, `serial` if the device is lost.
  public func request<Format: Framing>(
    _ bytes: [UInt8], until framing: Format, timeout: Duration?,
    discardingInput discardsInput: Bool = false
  ) throws(PortError) -> Format.Frame {
    let deadline = deadline(after: timeout)
    if discardsInput { _ = engine.discardInput() }
    let losses = engine.lossCount
    try write(bytes, until: deadline)
    return try read(Reading(framing), until: deadline, whileLossesAre: losses)
  }

  /// Sends a request in UTF-8 and reads the answer, as with bytes.
  public func request<Format: Framing>(
    _ text: String, until framing: Format, timeout: Duration?,
    discardingInput discardsInput: Bool = false
  ) throws(PortError) -> Format.Frame {
    try request(Array(text.utf8), until: framing, timeout: timeout, discardingInput: discardsInput)
  }

  /// The number of bytes that were written and are not on the line yet.
  public var unsentByteCount: Int { engine.session.unsentByteCount }

  /// Discards what was written and the driver has not taken.
  ///
  /// - Returns: the number of bytes that were discarded.
  @discardableResult
  public func discardOutput() -> Int { engine.discardOutput() }

  // MARK: The line

  /// The settings that the driver reports.
  public var settings: LineSettings { engine.settings }

  /// Changes the settings of the open port. Nothing is flushed.
  ///
  /// - Returns: the settings that the driver reports.
  /// - Throws: ``PortError/serial(_:)``: the driver refuses a setting; the old ones are in effect.
  @discardableResult
  public func apply(_ settings: LineSettings) throws(PortError) -> LineSettings {
    try engine.apply(settings)
  }

  /// Reads the modem lines.
  ///
  /// - Returns: the lines that are asserted; nil if the port has none.
  public func modemLines() -> ModemLines? { engine.readModemLines() }

  /// Sets output lines, first those to deassert: see
  /// ``SerialPort/setModemLines(asserting:deasserting:)``.
  public func setModemLines(
    asserting: ModemLines = [], deasserting: ModemLines = []
  ) throws(PortError) {
    try engine.setModemLines(asserting: asserting, deasserting: deasserting)
  }

  /// Holds the line in the break condition for a time.
  ///
  /// - Throws: ``PortError/serial(_:)``: the port has no break, or is lost.
  public func sendBreak(for duration: Duration = .milliseconds(250)) throws(PortError) {
    try engine.setBreak(true)
    // A port that is lost has no break to end.
    defer { _ = try? engine.setBreak(false) }
    let end = engine.now + duration
    while engine.now < end {
      if let error = engine.notOpenError { throw error }
      try turn(waitingAtMost: end - engine.now)
    }
  }

  // MARK: Waiting

  private func deadline(after timeout: Duration?) -> MonotonicTime? {
    timeout.map { engine.now + $0 }
  }

  /// Moves bytes until something has happened, or a time has come.
  ///
  /// - Throws: `timedOut` if the deadline has passed.
  private func wait(
    until deadline: MonotonicTime?, orAt time: MonotonicTime? = nil
  ) throws(PortError) {
    if let deadline, deadline <= engine.now { throw .timedOut }
    try turn(until: earlier(deadline, time))
  }

  private func turn(until end: MonotonicTime?) throws(PortError) {
    try turn(waitingAtMost: end.map { max(.zero, $0 - engine.now) })
  }

  private func turn(waitingAtMost limit: Duration?) throws(PortError) {
    do throws(Errno) {
      try loop.turn(waitingAtMost: limit)
    } catch {
      let endpoint = engine.session.state.endpoint ?? .tty("")
      throw .serial(SerialError(.system, in: "epoll_wait", at: endpoint, errno: error))
    }
  }
}

@available(*, unavailable)
extension BlockingPort: Sendable {}
