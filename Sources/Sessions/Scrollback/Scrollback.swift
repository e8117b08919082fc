public import Observing
public import TextStages

/// The bytes that a device sent most recently, as lines with their times, in a fixed
/// amount of memory.
///
/// Lines are those of a text log; see ``TextStages/LineReader``. A line longer than ``lineLimit``
/// is split. The bytes are kept unchanged. The oldest lines are dropped in blocks, and counted.
public final class Scrollback {
  /// The maximum size of text and times, in bytes.
  public let capacity: Int
  /// The number of the device's bytes that were dropped.
  public private(set) var droppedByteCount = 0
  /// The number of the device's bytes that are kept.
  public private(set) var byteCount = 0
  /// Announces that bytes or a mark were added.
  public let additions = Observable<Void>()

  /// Makes a reader of the text of lines, which knows their encoding. Marks are UTF-8.
  public var lineText: @Sendable () -> LineText = { LineText() }
  /// The blocks, the oldest first. All except the last are complete, and never change.
  private(set) var blocks: [ScrollbackBlock] = []
  /// The number of blocks that were dropped.
  private(set) var droppedBlockCount = 0
  /// Whether the next byte can continue the last line.
  private(set) var isLastLineOpen = false
  private var divider = LineDivider()
  private var openLength = 0
  /// The notes that wait for the end of the open line, with their times.
  private var notes: [(text: String, time: UInt64)] = []
  /// The number of notes that wait at most; the line ends for more.
  private static let mostNotes = 256

  /// The maximum length of a line in bytes.
  public static let lineLimit = 4_096
  /// The minimum capacity in bytes: two blocks.
  public static let leastCapacity = 2 * ScrollbackBlock.size

  /// Creates an empty scrollback. It allocates memory as text arrives.
  ///
  /// - Parameter capacity: the capacity in bytes, raised to at least ``leastCapacity``.
  public init(capacity: Int) { self.capacity = max(Self.leastCapacity, capacity) }

  /// The number of the device's bytes that were added: kept and dropped ones.
  public var addedByteCount: Int { droppedByteCount + byteCount }

  /// The numbers of the kept lines. Lines are counted from 0, including dropped ones.
  public var lines: Range<Int> {
    guard let first = blocks.first, let last = blocks.last else { return 0..<0 }
    return first.firstLine..<last.endLine
  }

  /// Calls a function with a line, whose bytes are valid during the call.
  ///
  /// - Returns: the result; nil if there is no such line.
  public func withLine<Result>(
    _ number: Int, _ body: (ScrollbackLine) -> Result
  ) -> Result? {
    guard lines.contains(number) else { return nil }
    let block = blocks[blockIndex(ofLine: number)]
    return body(block.line(number - block.firstLine))
  }

  /// The index in ``blocks`` of the block with a line. The line must exist.
  func blockIndex(ofLine number: Int) -> Int {
    var (low, high) = (0, blocks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if blocks[middle].firstLine <= number { low = middle } else { high = middle }
    }
    return low
  }

  // MARK: Adding

  /// Adds bytes of the device.
  ///
  /// - Parameter time: the time of the read, in nanoseconds since 1970-01-01 UTC.
  public func add(_ bytes: UnsafeRawBufferPointer, at time: UInt64) {
    var index = 0
    while index < bytes.count {
      let limit = min(bytes.count, index + Self.lineLimit - openLength)
      let end = divider.end(in: bytes, from: index, to: limit)
      if end == index {
        endLine()
        continue
      }
      store(UnsafeRawBufferPointer(rebasing: bytes[index..<end]), at: time)
      index = end
      switch divider.ending {
      case .open: if openLength >= Self.lineLimit { endLine() }
      case .returned: break
      case .fed: if !notes.isEmpty { endLine() }
      }
    }
    byteCount += bytes.count
    additions.notify(())
  }

