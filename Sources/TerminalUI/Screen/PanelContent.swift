/// What a ``Panel`` shows: lines, and the place where the user types.
public struct PanelContent: Hashable, Sendable {
  public var lines: [StyledLine]
  /// The column of the cursor in the first line, counted from 0; nil leaves the cursor in the text above.
  public var cursorColumn: Int?

  /// Creates a content.
  public init(_ lines: [StyledLine], cursorColumn: Int? = nil) {
    self.lines = lines
    self.cursorColumn = cursorColumn
  }
}
