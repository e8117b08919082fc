import Posix
import SerialCore
import SystemPackage

/// A device that a test plays: what it sends, what it takes, when it is lost.
final class FakeLink: Link {
  let path: FilePath
  let descriptor = FileDescriptor(rawValue: 0)
  var settings: LineSettings
  /// What the next reads bring; when it is used up they would block.
  var incoming: [[UInt8]] = []
  /// What was taken.
  private(set) var sent: [UInt8] = []
  /// How many bytes are taken before writes would block.
  var appetite = Int.max
  /// The answer to every request, once it is set.
  var error: SerialError?
  /// Whether reads that find nothing meet the end of the file.
  var isAtEnd = false
  private(set) var closeCount = 0
  var unsentByteCount = 0

  init(path: FilePath, settings: LineSettings) {
    self.path = path
    self.settings = settings
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SerialError) -> ReadOutcome {
    if incoming.isEmpty {
      if let error { throw error }
      return isAtEnd ? .endOfFile : .wouldBlock
    }
    let bytes = incoming.removeFirst()
    buffer.copyBytes(from: bytes)
    return .bytes(bytes.count)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SerialError) -> WriteOutcome {
    if let error { throw error }
    let count = min(appetite, bytes.count)
    guard count > 0 else { return .wouldBlock }
    appetite -= count
    sent += bytes[..<count]
    return .bytes(count)
  }

  func apply(_ settings: LineSettings) throws(SerialError) {
    if let error { throw error }
    self.settings = settings
  }

  var probe: LineProbe { LineProbe(modemLines: lines, counters: counted, hasBreaks: true) }
  var marksErrors = false
  /// The lines as they are asserted; nil for a port that has none.
  var lines: ModemLines? = [.dtr, .rts]
  var counted = LineCounters()

  func setBreak(_ isOn: Bool) throws(SerialError) {}

  func modemLines() throws(SerialError) -> ModemLines {
    guard let lines else { throw SerialError(.unsupported, in: "TIOCMGET", at: path) }
    return lines
  }

  func setModemLines(
    asserting: ModemLines, deasserting: ModemLines
  ) throws(SerialError) {
    lines = try modemLines().subtracting(deasserting).union(asserting)
  }

  func counters() throws(SerialError) -> LineCounters { counted }

  func close() { closeCount += 1 }
}