  /// Adds a line that the device did not send. It first ends the open line.
  ///
  /// - Parameters:
  ///   - text: the text, of which at most ``lineLimit`` bytes are kept.
  ///   - time: the time in nanoseconds since 1970-01-01 UTC.
  public func addMark(_ text: String, at time: UInt64) {
    endLine()
    Array(text.utf8.prefix(Self.lineLimit)).withUnsafeBytes { store($0, at: time, isMark: true) }
    endLine()
    additions.notify(())
  }

  /// Adds a line that the device did not send, like a mark. It does not end the open line but
  /// waits for its end: a note is about an earlier line.
  ///
  /// - Parameters:
  ///   - text: the text, of which at most ``lineLimit`` bytes are kept.
  ///   - time: the time in nanoseconds since 1970-01-01 UTC.
  public func addNote(_ text: String, at time: UInt64) {
    guard isLastLineOpen, divider.ending != .fed, notes.count < Self.mostNotes else {
      return addMark(text, at: time)
    }
    notes.append((text, time))
  }

  /// Adds the notes that wait, and ends the open line for them.
  public func addWaitingNotes() {
    guard !notes.isEmpty else { return }
    endLine()
    additions.notify(())
  }

  /// Appends a piece to the open line, or begins a line with it. A line that is open has no mark.
  private func store(_ piece: UnsafeRawBufferPointer, at time: UInt64, isMark: Bool = false) {
    let (begins, time) = (!isLastLineOpen, time / 1_000_000)
    func add() -> Bool {
      blocks.last?.add(piece, at: time, beginning: begins, isMark: isMark) ?? false
    }
    if !add() {
      if begins { addBlock(at: time) } else { moveOpenLine() }
      _ = add()
    }
    isLastLineOpen = true
    openLength += piece.count
  }

  private func endLine() {
    (isLastLineOpen, openLength) = (false, 0)
    divider.begin()
    guard !notes.isEmpty else { return }
    let waiting = notes
    notes = []
    for (text, time) in waiting {
      Array(text.utf8.prefix(Self.lineLimit)).withUnsafeBytes { store($0, at: time, isMark: true) }
      (isLastLineOpen, openLength) = (false, 0)
    }
  }

  /// Moves the open line to a new block, because its block is full.
  private func moveOpenLine() {
    let full = blocks[blocks.count - 1]
    let line = full.line(full.lineCount - 1)
    // This block is not the oldest one, which may be dropped, because there are at least two.
    full.removeLastLine()
    addBlock(at: line.time)
    _ = blocks[blocks.count - 1].add(
      line.bytes, at: line.time, beginning: true, isMark: line.isMark)
  }

  private func addBlock(at time: UInt64) {
    let firstLine = blocks.last?.endLine ?? 0
    var oldest: ScrollbackBlock?
    if (blocks.count + 1) * ScrollbackBlock.size > capacity {
      let dropped = blocks.removeFirst()
      droppedBlockCount += 1
      droppedByteCount += dropped.byteCount
      byteCount -= dropped.byteCount
      oldest = dropped
    }
    // A snapshot may still use the block.
    if oldest != nil, isKnownUniquelyReferenced(&oldest), let oldest {
      oldest.reset(from: firstLine, at: time)
      blocks.append(oldest)
    } else {
      blocks.append(ScrollbackBlock(from: firstLine, at: time))
    }
  }

  // MARK: Copies

  /// The present blocks, for another thread. Only the last one is copied.
  func snapshot() -> [ScrollbackBlock] {
    guard let last = blocks.last else { return [] }
    return blocks.dropLast() + [ScrollbackBlock(copying: last)]
  }
}

/// A line of a scrollback.
public struct ScrollbackLine {
  /// The time when its first byte was read, in milliseconds since 1970-01-01 UTC.
  public let time: UInt64
  /// Whether it is a mark, which the device did not send.
  public let isMark: Bool
  /// The bytes, including the line end.
  public let bytes: UnsafeRawBufferPointer
}
