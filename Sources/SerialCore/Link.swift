public import Posix
public import SystemPackage

/// An open connection to a device: the interface between a session and the operating system.
///
/// No method waits. Its owner closes or lends it once; after that only ``close()`` may be called.
public protocol Link: AnyObject {
  /// The path by which the port was opened.
  var path: FilePath { get }
  /// The descriptor to poll. Do not close it.
  var descriptor: FileDescriptor { get }
  /// The settings that the driver reports.
  var settings: LineSettings { get }

  /// Reads available bytes.
  ///
  /// - Throws: ``SerialError/Code/lost`` when the device is gone.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SerialError) -> ReadOutcome

  /// Writes as many bytes as the driver takes without waiting.
  ///
  /// - Throws: ``SerialError/Code/lost`` when the device is gone.
  func write(_ bytes: UnsafeRawBufferPointer) throws(SerialError) -> WriteOutcome

  /// Changes the settings and reads them back.
  ///
  /// - Throws: ``SerialError/Code/settingRefused``; the old settings are in effect then.
  func apply(_ settings: LineSettings) throws(SerialError)

  /// The features and the state of the line when the port was opened.
  var probe: LineProbe { get }

  /// Whether received bytes contain the kernel's error marks: see ``ErrorMarkDecoder``.
  var marksErrors: Bool { get }

  /// Starts or ends a break condition.
  ///
  /// - Throws: ``SerialError``: `unsupported` if the port has no break.
  func setBreak(_ isOn: Bool) throws(SerialError)

  /// The modem lines that are asserted now.
  ///
  /// - Throws: ``SerialError``: `unsupported` if the port has none.
  func modemLines() throws(SerialError) -> ModemLines

  /// Sets output lines: first those to deassert, then those to assert. The others stay as they are.
  ///
  /// - Throws: ``SerialError``: `unsupported` if the port has none.
  func setModemLines(
    asserting: ModemLines, deasserting: ModemLines
  ) throws(SerialError)

  /// The driver's counters.
  ///
  /// - Throws: ``SerialError``: `unsupported` if it counts nothing.
  func counters() throws(SerialError) -> LineCounters

  /// The number of bytes that the driver has taken and not sent; 0 if it cannot tell.
  var unsentByteCount: Int { get }

  /// Discards what the driver has taken and not sent.
  ///
  /// The corresponding C function is `tcflush` with `TCOFLUSH`.
  ///
  /// - Returns: the number of bytes that were discarded; see ``unsentByteCount``.
  func discardUnsent() -> Int

  /// Restores the device as it was found: settings, lock, descriptor. What the driver has not sent is
  /// discarded; to count it, call ``discardUnsent()`` first. Calling it again does nothing.
  func close()

  /// Closes the port for another program to use: unlocked, and with the line settings that it has now
  /// rather than those that were found. What the driver has not sent is discarded, as by ``close()``.
  ///
  /// - Returns: what ``close()`` would have restored, for the link that opens the port after the other
  ///   program: see ``inherit(_:)``. Nil where a link restores nothing.
  func lend() -> LentPort?

  /// Restores on ``close()`` what was found before the port was lent, rather than what the other program
  /// left behind.
  func inherit(_ lent: LentPort)
}

extension Link {
  /// Closes.
  public func lend() -> LentPort? {
    close()
    return nil
  }

  /// Does nothing.
  public func inherit(_ lent: LentPort) {}
}
