package import TextStages
import TextTools
import Time

/// Writes lines of text with their local times, without escape sequences and control characters.
///
/// If both directions are logged, each line has a mark of its direction. In the log of several
/// ports each line has the name of its port. Lines are in the order in which they were completed.
struct TextEncoder: LogEncoder {
  private let marksDirection: Bool
  private let namesPorts: Bool
  private var names: [String] = []
  private var ports: [TextLines] = []

  init(marksDirection: Bool, namesPorts: Bool = false) {
    (self.marksDirection, self.namesPorts) = (marksDirection, namesPorts)
    if !namesPorts { ports = [TextLines(marksDirection: marksDirection)] }
  }

  func continuation(of size: Int, _ read: (Range<Int>) -> [UInt8]?) -> LogContinuation {
    LogContinuation(ofLines: size, read)
  }

  mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
    if case .port(let port) = record.content { return add(port.name) }
    ports[namesPorts ? record.port : 0].append(record, to: &output)
  }

  private mutating func add(_ name: String) {
    guard namesPorts else { return }
    names.append(name)
    ports.append(TextLines(marksDirection: marksDirection, keepsRowsOpen: false))
    let longest = names.map(\.displayWidth).max() ?? 0
    for (index, name) in names.enumerated() {
      ports[index].label = "\(name.padded(toWidth: longest)) | "
    }
  }

  mutating func end(into output: inout [UInt8]) {
    for index in ports.indices { ports[index].endFile(in: &output) }
  }

  /// An open line is continued in its file, and begins with its time in the next one.
  var dependsOnFile: Bool { true }

  // MARK: Held-back text

  var heldCount: Int { ports.reduce(0) { $0 + $1.heldCount } }

  var deadline: MonotonicTime? { ports.compactMap(\.deadline).min() }

  mutating func tick(at now: MonotonicTime, into output: inout [UInt8]) {
    for index in ports.indices { ports[index].tick(at: now, into: &output) }
  }

  mutating func flush(into output: inout [UInt8]) {
    for index in ports.indices { ports[index].finish(in: &output) }
  }
}

extension LineStamper {
  /// Creates a stamper that writes the local time in the form of text logs.
  package static var ofLogs: LineStamper {
    LineStamper(
      TimestampFormat(.iso, .microseconds), start: Moment(wallClock: 0, monotonic: 0),
      calendar: CalendarTime.init(local:))
  }
}
