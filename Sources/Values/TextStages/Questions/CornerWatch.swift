/// Knows that the cursor is in the lower right corner: the device has moved it there, or beyond,
/// and has shown nothing since.
struct CornerWatch {
  /// The numbers with which the cursor was moved; 0 if it may be anywhere.
  private var (row, column) = (0, 0)

  /// Whether the cursor is in the lower right corner of a screen.
  func isAtCorner(rows: Int, columns: Int) -> Bool { row >= rows && column >= columns }

  /// Records that the cursor may be anywhere.
  mutating func reset() { (row, column) = (0, 0) }

  /// Records a sequence that draws.
  ///
  /// - Parameters:
  ///   - hasRegion: whether there is a scroll region, at whose end the cursor stops.
  ///   - countsFromRegion: whether rows may count from it.
  mutating func note(_ sequence: ControlSequence, hasRegion: Bool, countsFromRegion: Bool) {
    let number = sequence.parameters.first
    switch sequence.final {
    case _ where sequence.intermediate != nil: reset()
    case "H", "f":
      row = countsFromRegion ? 0 : number
      column = sequence.parameters.dropFirst().first { _ in true }?.number ?? 1
    case "B", "e": row = max(row, hasRegion ? 0 : number)
    case "C", "a": column = max(column, number)
    case "d": row = countsFromRegion ? 0 : number
    case "G", "`": column = number
    // ED, EL and ECH do not move it.
    case "J", "K", "X": break
    default: reset()
    }
  }
}
