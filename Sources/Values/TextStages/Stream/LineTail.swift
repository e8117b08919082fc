import TextTools

/// The end of the text on the screen. It determines the column of the cursor.
///
/// A program cannot ask a terminal for the column without the answer appearing among the
/// keys. Adding a piece takes the same time for any length; the column is only computed when
/// it is needed.
public struct LineTail: Sendable {
  /// The maximum length of the text in bytes.
  public static let limit = 1_024

  private var bytes: [UInt8] = []
  /// Whether the text begins in the first column.
  private var isKnown = false

  /// Creates the tail of an unknown text.
  public init() {}

  /// Adds bytes that were shown.
  public mutating func add(_ piece: UnsafeRawBufferPointer) {
    let excess = bytes.count + piece.count - Self.limit
    if excess > 0 {
      bytes.removeFirst(min(excess, bytes.count))
      isKnown = false
    }
    // As one copy: a slice would be copied byte by byte, for each piece.
    bytes.append(piece, in: max(0, piece.count - Self.limit)..<piece.count)
  }

  /// Records that the cursor is in the first column of a line.
  public mutating func begin() { start(isKnown: true) }

  /// Records that the position of the cursor is unknown.
  public mutating func forget() { start(isKnown: false) }

  private mutating func start(isKnown: Bool) {
    bytes.removeAll(keepingCapacity: true)
    self.isKnown = isKnown
  }

  /// The column of the cursor, counted from 0; nil if it is unknown, or if the line does not fit
  /// into a row of a screen with the given number of columns.
  public func column(ofColumns columns: Int) -> Int? {
    var column = isKnown ? 0 : Int?.none
    bytes.withUnsafeBytes { bytes in
      for part in ScreenParts(bytes) {
        switch part.kind {
        case .text:
          column = column.map { $0 + String(decoding: part.bytes, as: UTF8.self).displayWidth }
        case .tab: column = column.map(CursorPlace.tabStop(after:))
        case .backspace: column = column.map { max(0, $0 - 1) }
        case .carriageReturn: column = 0
        case .motion: column = nil
        case .lineFeed, .control, .style, .mode, .edit: break
        }
        if column ?? 0 >= columns { column = nil }
      }
    }
    return column
  }
}
