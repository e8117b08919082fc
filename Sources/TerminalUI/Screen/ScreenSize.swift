/// How many rows and columns a terminal has.
public struct ScreenSize: Hashable, Sendable {
  public var rows: Int
  public var columns: Int

  /// Creates a size; less than 1 counts as 1.
  public init(rows: Int, columns: Int) {
    self.rows = max(1, rows)
    self.columns = max(1, columns)
  }
}
