/// A number of lines in one piece of memory: their text grows from its start, one entry per line
/// from its end ("slotted page").
///
/// It is `Sendable` because a block is never changed while another object has a reference to it,
/// except the last block of its scrollback.
final class ScrollbackBlock: @unchecked Sendable {
  /// The size of text and entries in bytes. Offsets in the text fit into 16 bits.
  static let size = 65_536

  /// The number of the first line.
  private(set) var firstLine: Int
  private(set) var lineCount = 0
  /// The number of the device's bytes.
  var byteCount: Int { textCount - markCount }

  private let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
  private var textCount = 0
  /// The number of bytes in marks.
  private var markCount = 0
  /// The time in milliseconds from which the lines' times count.
  private var baseTime: UInt64

  /// The entry of a line: the offset of the text in bits 0 to 15, whether it is a mark in bit 16,
  /// the time in milliseconds from bit 32 on.
  private typealias Entry = UInt64
  private static let entrySize = MemoryLayout<Entry>.size
  private static let markBit: Entry = 1 << 16

  init(from firstLine: Int, at time: UInt64) { (self.firstLine, baseTime) = (firstLine, time) }

  init(copying other: ScrollbackBlock) {
    (firstLine, lineCount, baseTime) = (other.firstLine, other.lineCount, other.baseTime)
    (textCount, markCount) = (other.textCount, other.markCount)
    memory.copyMemory(from: other.memory, byteCount: Self.size)
  }

  deinit { memory.deallocate() }

  /// Clears the block for reuse.
  func reset(from firstLine: Int, at time: UInt64) {
    (self.firstLine, baseTime) = (firstLine, time)
    (lineCount, textCount, markCount) = (0, 0, 0)
  }

  /// The number of the line after the last one.
  var endLine: Int { firstLine + lineCount }

  // MARK: Adding

  /// Adds a piece of a line, which is a mark or not.
  ///
  /// - Parameters:
  ///   - time: the time in milliseconds since 1970-01-01 UTC.
  ///   - begins: whether the piece begins a line. Otherwise it belongs to the last one.
  /// - Returns: whether there was room. A clock that was set back needs a new block for the next
  ///   line, and so does a pause of 49 days.
  func add(
    _ piece: UnsafeRawBufferPointer, at time: UInt64, beginning begins: Bool, isMark: Bool
  ) -> Bool {
    let end = textCount + piece.count
    let lineCount = begins ? lineCount + 1 : lineCount
    guard end + lineCount * Self.entrySize <= Self.size else { return false }
    if begins {
      guard time >= baseTime, time - baseTime <= UInt64(UInt32.max) else { return false }
      let entry = (time - baseTime) << 32 | (isMark ? Self.markBit : 0) | Entry(textCount)
      memory.storeBytes(of: entry, toByteOffset: place(of: lineCount - 1), as: Entry.self)
      self.lineCount = lineCount
    }
    if let source = piece.baseAddress {
      (memory + textCount).copyMemory(from: source, byteCount: piece.count)
    }
    textCount = end
    if isMark { markCount += piece.count }
    return true
  }

  /// Removes the last line. Its bytes stay readable until bytes are added.
  func removeLastLine() {
    let last = line(lineCount - 1)
    textCount -= last.bytes.count
    if last.isMark { markCount -= last.bytes.count }
    lineCount -= 1
  }

  // MARK: Lines

  /// A line, counted from 0 in this block.
  func line(_ index: Int) -> ScrollbackLine {
    let entry = entry(index)
    let start = Int(entry & 0xFFFF)
    let end = index + 1 < lineCount ? Int(self.entry(index + 1) & 0xFFFF) : textCount
    return ScrollbackLine(
      time: baseTime + entry >> 32, isMark: entry & Self.markBit != 0,
      bytes: UnsafeRawBufferPointer(start: memory + start, count: end - start))
  }

  private func entry(_ index: Int) -> Entry {
    memory.load(fromByteOffset: place(of: index), as: Entry.self)
  }

  private func place(of index: Int) -> Int { Self.size - (index + 1) * Self.entrySize }
}
