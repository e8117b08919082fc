import Framing
import Glibc
import Logs
import Posix
import SystemPackage
import Terminal
import TerminalWidgets
import TextStages
import TextTools
import Time

/// Prints the frames in a log, one in a line with its time.
///
/// Both directions are shown if the log has both. Of a log of several ports, each line names
/// its port.
struct FrameListing {
  /// The number of bytes that are printed at once.
  private static let pieceSize = 65_536

  private let file: FilePath
  private let form: ChosenFrameForm
  /// The only port to show; nil for all.
  private let port: String?
  private let isColoured: Bool
  private var ports: [String?: LineFrames] = [:]
  /// Whether the log has both directions, so that what a port receives comes from the other side
  /// alone. Known from the first entry to a device.
  private var knowsDirection = false
  private var stamps: LineStamper?
  private let timestamps: TimestampFormat
  private var frames: [Frame] = []
  private var counts = FrameCounts()
  private var output: [UInt8] = []

  /// - Parameters:
  ///   - port: the name of the port to show; nil for all.
  ///   - timestamps: the form of the times.
  init(_ file: FilePath, _ form: ChosenFrameForm, port: String?, timestamps: TimestampFormat) {
    (self.file, self.form, self.port, self.timestamps) = (file, form, port, timestamps)
    isColoured = TerminalStreams.standard.outputStyle.isColoured
  }

  /// Prints all frames, and then their numbers on standard error.
  ///
  /// - Throws: ``Failure``, or an error of standard output.
  mutating func print() throws {
    do {
      try read(LogReader(file))
    } catch let error as LogReadingError {
      // The entries before the error are valid.
      try finish()
      throw Failure(.usage, "\(file)\(error).")
    }
    try finish()
    StandardStream.complain("\(counts)")
  }

  private mutating func read(_ reader: LogReader) throws {
    while true {
      switch try reader.next() {
      case .entry(let entry): try add(entry)
      case .waiting:
        try write()
        var poll = pollfd(fd: reader.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        _ = Glibc.poll(&poll, 1, -1)
      case .end:
        if let port, !reader.ports.contains(port) {
          throw Failure(.usage, "\(file): no port '\(port.harmless)'.")
        }
        return
      }
    }
  }

  private mutating func add(_ entry: LogEntry) throws {
    if entry.direction == .toDevice, !knowsDirection { learnDirection() }
    guard port == nil || entry.port == port else { return }
    let moment = Moment(wallClock: entry.time, monotonic: UInt64(clamping: entry.steadyTime))
    if stamps == nil {
      stamps = LineStamper(timestamps, start: moment, calendar: CalendarTime.init(local:))
    }
    ports[entry.port, default: LineFrames(form, knowsDirection: knowsDirection)].receive(
      entry.bytes, entry.direction, at: moment, into: &frames)
    append(of: entry.port)
    if output.count >= Self.pieceSize { try write() }
  }

  private mutating func learnDirection() {
    knowsDirection = true
    for name in sortedPorts {
      ports[name]?.learnDirection(into: &frames)
      append(of: name)
    }
  }

  private var sortedPorts: [String?] { ports.keys.sorted { $0 ?? "" < $1 ?? "" } }

  private mutating func append(of port: String?) {
    let label = port.map { "\($0.harmless) | " } ?? ""
    for frame in frames {
      counts.add(frame)
      let line = FrameRows.line(
        of: frame, isText: form.isText,
        FrameRows.Style(
          isColoured: isColoured, isASCII: TerminalCharacters.areASCII, showsDirection: true))
      (Array(label.utf8) + line + [UInt8(ascii: "\n")]).withUnsafeBytes {
        _ = stamps?.transform($0, at: frame.moment, into: &output)
      }
    }
    frames.removeAll(keepingCapacity: true)
  }

  private mutating func finish() throws {
    for name in sortedPorts {
      ports[name]?.end(into: &frames)
      append(of: name)
    }
    try write()
  }

  private mutating func write() throws {
    try StandardStream.output.print(String(decoding: output, as: UTF8.self))
    output.removeAll(keepingCapacity: true)
  }
}
