import Glibc
public import Posix
public import SystemPackage

/// A link to a terminal device of this computer: a UART, a USB adapter, a pseudo-terminal.
///
/// ## Principles of operation
///
/// - The type of the node is checked before it is opened: opening other devices can have side
///   effects.
/// - The port is locked before anything is changed: see ``OpenPort/init(claiming:options:)``.
/// - Opening and changing settings flush nothing: bytes that arrived before can be read.
/// - Settings are read back after each change; closing restores what was found. A port that is lent
///   to another program keeps its settings meanwhile: see ``lend()``.
public final class TermiosLink: Link {
  public let path: FilePath
  public private(set) var settings: LineSettings

  public let probe: LineProbe

  private let options: LinkOptions
  private let port: OpenPort

  /// Opens a port.
  ///
  /// - Parameters:
  ///   - path: the node, or a link to one.
  ///   - settings: the requested settings; ``settings`` has those that the driver reports.
  ///   - options: further options.
  /// - Throws: ``SerialError``; the device is as it was found then.
  public init(
    opening path: FilePath, settings: LineSettings, options: LinkOptions = LinkOptions()
  ) throws(SerialError) {
    try settings.checkBaudRate(at: path)
    self.path = path
    self.options = options
    // If an error is thrown from here on, the port is released, which restores what was changed.
    port = try OpenPort(claiming: path, options: options)
    self.settings = try port.set(settings, options: options)
    // A change from speed 0 asserts both lines again: see uart_set_termios of the kernel.
    if port.wasHungUp, let error = port.setLines(of: options) { throw error }
    if let rs485 = options.rs485 { try port.setRS485(rs485) }
    if options.hasLowLatency { try port.setLowLatency() }
    probe = LineProbe(of: port.descriptor)
  }

  deinit { close() }

  public var descriptor: FileDescriptor { port.descriptor }

  public var marksErrors: Bool { options.marksErrors }

  // MARK: Bytes

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(SerialError) -> ReadOutcome {
    do { return try descriptor.readAvailable(into: buffer) } catch {
      throw SerialError(using: path, error, in: "read")
    }
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(SerialError) -> WriteOutcome {
    do { return try descriptor.writeAvailable(bytes) } catch {
      throw SerialError(using: path, error, in: "write")
    }
  }

  public var unsentByteCount: Int {
    var count: CInt = 0
    let result = ioctl(descriptor.rawValue, UInt(TIOCOUTQ), &count)
    return result == 0 ? Int(count) : 0
  }

  // MARK: The line

  public func apply(_ requested: LineSettings) throws(SerialError) {
    settings = try port.set(requested, options: options)
  }

  public func setBreak(_ isOn: Bool) throws(SerialError) {
    let operation = isOn ? "TIOCSBRK" : "TIOCCBRK"
    guard probe.hasBreaks else {
      throw SerialError(.unsupported, in: operation, at: path, subject: "break")
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

  public func counters() throws(SerialError) -> LineCounters {
    try request("counters", in: "TIOCGICOUNT") { descriptor throws(Errno) in
      try LineCounters(of: descriptor)
    }
  }

  @discardableResult
  private func request<Answer>(
    _ feature: String, in operation: String, _ ask: (FileDescriptor) throws(Errno) -> Answer
  ) throws(SerialError) -> Answer {
    do { return try ask(descriptor) } catch {
      throw SerialError(requesting: feature, at: path, error, in: operation)
    }
  }

  public func discardUnsent() -> Int {
    let count = unsentByteCount
    if count > 0 { _ = tcflush(descriptor.rawValue, TCOFLUSH) }
    return count
  }

  public func close() {
    guard port.isOpen else { return }
    avoidWaiting()
    port.close()
  }

  public func lend() -> LentPort? {
    guard port.isOpen else { return nil }
    avoidWaiting()
    return port.lend(marksErrors: options.marksErrors)
  }

  public func inherit(_ lent: LentPort) { port.inherit(lent) }

  /// The session has counted what the driver has not sent, and has waited as long as it wants to:
  /// close(2) would wait up to 30 s for a device that takes nothing. See closing_wait in setserial(8).
  private func avoidWaiting() { _ = discardUnsent() }
}
