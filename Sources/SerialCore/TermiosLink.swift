import Glibc
public import Posix
public import SystemPackage

/// A link to a terminal device of this machine: a UART, a USB adapter, a pseudo-terminal.
///
/// ## Principles of operation
///
/// - The node is looked at before it is opened: opening some devices that are no serial ports has
///   effects of its own.
/// - Opened without waiting for carrier detect and without becoming the controlling terminal, and
///   non-blocking for good.
/// - Locked before anything is changed: flock(2), which other programs of this field respect, then
///   `TIOCEXCL`, which the kernel enforces on everybody but root. The flock belongs to the open
///   file, so that two links of one program exclude each other too.
/// - Nothing is flushed: what the device said before it was opened is there to be read.
/// - The driver's answer is read back, never assumed; closing restores what was found.
public final class TermiosLink: Link {
  public let path: FilePath
  public private(set) var settings: LineSettings

  private let file: OpenFile
  private let found: TerminalAttributes
  private let isExclusive: Bool

  /// Closed by ``close()`` already when nil.
  private final class OpenFile {
    var descriptor: OwnedDescriptor?
    init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = consume descriptor }
  }

  /// Opens a port.
  ///
  /// - Parameters:
  ///   - path: the node, or a link to one.
  ///   - settings: what to ask for; see ``settings`` for what the driver took.
  ///   - isExclusive: whether to lock the port, and respect another's lock.
  /// - Throws: ``SerialError``; the device is as it was found then.
  public init(
    opening path: FilePath, settings requested: LineSettings, isExclusive: Bool = true
  ) throws(SerialError) {
    func attempt<Result: ~Copyable>(
      _ operation: String, _ body: () throws(Errno) -> Result
    ) throws(SerialError) -> Result {
      do { return try body() } catch { throw SerialError(opening: path, error, in: operation) }
    }
    let node = try attempt("stat") { () throws(Errno) in try path.stat() }
    guard node.type == .characterSpecial else {
      throw SerialError(.notASerialPort, in: "stat", at: path)
    }
    let descriptor = try attempt("open") { () throws(Errno) in
      try OwnedDescriptor.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
    }
    let borrowed = descriptor.borrowed
    found = try attempt("TCGETS2") { () throws(Errno) in try TerminalAttributes(of: borrowed) }
    if isExclusive { try Self.lock(borrowed, path) }
    do {
      self.settings = try Self.set(requested, keeping: found, on: borrowed)
    } catch {
      if isExclusive { Self.unlock(borrowed) }
      throw SerialError(.settingRefused, in: "TCSETS2", at: path, errno: error)
    }
    self.path = path
    self.isExclusive = isExclusive
    file = OpenFile(descriptor)
  }

  deinit { close() }

  public var descriptor: FileDescriptor {
    guard let descriptor = file.descriptor?.borrowed else {
      preconditionFailure("a link was used after it was closed")
    }
    return descriptor
  }

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

  // MARK: Settings

  public func apply(_ requested: LineSettings) throws(SerialError) {
    do {
      let present = try TerminalAttributes(of: descriptor)
      settings = try Self.set(requested, keeping: present, on: descriptor)
    } catch {
      let failure = SerialError(using: path, error, in: "TCSETS2")
      if failure.code == .lost { throw failure }
      throw SerialError(.settingRefused, in: "TCSETS2", at: path, errno: error)
    }
  }

  public func setBreak(_ isOn: Bool) throws(SerialError) {
    let request = UInt(isOn ? TIOCSBRK : TIOCCBRK)
    do { try systemCall { ioctl(descriptor.rawValue, request, 0 as CInt) } } catch {
      throw SerialError(using: path, error, in: isOn ? "TIOCSBRK" : "TIOCCBRK")
    }
  }

  /// Asks for settings and returns what the driver took; after an error the old ones stand.
  private static func set(
    _ settings: LineSettings, keeping old: TerminalAttributes, on descriptor: FileDescriptor
  ) throws(Errno) -> LineSettings {
    var attributes = old
    attributes.makeRaw()
    attributes.lineSettings = settings
    do {
      try attributes.set(on: descriptor)
      return try TerminalAttributes(of: descriptor).lineSettings
    } catch {
      // Some drivers apply a part before they refuse the rest. The first error is the one to tell.
      _ = try? old.set(on: descriptor)
      throw error
    }
  }

  // MARK: Ownership

  private static func lock(_ descriptor: FileDescriptor, _ path: FilePath) throws(SerialError) {
    do { try systemCall { flock(descriptor.rawValue, LOCK_EX | LOCK_NB) } } catch {
      let code: SerialError.Code = error == .wouldBlock ? .busy : .system
      throw SerialError(code, in: "flock", at: path, errno: error)
    }
    // Every terminal has it; a driver that does not is still protected by the flock.
    _ = ioctl(descriptor.rawValue, UInt(TIOCEXCL), 0 as CInt)
  }

  private static func unlock(_ descriptor: FileDescriptor) {
    // The flag belongs to the terminal, not to the open file: it would outlive a close while
    // anybody else has the terminal open. The flock ends with the descriptor.
    _ = ioctl(descriptor.rawValue, UInt(TIOCNXCL), 0 as CInt)
  }

  public func close() {
    guard let descriptor = file.descriptor?.borrowed else { return }
    // Whoever closes has waited as long as it meant to: close(2) would wait up to 30 s for a device
    // that takes nothing. See closing_wait in setserial(8).
    if unsentByteCount > 0 { _ = tcflush(descriptor.rawValue, TCOFLUSH) }
    // After an unplug there is nothing left to restore, and the requests fail.
    _ = try? found.set(on: descriptor)
    if isExclusive { Self.unlock(descriptor) }
    file.descriptor = nil
  }
}
