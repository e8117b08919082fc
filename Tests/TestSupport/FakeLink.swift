public import Posix
public import SerialCore
public import SystemPackage

/// A link to a device that the test controls: what it sends, what it accepts, when it fails.
public final class FakeLink: Link {
  public let path: FilePath
  public let descriptor = FileDescriptor(rawValue: 0)
  public var settings: LineSettings
  /// The results of the next reads; when it is empty, a read would block.
  public var incoming: [[UInt8]] = []
  /// The bytes that writes have sent.
  public private(set) var sent: [UInt8] = []
  /// The number of bytes that writes accept before they would block.
  public var appetite = Int.max
  /// If set, every operation throws it.
  public var error: SerialError?
  /// Whether a read returns the end of file when `incoming` is empty.
  public var isAtEnd = false
  public private(set) var closeCount = 0
  /// How many bytes the driver sends between one question and the next.
  public var drainRate = 0
  private var driverCount = 0

  /// What the driver has taken and not sent.
  public var unsentByteCount: Int {
    get {
      defer { driverCount = max(0, driverCount - drainRate) }
      return driverCount
    }
    set { driverCount = newValue }
  }

  public init(path: FilePath, settings: LineSettings) {
    self.path = path
    self.settings = settings
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(SerialError) -> ReadOutcome {
    if incoming.isEmpty {
      if let error { throw error }
      return isAtEnd ? .endOfFile : .wouldBlock
    }
    let bytes = incoming.removeFirst()
    buffer.copyBytes(from: bytes)
    return .bytes(bytes.count)
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(SerialError) -> WriteOutcome {
    if let error { throw error }
    let count = min(appetite, bytes.count)
    guard count > 0 else { return .wouldBlock }
    appetite -= count
    sent += bytes[..<count]
    return .bytes(count)
  }

  public func apply(_ settings: LineSettings) throws(SerialError) {
    if let error { throw error }
    self.settings = settings
  }

  public var probe: LineProbe { LineProbe(modemLines: lines, counters: counted, hasBreaks: true) }
  public var marksErrors = false
  /// The asserted lines; nil for a port without modem lines.
  public var lines: ModemLines? = [.dtr, .rts]
  public var counted = LineCounters()

  /// The arguments of `setBreak`, in order.
  public private(set) var breaks: [Bool] = []
  public func setBreak(_ isOn: Bool) throws(SerialError) {
    if let error { throw error }
    breaks.append(isOn)
  }

  public func modemLines() throws(SerialError) -> ModemLines {
    guard let lines else { throw SerialError(.unsupported, in: "TIOCMGET", at: path) }
    return lines
  }

  public func setModemLines(
    asserting: ModemLines, deasserting: ModemLines
  ) throws(SerialError) {
    lines = try modemLines().subtracting(deasserting).union(asserting)
  }

  public func counters() throws(SerialError) -> LineCounters { counted }

  public func discardUnsent() -> Int {
    defer { unsentByteCount = 0 }
    return unsentByteCount
  }

  public func close() { closeCount += 1 }
}
