import Time

/// The search for the beginning of what a full-screen program has drawn.
public enum DrawingSearch {
  /// The number of bytes before the line in which the program began to draw that draws at the end
  /// of a text; nil if none does.
  ///
  /// - Parameters:
  ///   - text: what a device has sent.
  ///   - rows: the number of rows of its screen; at least one.
  public static func countBefore(
    in text: UnsafeRawBufferPointer, rows: Int, columns: Int
  ) -> Int? {
    var filter = EscapeFilter()
    var cells = ScreenCells(frame: 0..<rows, rows: rows, columns: columns)
    var beginning: Int?
    var index = 0
    var shown: [UInt8] = []
    while index < text.count {
      let lineFeed = PlainText.index(of: .lineFeed, in: text, from: index, to: text.count)
      let end = lineFeed.map { $0 + 1 } ?? text.count
      let line = UnsafeRawBufferPointer(rebasing: text[index..<end])
      shown.removeAll(keepingCapacity: true)
      switch filter.transform(line, at: Moment(wallClock: 0, monotonic: 0), into: &shown) {
      case .unchanged: cells.write(line)
      case .changed: cells.write(shown)
      }
      beginning = cells.isDrawn ? beginning ?? index : nil
      index = end
    }
    return beginning
  }
}
