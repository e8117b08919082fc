import Glibc
package import Posix
package import SystemPackage

/// A link to the program that has the node of a pseudo-terminal open, through the master.
///
/// ## Principles of operation
///
/// - It borrows the master: its owner hangs it up, and closes it.
/// - The settings are those that the program sets at the node. They are read before each piece of
///   bytes, so that a new baud rate is reported before what is sent with it, and when the owner
///   calls ``refreshSettings()``: the kernel reports only changes with `EXTPROC`, which would
///   change how the program reads (tty_ioctl(4), `TIOCPKT`).
/// - The program cannot set modem lines or send a break: a pseudo-terminal has neither.
package final class MasterLink: Link {
  package let endpoint: Endpoint
  private let master: FileDescriptor
  private var settings = LineSettings()
  private var report: ((LinkEvent) -> Void)?

  /// - Parameter master: a non-blocking descriptor, which stays open as long as the link.
  package init(to endpoint: Endpoint, master: FileDescriptor) {
    (self.endpoint, self.master) = (endpoint, master)
  }

  /// Opens the link during the call. The requested settings do not matter: the program has its own.
  package func start(_ settings: LineSettings, report: @escaping (LinkEvent) -> Void) {
    do throws(Errno) {
      self.settings = try TerminalAttributes(of: master).lineSettings
    } catch {
      return report(.failed(SerialError(using: endpoint, error, in: "TCGETS2")))
    }
    self.report = report
    report(
      .opened(
        self.settings,
        LineProbe(modemLines: nil, counters: nil, hasBreaks: false, hasBackPressure: true)))
  }

  /// Sets raw mode and line settings at a node that no program has set up.
  ///
  /// - Throws: the errors of ioctl(2).
  package static func prepare(_ master: FileDescriptor, _ settings: LineSettings) throws(Errno) {
    var attributes = try TerminalAttributes(of: master)
    attributes.makeRaw()
    attributes.lineSettings = settings
    try attributes.set(on: master)
  }

  package var descriptor: FileDescriptor? { report == nil ? nil : master }

  // MARK: Bytes

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(SerialError) -> LinkInput {
    refreshSettings()
    do { return LinkInput(try master.readAvailable(into: buffer)) } catch {
      throw SerialError(using: endpoint, error, in: "read")
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(SerialError) -> WriteOutcome {
    do { return try master.writeAvailable(bytes) } catch {
      throw SerialError(using: endpoint, error, in: "write")
    }
  }

  package var unsentByteCount: Int { 0 }

  package func discardUnsent() -> Int { 0 }

  // MARK: The line

  /// Reports the settings if the program has changed them.
  package func refreshSettings() {
    guard let report, let now = try? TerminalAttributes(of: master).lineSettings, now != settings
    else { return }
    settings = now
    report(.settingsChanged(now))
  }

  /// Sets what the program finds at the node, and answers during the call.
  package func apply(
    _ settings: LineSettings, answer: @escaping (Result<LineSettings, SerialError>) -> Void
  ) {
    do throws(Errno) {
      var attributes = try TerminalAttributes(of: master)
      attributes.lineSettings = settings
      try attributes.set(on: master)
      self.settings = try TerminalAttributes(of: master).lineSettings
      answer(.success(self.settings))
    } catch {
      answer(.failure(SerialError(using: endpoint, error, in: "TCSETS2")))
    }
  }

  package func setBreak(_ isOn: Bool) throws(SerialError) {
    throw SerialError(.unsupported, in: "TIOCSBRK", at: endpoint, subject: "break")
  }

  package func modemLines() throws(SerialError) -> ModemLines {
    throw SerialError(.unsupported, in: "TIOCMGET", at: endpoint, subject: "modem lines")
  }

  package func setModemLines(asserting: ModemLines, deasserting: ModemLines) throws(SerialError) {
    throw SerialError(.unsupported, in: "TIOCMBIS", at: endpoint, subject: "modem lines")
  }

  package func counters() throws(SerialError) -> LineCounters {
    throw SerialError(.unsupported, in: "TIOCGICOUNT", at: endpoint, subject: "counters")
  }

  /// Discards what the program has not read, as closing a serial port does.
  package func close() {
    guard report != nil else { return }
    report = nil
    _ = tcflush(master.rawValue, TCOFLUSH)
  }
}
