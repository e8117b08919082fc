import Glibc
public import Posix
public import SystemPackage

/// A link to a terminal device of this computer: a UART, a USB adapter, a pseudo-terminal.
///
/// ## Principles of operation
///
/// - The type of the node is checked before it is opened: opening other devices can
///   have side effects.
/// - The port is locked before anything is changed.
/// - Opening and changing settings flush nothing: bytes that arrived before can be read.
/// - Settings are read back after each change; closing restores what was found. A port that is lent
///   to another program keeps its settings meanwhile: see ``lend()``.
public final class TermiosLink: Link {
  public let endpoint: Endpoint
  /// The settings that the driver reported last.
  private(set) var settings = LineSettings()

  private let path: FilePath
  private var options: LinkOptions
  private var port: OpenPort?
  private var hasBreaks = false
  private var marks = ErrorMarkReader()

  /// Creates a link that is not open.
  ///
  /// - Parameters:
  ///   - endpoint: the node, or a link to one; it must have a path.
  ///   - options: options for opening it.
  public init(to endpoint: Endpoint, options: LinkOptions = LinkOptions()) {
    guard let path = endpoint.path else { preconditionFailure("\(endpoint) has no path") }
    self.endpoint = endpoint
    self.path = path
    self.options = options
  }

  deinit { close() }

  /// Opens the port, and reports during the call. After a failure the device is as it was found.
  public func start(_ settings: LineSettings, report: @escaping (LinkEvent) -> Void) {
    do throws(SerialError) {
      let probe = try open(settings)
      report(.opened(self.settings, probe))
    } catch {
      report(.failed(error.at(endpoint)))
    }
  }

  private func open(_ settings: LineSettings) throws(SerialError) -> LineProbe {
    try settings.checkBaudRate(at: endpoint)
    // If an error is thrown from here on, the port is released, which restores what was changed.
    let port = try OpenPort(claiming: path, options: options)
    if options.marksBreaks, LineProbe(of: port.descriptor).hasBreaks { options.marksErrors = true }
    var settings = settings
    if options.keepsBaudRate, let rate = port.baudRate { settings.baudRate = rate }
    let actual = try port.set(settings, options: options)
    // A change from speed 0 asserts both lines again: see uart_set_termios of the kernel.
    if port.wasHungUp, let error = port.setLines(of: options) { throw error }
    if let rs485 = options.rs485 { try port.setRS485(rs485) }
    if options.hasLowLatency { try port.setLowLatency() }
    let probe = LineProbe(of: port.descriptor)
    self.port = port
    self.settings = actual
    hasBreaks = probe.hasBreaks
    return probe
  }

  public var descriptor: FileDescriptor? { port?.descriptor }

  private var openDescriptor: FileDescriptor {
    guard let port else { preconditionFailure("the link is not open") }
    return port.descriptor
  }

  // MARK: Bytes

  public func read(
    into buffer: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(SerialError) -> LinkInput {
    if options.marksErrors {
      return try marks.read(into: buffer, isLast: isLast) { bytes throws(SerialError) in
        try read(into: bytes)
      }
    }
    return LinkInput(try read(into: buffer))
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) throws(SerialError) -> ReadOutcome {
    do { return try openDescriptor.readAvailable(into: buffer) } catch {
      throw SerialError(using: endpoint, error, in: "read")
    }
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(SerialError) -> WriteOutcome {
    do { return try openDescriptor.writeAvailable(bytes) } catch {
      throw SerialError(using: endpoint, error, in: "write")
    }
  }

  public var unsentByteCount: Int {
    guard let descriptor else { return 0 }
    var count: CInt = 0
    let result = ioctl(descriptor.rawValue, UInt(TIOCOUTQ), &count)
    return result == 0 ? Int(count) : 0
  }

  // MARK: The line

  /// Changes the settings, and answers during the call.
  public func apply(
    _ requested: LineSettings, answer: @escaping (Result<LineSettings, SerialError>) -> Void
  ) {
    guard let port else { preconditionFailure("the link is not open") }
    do throws(SerialError) {
      settings = try port.set(requested, options: options)
      answer(.success(settings))
    } catch {
      answer(.failure(error.at(endpoint)))
    }
  }

  public func setBreak(_ isOn: Bool) throws(SerialError) {
    let operation = isOn ? "TIOCSBRK" : "TIOCCBRK"
    guard hasBreaks else {
      throw SerialError(.unsupported, in: operation, at: endpoint, subject: "break")
    }
    try request("break", in: operation) { descriptor throws(Errno) in
      try systemCall {
        ioctl(descriptor.rawValue, UInt(isOn ? TIOCSBRK : TIOCCBRK), 0 as CInt)
      }
    }
  }

  public func modemLines() throws(SerialError) -> ModemLines {
    try request("modem lines", in: "TIOCMGET") { descriptor throws(Errno) in
      try ModemLines(of: descriptor)
    }
  }

  public func setModemLines(
    asserting: ModemLines, deasserting: ModemLines
  ) throws(SerialError) {
    try request("modem lines", in: "TIOCMBIC") { descriptor throws(Errno) in
      try deasserting.deassert(on: descriptor)
    }
    try request("modem lines", in: "TIOCMBIS") { descriptor throws(Errno) in
      try asserting.assert(on: descriptor)
    }
  }

  public func preferLowLatency(_ isOn: Bool) {
    // What the user has asked for stays.
    if !options.hasLowLatency { port?.preferLowLatency(isOn) }
  }

  public func counters() throws(SerialError) -> LineCounters {
    try request("counters", in: "TIOCGICOUNT") { descriptor throws(Errno) in
      try LineCounters(of: descriptor)
    }
  }

  @discardableResult
  private func request<Answer>(
    _ feature: String, in operation: String, _ ask: (FileDescriptor) throws(Errno) -> Answer
  ) throws(SerialError) -> Answer {
    do { return try ask(openDescriptor) } catch {
      throw SerialError(requesting: feature, at: endpoint, error, in: operation)
    }
  }

  public func discardUnsent() -> Int {
    let count = unsentByteCount
    if count > 0 { _ = tcflush(openDescriptor.rawValue, TCOFLUSH) }
    return count
  }

  public func close() {
    avoidWaiting()
    port?.close()
    port = nil
  }

  public func lend() -> LentPort? {
    avoidWaiting()
    defer { port = nil }
    return port?.lend(marksErrors: options.marksErrors)
  }

  public func inherit(_ lent: LentPort) { port?.inherit(lent) }

  /// The session has counted what the driver has not sent, and has waited as long as it
  /// wants to: close(2) would wait up to 30 s for a device that takes nothing. See
  /// closing_wait in setserial(8).
  private func avoidWaiting() { _ = discardUnsent() }
}
