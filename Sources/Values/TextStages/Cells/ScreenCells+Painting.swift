import TextTools

/// Sequences that bring a terminal to the state of the cells.
extension ScreenCells {
  /// The sequences after which rows are painted at their absolute positions, and nothing wraps or
  /// moves: what the device has switched is switched off.
  public static let beforePainting = "\u{1B}[?6l\u{1B}[4l\u{1B}[?7l\u{1B}[0m"

  /// The sequences that paint rows; see ``beforePainting``.
  ///
  /// - Parameters:
  ///   - rows: the rows of the screen that are painted.
  ///   - shift: the number of rows by which the text is moved up there.
  public func painted(_ rows: Range<Int>, movedUpBy shift: Int = 0) -> [UInt8] {
    var output: [UInt8] = []
    for row in rows where screen.indices.contains(row + shift) {
      output.append("\u{1B}[\(row + 1);1H")
      paint(screen[row + shift].cells, into: &output)
    }
    return output
  }

  private func paint(_ cells: [Cell], into output: inout [UInt8]) {
    var rendition = Rendition()
    var column = 0
    while column < cells.count {
      let cell = cells[column]
      if cell.rendition != rendition {
        rendition = cell.rendition
        rendition.restore(into: &output)
      }
      guard cell.text == nil else {
        output += (cell.text ?? "").utf8
        column += 1
        continue
      }
      let end = cells[column...].firstIndex { $0 != cell } ?? cells.count
      if end == cells.count {
        output.append("\u{1B}[K")
      } else {
        output.append("\u{1B}[\(end - column)X\u{1B}[\(end - column)C")
      }
      column = end
    }
    if rendition != Rendition() { output.append("\u{1B}[0m") }
  }

  /// The sequences that paint the known rows below the cursor, wherever that is on the screen.
  public var paintedBelow: [UInt8] {
    let rows = screen[min(place.row + 1, frame.upperBound)..<frame.upperBound]
    guard rows.contains(where: { $0.cells.contains { $0 != Cell() } }) else { return [] }
    var output: [UInt8] = []
    output.append("\u{1B}7\u{1B}[?7l\u{1B}[0m")
    for row in rows {
      output.append("\u{1B}[B\r")
      if row.isKnown { paint(row.cells, into: &output) }
    }
    output.append("\u{1B}[?7h\u{1B}8")
    return output
  }

  /// The sequences that restore the cursor, what DECSC has saved, the modes, and the colours, from
  /// any state of these. The scroll region stays.
  public var placed: [UInt8] {
    var output: [UInt8] = []
    // The row of the saved cursor may be outside of the present region.
    let isOutside = saved?.isOrigin == true && region != 0..<rows
    if isOutside { output.append("\u{1B}[r") }
    if let saved { append(saved, isOutside ? 0 : region.lowerBound, into: &output) }
    if let sets {
      // Without a saved cursor, DECRC moves to the upper left corner.
      if saved == nil { output.append("\u{1B}[H") }
      output += sets.savedSequences
      output.append("\u{1B}7")
      output += CharacterSets().sequences
    } else if saved != nil {
      output.append("\u{1B}7")
    }
    if isOutside { appendRegion(into: &output) }
    append(place, region.lowerBound, into: &output)
    if inserts { output.append("\u{1B}[4h") }
    return output + (sets?.sequences ?? [])
  }

  /// The sequences that set the tab stops.
  var tabs: [UInt8] { ScreenState.tabs(at: tabStops.indices.filter { tabStops[$0] }) }

  private func append(_ place: Place, _ firstRow: Int, into output: inout [UInt8]) {
    output.append("\u{1B}[4l\u{1B}[?6\(place.isOrigin ? "h" : "l")")
    let row = max(0, place.row - (place.isOrigin ? firstRow : 0)) + 1
    // Only a character in the last column makes the next one wrap.
    if place.column == columns {
      let cells = screen[place.row].cells
      let isWide = columns > 1 && cells[columns - 1].text?.isEmpty == true
      let column = columns - (isWide ? 2 : 1)
      output.append("\u{1B}[\(row);\(column + 1)H")
      cells[column].rendition.restore(into: &output)
      output.append("\u{1B}[?7h")
      output += (cells[column].text ?? " ").utf8
    } else {
      output.append("\u{1B}[\(row);\(place.column + 1)H")
    }
    output.append("\u{1B}[?7\(wraps ? "h" : "l")")
    place.rendition.restore(into: &output)
  }

  /// The sequences that paint the text's rows on a terminal in any state, and restore its place.
  public var redrawn: [UInt8] {
    var output = Array(Self.beforePainting.utf8)
    output += painted(frame)
    appendRegion(into: &output)
    return output + placed
  }

  private func appendRegion(into output: inout [UInt8]) {
    output.append(
      region == 0..<rows
        ? "\u{1B}[r" : "\u{1B}[\(region.lowerBound + 1);\(region.upperBound)r")
  }
}
