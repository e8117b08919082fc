public import Posix
public import SystemPackage

/// A connection to the far end of an ``Endpoint``: the interface between a session and
/// the operating system.
///
/// ## Principles of operation
///
/// - A link is used once. Its owner calls ``start(_:report:)``, then ``close()`` or ``lend()``
///   once; after that only ``close()`` may be called.
/// - No method waits. A link that cannot open at once, such as one over a network, reports the
///   result from ``makeProgress(_:)``.
/// - A link reports nothing, and answers nothing, after it was closed.
public protocol Link: AnyObject {
  /// The far end.
  var endpoint: Endpoint { get }

  /// Opens the port. Reports ``LinkEvent/opened(_:_:)`` or ``LinkEvent/failed(_:)`` once, during
  /// the call or later.
  ///
  /// - Parameters:
  ///   - settings: the requested settings.
  ///   - report: called with each event, during calls of the link's methods or in a turn of
  ///     the owner's loop.
  func start(_ settings: LineSettings, report: @escaping (LinkEvent) -> Void)

  /// The descriptor to poll; nil if there is none at present. Do not close it.
  ///
  /// It may change only when the link reports that it is open; the earlier one is still open then.
  /// A link that needs several has an epoll(7) instance.
  var descriptor: FileDescriptor? { get }

  /// The events that the link itself needs, besides those for the bytes of its owner.
  var interest: Interest { get }

  /// Whether the far end takes bytes at present. A link tells when that changes by changing it
  /// during a call of its methods, or with ``LinkEvent/ready``.
  var acceptsBytes: Bool { get }

  /// Does what the link itself has to do: connects, negotiates.
  ///
  /// Called when the descriptor is ready, before ``read(into:isLast:)`` and ``write(_:)``.
  func makeProgress(_ ready: Readiness)

  /// Reads once what is available.
  ///
  /// - Parameters:
  ///   - buffer: the memory to read into, at least 64 bytes.
  ///   - isLast: whether no more will come: the beginning of a mark counts as data then.
  /// - Throws: ``SerialError/Code/lost`` when the device is gone.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(SerialError) -> LinkInput

  /// Writes as many bytes as the driver takes without waiting.
  ///
  /// - Throws: ``SerialError/Code/lost`` when the device is gone.
  func write(_ bytes: UnsafeRawBufferPointer) throws(SerialError) -> WriteOutcome

  /// Changes the settings of the open port.
  ///
  /// - Parameters:
  ///   - settings: the settings.
  ///   - answer: called once, during the call or later: with the settings that the driver
  ///     reports, or with the error; the old settings are in effect then. Not called if the link
  ///     is closed first.
  func apply(
    _ settings: LineSettings, answer: @escaping (Result<LineSettings, SerialError>) -> Void)

  /// Starts or ends a break condition.
  ///
  /// - Throws: ``SerialError``: `unsupported` if the port has no break.
  func setBreak(_ isOn: Bool) throws(SerialError)

  /// The modem lines that are asserted now, as far as is known without waiting.
  ///
  /// - Throws: ``SerialError``: `unsupported` if the port has none.
  func modemLines() throws(SerialError) -> ModemLines

  /// Sets output lines: first those to deassert, then those to assert. The others stay as they are.
  ///
  /// - Throws: ``SerialError``: `unsupported` if the port has none.
  func setModemLines(
    asserting: ModemLines, deasserting: ModemLines
  ) throws(SerialError)

  /// Whether the far end can play a sequence by itself, so that its waits are not those
  /// of a network.
  func canPlay(_ sequence: LineSequence) -> Bool

  /// Has the far end play a sequence: only one that it can play.
  ///
  /// - Parameters:
  ///   - sequence: the sequence.
  ///   - answer: called once, when the sequence has ended. Not called if the link is closed first.
  func play(_ sequence: LineSequence, answer: @escaping (Result<Void, SerialError>) -> Void)

  /// Asks the driver to deliver received bytes at once, or ends that. Not every driver can.
  func preferLowLatency(_ isOn: Bool)

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

  /// Ends the attempt to open, or restores the device as it was found: settings, lock, descriptor.
  /// What the driver has not sent is discarded; to count it, call ``discardUnsent()`` first.
  /// Calling it again does nothing.
  func close()

  /// Closes the port for another program to use: unlocked, and with the line settings that
  /// it has now rather than those that were found. What the driver has not sent is
  /// discarded, as by ``close()``.
  ///
  /// - Returns: what ``close()`` would have restored, for the link that opens the port after the
  ///   other program: see ``inherit(_:)``. Nil where a link restores nothing.
  func lend() -> LentPort?

  /// Restores on ``close()`` what was found before the port was lent, rather than what the other
  /// program left behind.
  func inherit(_ lent: LentPort)
}

/// An event of a link.
public enum LinkEvent {
  /// The port is open: the settings that the driver reports, and what the port can do.
  case opened(LineSettings, LineProbe)
  /// The port could not be opened.
  case failed(SerialError)
  /// The settings of the open port changed without a request.
  case settingsChanged(LineSettings)
  /// The modem lines of the open port changed. Ports that cannot tell must be asked.
  case modemLinesChanged(ModemLines)
  /// The open port has other features now: the far end has opened or closed the real port.
  case featuresChanged(LineProbe)
  /// The counters of the open port changed. Ports that cannot tell must be asked.
  case countersChanged(LineCounters)
  /// Bytes can be read although the descriptor is not ready, or ``Link/acceptsBytes`` has changed.
  case ready
  /// The open port is gone.
  case lost(SerialError)
}

/// The result of a read from a link.
public enum LinkInput: Equatable, Sendable {
  /// The number of bytes at the beginning of the buffer, and the errors of some of them, in their
  /// order. No bytes if only a part of a mark was read.
  case bytes(Int, errors: [MarkedError] = [])
  /// Nothing is available now.
  case wouldBlock
  /// The end of file.
  case endOfFile

  /// The error of a received byte.
  public struct MarkedError: Hashable, Sendable {
    /// The offset of the byte in the buffer.
    public let offset: Int
    /// The error.
    public let error: LineError

    /// Creates an error.
    public init(at offset: Int, _ error: LineError) { (self.offset, self.error) = (offset, error) }
  }
}

extension LinkInput {
  /// The result of a read without marked errors.
  package init(_ outcome: ReadOutcome) {
    switch outcome {
    case .bytes(let count): self = .bytes(count)
    case .wouldBlock: self = .wouldBlock
    case .endOfFile: self = .endOfFile
    }
  }
}

extension Link {
  /// None.
  public var interest: Interest { [] }

  /// Always.
  public var acceptsBytes: Bool { true }

  /// Does nothing.
  public func makeProgress(_ ready: Readiness) {}

  /// It cannot.
  public func canPlay(_ sequence: LineSequence) -> Bool { false }

  /// Fails: it cannot.
  public func play(
    _ sequence: LineSequence, answer: @escaping (Result<Void, SerialError>) -> Void
  ) {
    answer(.failure(SerialError(.unsupported, in: "play", at: endpoint, subject: "sequences")))
  }

  /// Closes.
  public func lend() -> LentPort? {
    close()
    return nil
  }

  /// Does nothing.
  public func preferLowLatency(_ isOn: Bool) {}

  /// Does nothing.
  public func inherit(_ lent: LentPort) {}
}
