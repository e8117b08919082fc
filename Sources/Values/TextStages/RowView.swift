public import Time

/// Shows the bytes of both directions in rows of its own, in place of the text: as hexadecimal
/// numbers, as frames.
///
/// Rows end with CR LF, because the user's terminal is in raw mode.
public protocol RowView {
  /// Adds bytes of a direction, and appends the rows that are complete.
  mutating func show(
    _ bytes: UnsafeRawBufferPointer, _ direction: Direction, at moment: Moment,
    into output: inout [UInt8])

  /// Whether bytes wait for more bytes, so that ``endRow(into:)`` would append something.
  var isWaiting: Bool { get }

  /// The silence after which waiting bytes are shown; nil if they wait for any time.
  var gap: Duration? { get }

  /// Appends the bytes that wait. Call it at the end, and after a silence of ``gap``.
  mutating func endRow(into output: inout [UInt8])

  /// Adapts the rows to a number of columns, including their end. Does nothing by default.
  mutating func fit(columns: Int)

  /// Whether each row begins with its time, so that no other stage writes it. False by default.
  var writesTime: Bool { get }
}

extension RowView {
  public mutating func fit(columns: Int) {}
  public var writesTime: Bool { false }
}
