/// A place in a scrollback, from which the device's bytes are read in parts of limited size.
public struct ScrollbackReader {
  /// The number of the line at the place, and the number of its bytes before it.
  private var line: Int
  private var offset: Int
  /// The number of the device's bytes before the place, including dropped ones.
  private var position: Int

  /// Creates a place at the end: what is added from now on is read.
  public init(atEndOf scrollback: Scrollback) {
    let last = scrollback.isLastLineOpen ? scrollback.lines.last : nil
    line = last ?? scrollback.lines.upperBound
    offset = last.flatMap { scrollback.withLine($0) { $0.bytes.count } } ?? 0
    position = scrollback.addedByteCount
  }

  /// Creates a place after a number of the device's bytes, which include dropped ones. If those at
  /// the place were dropped, it is at the first one that is kept.
  package init(after count: Int, in scrollback: Scrollback) {
    self.init(atEndOf: scrollback)
    var before = scrollback.droppedByteCount
    let wanted = max(count, before)
    guard wanted < position else { return }
    for block in scrollback.blocks {
      guard wanted < before + block.byteCount else {
        before += block.byteCount
        continue
      }
      for index in 0..<block.lineCount {
        let kept = block.line(index)
        let length = kept.isMark ? 0 : kept.bytes.count
        if wanted < before + length {
          (line, offset, position) = (block.firstLine + index, wanted - before, wanted)
          return
        }
        before += length
      }
    }
  }

  /// The number of bytes after the place, including dropped ones.
  public func remainingCount(in scrollback: Scrollback) -> Int {
    scrollback.addedByteCount - position
  }

  /// Moves past the bytes that the scrollback has dropped, to the first line that it has.
  ///
  /// - Returns: the number of these bytes.
  public mutating func skipDropped(in scrollback: Scrollback) -> Int {
    guard line < scrollback.lines.lowerBound else { return 0 }
    let missing = max(0, scrollback.droppedByteCount - position)
    (line, offset, position) = (scrollback.lines.lowerBound, 0, position + missing)
    return missing
  }

  /// Reads bytes, and moves past them. Dropped bytes are skipped silently; see
  /// ``skipDropped(in:)``. Marks are left out.
  ///
  /// - Parameters:
  ///   - scrollback: the scrollback of the place.
  ///   - limit: the number of bytes after which no further line is read; the last line may exceed
  ///     it by ``Scrollback/lineLimit``.
  ///   - body: called with the bytes of each line, which are valid during the call, and the time of
  ///     the line in milliseconds since 1970-01-01 UTC.
  public mutating func read(
    from scrollback: Scrollback, upTo limit: Int, _ body: (UnsafeRawBufferPointer, UInt64) -> Void
  ) {
    _ = skipDropped(in: scrollback)
    var count = 0
    while count < limit, line < scrollback.lines.upperBound {
      let isOpen = scrollback.isLastLineOpen && line + 1 == scrollback.lines.upperBound
      let end = scrollback.withLine(line) { kept in
        if !kept.isMark, offset < kept.bytes.count {
          body(UnsafeRawBufferPointer(rebasing: kept.bytes[offset...]), kept.time)
          count += kept.bytes.count - offset
        }
        return kept.isMark ? offset : kept.bytes.count
      }
      position += (end ?? offset) - offset
      if isOpen {
        // The line continues.
        offset = end ?? offset
        return
      }
      (line, offset) = (line + 1, 0)
    }
  }
}
