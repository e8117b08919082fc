/// The number of rows and columns of a terminal.
public struct ScreenSize: Hashable, Sendable {
  public var rows: Int
  public var columns: Int

  /// Creates a size. A number below 1 counts as 1.
  public init(rows: Int, columns: Int) {
    self.rows = max(1, rows)
    self.columns = max(1, columns)
  }
}
