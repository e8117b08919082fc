public import Posix
public import SerialCore
public import SystemPackage

/// A link to a device that the test controls: when it opens, what it sends, what it accepts, and
/// when it fails.
public final class FakeLink: Link {
  public let endpoint: Endpoint
  public private(set) var descriptor: FileDescriptor?
  /// The descriptor for a loop to poll; nil where no loop polls.
  public var pollable: FileDescriptor?
  public var interest: Interest = []
  public var settings = LineSettings()
  /// The error of opening; nil for success.
  public var refusal: SerialError.Code?
  /// Whether opening takes until ``finishOpening()``.
  public var opensLate = false
  /// Whether a change of settings takes until ``finishChange(_:)``.
  public var changesLate = false
  /// The changes of settings that were not answered.
  private var changes: [(LineSettings, (Result<LineSettings, SerialError>) -> Void)] = []
  private var report: ((LinkEvent) -> Void)?
  /// The results of the next reads; when it is empty, a read would block.
  public var incoming: [Input] = []

  /// The result of one read: bytes, and errors of the following bytes.
  public struct Input: ExpressibleByArrayLiteral, Sequence {
    public enum Part {
      case bytes([UInt8])
      case error(LineError)
    }
    private let parts: [Part]
    public init(arrayLiteral elements: UInt8...) { parts = [.bytes(elements)] }
    public init(_ bytes: [UInt8]) { parts = [.bytes(bytes)] }
    public init(_ parts: Part...) { self.parts = parts }
    public func makeIterator() -> Array<Part>.Iterator { parts.makeIterator() }
  }
  /// The bytes that writes have sent.
  public private(set) var sent: [UInt8] = []
  /// The number of bytes that writes accept before they would block.
  public var appetite = Int.max
  /// The error that every operation throws; nil for none.
  public var error: SerialError?
  /// Whether a read returns the end of file when `incoming` is empty.
  public var isAtEnd = false
  public private(set) var closeCount = 0
  /// The number of bytes that the driver sends between two queries.
  public var drainRate = 0
  private var driverCount = 0

  /// The number of bytes that the driver has taken and not sent.
  public var unsentByteCount: Int {
    get {
      defer { driverCount = max(0, driverCount - drainRate) }
      return driverCount
    }
    set { driverCount = newValue }
  }

  public init(to endpoint: Endpoint) { self.endpoint = endpoint }

  public func start(_ settings: LineSettings, report: @escaping (LinkEvent) -> Void) {
    self.settings = settings
    self.report = report
    if opensLate { descriptor = pollable ?? FileDescriptor(rawValue: 1) } else { finishOpening() }
  }

  /// Finishes opening, successfully or with the error.
  public func finishOpening() {
    if let refusal {
      report?(.failed(SerialError(refusal, in: "open", at: endpoint)))
    } else {
      descriptor = pollable ?? FileDescriptor(rawValue: 0)
      report?(.opened(settings, probe))
    }
  }

  /// Reports an event.
  public func tell(_ event: LinkEvent) { report?(event) }

  /// The number of times that the link was asked to do its own work.
  public private(set) var progressCount = 0
  public func makeProgress(_ ready: Readiness) { progressCount += 1 }

  public func read(
    into buffer: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(SerialError) -> LinkInput {
    if incoming.isEmpty {
      if let error { throw error }
      return isAtEnd ? .endOfFile : .wouldBlock
    }
    var count = 0
    var errors: [LinkInput.MarkedError] = []
    for part in incoming.removeFirst() {
      switch part {
      case .bytes(let bytes):
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: bytes)
        count += bytes.count
      case .error(let error): errors.append(.init(at: count, error))
      }
    }
    return .bytes(count, errors: errors)
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(SerialError) -> WriteOutcome {
    if let error { throw error }
    let count = min(appetite, bytes.count)
    guard count > 0 else { return .wouldBlock }
    appetite -= count
    sent += bytes[..<count]
    return .bytes(count)
  }

  public func apply(
    _ settings: LineSettings, answer: @escaping (Result<LineSettings, SerialError>) -> Void
  ) {
    changes.append((settings, answer))
    if !changesLate { finishChange() }
  }

  /// Answers the oldest change of settings, with ``error`` if it is set.
  public func finishChange() {
    guard !changes.isEmpty else { return }
    let (settings, answer) = changes.removeFirst()
    if let error { return answer(.failure(error)) }
    self.settings = settings
    answer(.success(settings))
  }

  public var probe: LineProbe {
    LineProbe(
      modemLines: lines, counters: hasCounters ? counted : nil, hasBreaks: hasBreaks,
      hasSettings: hasSettings,
      hasNetworkTiming: hasNetworkTiming)
  }
  public var hasBreaks = true
  public var hasSettings = true
  public var hasNetworkTiming = false
  /// Whether the far end plays sequences, and the sequences that it received.
  public var playsSequences = false
  public private(set) var played: [LineSequence] = []
  private var plays: [(Result<Void, SerialError>) -> Void] = []

  public func canPlay(_ sequence: LineSequence) -> Bool { playsSequences }

  public func play(
    _ sequence: LineSequence, answer: @escaping (Result<Void, SerialError>) -> Void
  ) {
    played.append(sequence)
    plays.append(answer)
  }

  /// Answers that the first sequence has ended.
  public func finishPlaying(_ result: Result<Void, SerialError>) { plays.removeFirst()(result) }
  /// The asserted lines; nil for a port without modem lines.
  public var lines: ModemLines? = [.dtr, .rts]
  public var counted = LineCounters()
  public var hasCounters = true

  /// The arguments of `setBreak`, in order.
  public private(set) var breaks: [Bool] = []
  public func setBreak(_ isOn: Bool) throws(SerialError) {
    if let error { throw error }
    breaks.append(isOn)
  }

  public func modemLines() throws(SerialError) -> ModemLines {
    guard let lines else { throw SerialError(.unsupported, in: "TIOCMGET", at: endpoint) }
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
