public import Posix
public import SystemPackage

/// An open connection to a device: the seam between a session and the system.
///
/// Nothing in it waits. Its owner closes it once; after that only ``close()`` may be called.
public protocol Link: AnyObject {
  /// The port, as it was given to open it.
  var path: FilePath { get }
  /// What to watch for readiness; lent, never to be closed.
  var descriptor: FileDescriptor { get }
  /// The settings as the driver took them.
  var settings: LineSettings { get }

  /// Reads what there is.
  ///
  /// - Throws: ``SerialError/Code/lost`` when the device is gone.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SerialError) -> ReadOutcome

  /// Hands bytes to the driver, as many as it takes without waiting.
  ///
  /// - Throws: ``SerialError/Code/lost`` when the device is gone.
  func write(_ bytes: UnsafeRawBufferPointer) throws(SerialError) -> WriteOutcome

  /// Changes the settings and reads them back.
  ///
  /// - Throws: ``SerialError/Code/settingRefused``; the old settings stand then.
  func apply(_ settings: LineSettings) throws(SerialError)

  /// What was found of the line when the port was opened.
  var probe: LineProbe { get }

  /// Whether what is read has the kernel's marks for errors in it: see ``ErrorMarkDecoder``.
  var marksErrors: Bool { get }

  /// Starts or ends a break condition.
  ///
  /// - Throws: ``SerialError``: `unsupported` where there is none.
  func setBreak(_ isOn: Bool) throws(SerialError)

  /// Which modem lines are asserted now.
  ///
  /// - Throws: ``SerialError``: `unsupported` where there are none.
  func modemLines() throws(SerialError) -> ModemLines

  /// Sets output lines: first those to deassert, then those to assert; leaves the others alone.
  ///
  /// - Throws: ``SerialError``: `unsupported` where there are none.
  func setModemLines(
    asserting: ModemLines, deasserting: ModemLines
  ) throws(SerialError)

  /// What the driver has counted.
  ///
  /// - Throws: ``SerialError``: `unsupported` where it counts nothing.
  func counters() throws(SerialError) -> LineCounters

  /// How many bytes the driver has taken and not sent yet; 0 where it cannot tell.
  var unsentByteCount: Int { get }

  /// Gives the device back as it was found: settings, lock, descriptor. Calling it again does
  /// nothing.
  func close()
}
