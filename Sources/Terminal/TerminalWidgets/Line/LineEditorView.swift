import TextTools

/// Draws the line that is being typed in one row of the screen, after a prompt.
///
/// Of a line that is wider than the row, it shows the part around the cursor. `<` and `>` mark
/// where the line continues. The line scrolls by half a row at a time, not at every key.
public struct LineEditorView: Sendable {
  public let prompt: String
  /// The columns of the screen.
  public let width: Int

  /// The content of the row.
  public struct Row: Equatable, Sendable {
    public let text: String
    /// The column of the cursor, counted from 0.
    public let cursorColumn: Int
  }

  /// Creates a view. A width below 1 counts as 1.
  public init(prompt: String, width: Int) {
    self.prompt = prompt
    self.width = max(1, width)
  }

  /// The row of a line.
  public func row(of editor: LineEditor) -> Row {
    // One column stays free for the cursor after the last character.
    let prompt = prompt.visibleForm.truncated(toWidth: width / 2)
    let room = width - prompt.displayWidth - 1
    let ends = editor.characters.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.cellWidth) }
    let (place, total) = (ends[editor.cursor], ends[ends.count - 1])
    guard total > room else {
      let cells = editor.characters.map(\.cell)
      return Row(text: prompt + cells.joined(), cursorColumn: prompt.displayWidth + place)
    }
    // Both marks and a character need five columns. A narrower row only shows the cursor.
    guard room >= 5 else { return Row(text: prompt, cursorColumn: prompt.displayWidth) }
    let left = Self.firstColumn(showing: place, room: room)
    let right = left + room
    // A column with a mark, or with half of a wide character, does not belong to the line.
    let first = left > 0 ? left + 1 : 0
    let last = right < total ? right - 1 : total
    var text = left > 0 ? "<" : ""
    var column = left > 0 ? first : 0
    for (character, (start, end)) in zip(editor.characters, zip(ends, ends.dropFirst()))
    where start >= first && end <= last {
      text += String(repeating: " ", count: start - column) + character.cell
      column = end
    }
    if right < total { text += String(repeating: " ", count: max(0, last - column)) + ">" }
    return Row(text: prompt + text, cursorColumn: prompt.displayWidth + place - left)
  }

  /// The first visible column: a multiple of half of the room.
  private static func firstColumn(showing place: Int, room: Int) -> Int {
    let step = room / 2
    // The cursor is never on a mark, and a wide character under it is complete.
    return place <= room - 3 ? 0 : ((place - (room - 3) + step - 1) / step) * step
  }

  /// The row as panel content, with the cursor.
  public func content(of editor: LineEditor) -> PanelContent {
    let row = row(of: editor)
    return PanelContent([StyledLine(row.text)], cursorColumn: row.cursorColumn)
  }
}

extension Character {
  /// The width of the cell, in columns.
  fileprivate var cellWidth: Int {
    // Most lines are ASCII, and may be long.
    if let byte = asciiValue, (0x20..<0x7F).contains(byte) { return 1 }
    return cell.displayWidth
  }

  /// The visible form of the character in a row. A combining character without a letter is shown
  /// on a circle.
  fileprivate var cell: String {
    let form = String(self).visibleForm
    return form.unicodeScalars.first?.displayWidth == 0 ? "\u{25CC}" + form : form
  }
}
