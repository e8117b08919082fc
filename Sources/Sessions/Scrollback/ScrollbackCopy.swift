import Logs
package import Patterns
import TextStages
import Time

/// The lines of a scrollback at one moment, for another thread that writes them to a file.
public struct ScrollbackCopy: Sendable {
  /// The format of the file.
  public enum Form: Hashable, Sendable {
    /// The device's bytes, unchanged.
    case bytes
    /// The text of the lines, each with its local time, as in a text log.
    case text
  }

  private let blocks: [ScrollbackBlock]
  private let lineText: @Sendable () -> LineText
  /// The number of the device's bytes before the first line, and up to the end of the last one.
  private let offsets: Range<Int>
  /// The bits of the lines to write, for each block; nil for all lines.
  private let selection: [[UInt64]]?

  /// Copies all lines.
  public init(of scrollback: Scrollback) {
    self.init(scrollback, selection: nil)
  }

  /// Copies the lines that a search has found so far.
  public init(of search: ScrollbackSearch) {
    self.init(search.scrollback, selection: search.matchBits)
  }

  private init(_ scrollback: Scrollback, selection: [[UInt64]]?) {
    blocks = scrollback.snapshot()
    lineText = scrollback.lineText
    offsets = scrollback.droppedByteCount..<scrollback.addedByteCount
    self.selection = selection
  }

  /// Calls a function with every line and its time, the oldest first. Marks are left out.
  ///
  /// - Parameter body: called with the bytes of a line, and its time in milliseconds
  ///   since 1970-01-01 UTC.
  public func forEachLine<Failure>(
    _ body: (UnsafeRawBufferPointer, UInt64) throws(Failure) -> Void
  ) throws(Failure) {
    for (index, block) in blocks.enumerated() {
      for number in 0..<block.lineCount where isSelected(number, of: index) {
        let line = block.line(number)
        if !line.isMark { try body(line.bytes, line.time) }
      }
    }
  }

  /// Writes the lines.
  ///
  /// - Parameter put: called with pieces of a few kilobytes.
  public func write<Failure>(
    as form: Form, to put: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var (piece, text) = ([UInt8](), lineText())
    var stamper = LineStamper.ofLogs
    for (index, block) in blocks.enumerated() {
      for number in 0..<block.lineCount where isSelected(number, of: index) {
        let line = block.line(number)
        switch form {
        case .bytes: if !line.isMark { piece += line.bytes }
        case .text:
          let moment = Moment(wallClock: line.time * 1_000_000, monotonic: 0)
          stamper.append(timeOf: moment, to: &piece)
          text.with(line.bytes, isUTF8: line.isMark) { piece += $0 }
          piece.append(UInt8(ascii: "\n"))
        }
        if piece.count >= 32_768 {
          try put(piece)
          piece.removeAll(keepingCapacity: true)
        }
      }
    }
    if !piece.isEmpty { try put(piece) }
  }

  // MARK: Searching

  /// Searches all lines, the newest first. Marks are searched too.
  ///
  /// - Parameters:
  ///   - end: only lines before this offset are searched.
  ///   - limit: the maximum number of lines in the result.
  ///   - isOver: called before each line. The search ends when it returns true.
  package func matches(
    of pattern: Pattern, before end: Int = .max, limit: Int, until isOver: () -> Bool
  ) -> ScrollbackMatches {
    var matches = ScrollbackMatches(firstOffset: offsets.lowerBound)
    var (matcher, text, offset) = (LineMatcher(pattern), lineText(), offsets.upperBound)
    search: for block in blocks.reversed() {
      for index in (0..<block.lineCount).reversed() {
        if isOver() {
          matches.isComplete = false
          break search
        }
        let line = block.line(index)
        if !line.isMark { offset -= line.bytes.count }
        matches.searchedOffset = offset
        guard offset < end else { continue }
        guard text.with(line.bytes, isUTF8: line.isMark, { matcher.matches($0) }) else { continue }
        matches.total += 1
        guard matches.lines.count < limit else { continue }
        matches.lines.append(
          ScrollbackMatches.Line(offset: offset, time: line.time, bytes: Array(line.bytes)))
      }
    }
    matches.lines.reverse()
    return matches
  }

  private func isSelected(_ number: Int, of block: Int) -> Bool {
    guard let selection else { return true }
    let bits = selection[block]
    return number / 64 < bits.count && bits[number / 64] >> UInt64(number % 64) & 1 != 0
  }
}
