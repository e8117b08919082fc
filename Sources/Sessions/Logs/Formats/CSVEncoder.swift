import Plotting
import TextStages
import Time

/// Writes the numbers in what the device sends as a table; other lines, and what is sent,
/// are not written.
///
/// The first rows are held back for ``patience``, so that the first line of the file names all
/// series. When another series appears later, the table continues in a new file: the columns of the
/// old one cannot be changed.
struct CSVEncoder: LogEncoder {
  /// The time for which rows are held back, to learn the series.
  private static let patience = Duration.seconds(1)

  private let namesPorts: Bool
  private var stream: TableStream
  private(set) var deadline: MonotonicTime?

  init(_ form: SampleForm?, namesPorts: Bool) {
    self.namesPorts = namesPorts
    stream = TableStream(form)
    if !namesPorts { _ = stream.addSource(named: nil) }
  }

  mutating func begin(into output: inout [UInt8]) { stream.appendHeader(to: &output) }

  func continuation(of size: Int, _ read: (Range<Int>) -> [UInt8]?) -> LogContinuation {
    LogContinuation(ofLines: size, read)
  }

  mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
    switch record.contentAsText {
    case .bytes(.fromDevice, let bytes, _):
      stream.read(
        bytes, at: Double(record.moment.wallClock) / 1e9, from: record.port, into: &output)
    case .bytes(.toDevice, _, _): break
    case .gap: stream.forgetLine(of: record.port)
    case .event(let event):
      // Another program may have read the rest of the line from a released port.
      if event.kind == .lost || event.kind == .released { stream.forgetLine(of: record.port) }
    case .port(let port): if namesPorts { _ = stream.addSource(named: port.name) }
    }
    if !stream.isHolding {
      deadline = nil
    } else if deadline == nil {
      deadline =
        MonotonicTime(nanoseconds: Int64(clamping: record.moment.monotonic)) + Self.patience
    }
  }

  var needsNewFile: Bool {
    get { stream.needsNewTable }
    set { stream.needsNewTable = newValue }
  }

  // MARK: Held-back text

  var heldCount: Int { stream.heldByteCount }

  mutating func tick(at now: MonotonicTime, into output: inout [UInt8]) {
    if let deadline, now >= deadline { flush(into: &output) }
  }

  mutating func flush(into output: inout [UInt8]) {
    deadline = nil
    stream.flush(into: &output)
  }
}
