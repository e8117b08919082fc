import Glibc
import Logs
import Plotting
import Posix
import SystemPackage
import TextStages
import TextTools
import Time

/// What a device sent, from a file: a log in any format, or other lines of numbers.
final class PlotFile {
  /// The meaning of the times of the lines.
  let timeKind: ChartView.TimeKind
  /// Whether the file can be read a second time.
  let isRegular: Bool
  private let path: String
  private let rate: Double?
  private let contents: Contents
  private var lineNumber = 0
  /// The times of lines with timestamps.
  private var clock = LineClock()
  private var lastTime = 0.0

  private enum Contents {
    case log(LogReader)
    case lines(LineFile, isStamped: Bool)
    /// A table (CSV) that serialterm has written: the first column is the time.
    case table(LineFile)
  }

  /// Opens a file, and finds out what it is.
  ///
  /// - Parameters:
  ///   - path: a regular file, a named pipe, or `-` for standard input.
  ///   - rate: the number of lines in a second, for a file without times; nil to count lines.
  /// - Throws: ``Failure``.
  init(_ path: String, rate: Double?) throws(Failure) {
    (self.path, self.rate) = (path, rate)
    let file = try LineFile(path)
    isRegular = file.isRegular
    let first = try file.peek()
    guard LogFormat(ofRecordsIn: Array(first.prefix(LogFormat.probeByteCount))[...]) != nil else {
      if let time = Self.firstTime(ofTable: first) {
        contents = .table(file)
        timeKind = time < LineTimestamp.leastEpoch ? .seconds : .clock
        return
      }
      let stamp = LineTimestamp(of: first)
      contents = .lines(file, isStamped: stamp != nil)
      timeKind =
        switch stamp?.origin {
        case .epoch, .midnight: .clock
        case .start, .line: .seconds
        case nil: rate == nil ? .lines : .seconds
        }
      if stamp?.origin == .midnight { clock = LineClock(midnight: Self.midnight(ofFile: path)) }
      return
    }
    guard isRegular else {
      throw Failure(.usage, "\(path): a log in a pipe cannot be plotted. Write it to a file first.")
    }
    do throws(LogReadingError) {
      contents = .log(try LogReader(path == "-" ? "/dev/stdin" : FilePath(path)))
    } catch {
      throw Failure(.usage, "\(path)\(error).")
    }
    timeKind = .clock
  }

  /// The beginning of the day on which a file was last written, in seconds since 1970.
  private static func midnight(ofFile path: String) -> Double {
    let written = UInt64(max(0, FilePath(path).modificationTime ?? 0))
    let time = CalendarTime(local: written)
    return Double(written) - Double(time.hour * 3_600 + time.minute * 60 + time.second)
  }

  /// Reads the next bytes, and calls a function with them, their time in seconds, and the name
  /// of their port.
  ///
  /// - Returns: false at the end.
  /// - Throws: ``Failure``.
  func next(
    _ body: (UnsafeRawBufferPointer, Double, String?) -> Void
  ) throws(Failure) -> Bool {
    switch contents {
    case .log(let reader): return try nextEntry(of: reader, body)
    case .lines(let file, let isStamped):
      guard let line = try file.next() else { return false }
      if isStamped {
        readStamped(line, body)
      } else {
        body(line, rate.map { Double(lineNumber) / $0 } ?? Double(lineNumber), nil)
      }
      if line.last == UInt8(ascii: "\n") || line.last == UInt8(ascii: "\r") { lineNumber += 1 }
      return true
    case .table(let file):
      guard let line = try file.next() else { return false }
      var text = line[...]
      if let time = Self.time(ofRow: line) {
        lastTime = time.seconds
        text = text.dropFirst(time.length)
      } else if line.starts(with: Self.timeColumn) {
        text = text.dropFirst(Self.timeColumn.count)
      }
      body(UnsafeRawBufferPointer(rebasing: text), lastTime, nil)
      return true
    }
  }

  private static let timeColumn = Array("time,".utf8)

  /// The time of the first row of a table; nil if a file does not begin like one.
  ///
  /// A table of a device can have a column with this name too, in a unit that is not known: it
  /// is a curve.
  private static func firstTime(ofTable first: UnsafeRawBufferPointer) -> Double? {
    guard first.starts(with: timeColumn), let end = first.firstIndex(of: UInt8(ascii: "\n")) else {
      return nil
    }
    return time(ofRow: UnsafeRawBufferPointer(rebasing: first[(end + 1)...]))?.seconds
  }

  /// The time at the beginning of a row, which has six decimals, and its length with the comma.
  private static func time(ofRow line: UnsafeRawBufferPointer) -> (seconds: Double, length: Int)? {
    let point = 7
    guard let comma = line.prefix(24).firstIndex(of: UInt8(ascii: ",")), comma > point,
      line[comma - point] == UInt8(ascii: "."),
      let seconds = Double(String(decoding: line[..<comma], as: UTF8.self))
    else { return nil }
    return (seconds, comma + 1)
  }

  private func nextEntry(
    of reader: LogReader, _ body: (UnsafeRawBufferPointer, Double, String?) -> Void
  ) throws(Failure) -> Bool {
    do throws(LogReadingError) {
      while case .entry(let entry) = try reader.next() {
        guard entry.direction == .fromDevice else { continue }
        entry.bytes.withUnsafeBytes { body($0, Double(entry.time) / 1e9, entry.port) }
        return true
      }
      return false
    } catch {
      throw Failure(.usage, "\(path)\(error).")
    }
  }

  private func readStamped(
    _ line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, Double, String?) -> Void
  ) {
    var text = line[...]
    var isLog = false
    if let stamp = LineTimestamp(of: line) {
      text = text.dropFirst(stamp.length)
      isLog = stamp.origin == .epoch
      clock.advance(to: stamp)
      lastTime = clock.seconds
    }
    // A text log of both directions has marks.
    guard isLog else { return body(UnsafeRawBufferPointer(rebasing: text), lastTime, nil) }
    if text.starts(with: [UInt8(ascii: ">"), UInt8(ascii: " ")]) { return }
    if text.starts(with: [UInt8(ascii: "<"), UInt8(ascii: " ")]) { text = text.dropFirst(2) }
    body(UnsafeRawBufferPointer(rebasing: text), lastTime, nil)
  }
}
