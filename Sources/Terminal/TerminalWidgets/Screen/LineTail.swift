import TextTools

/// The end of the text on the screen, from the last line feed on. It determines the column
/// of the cursor.
///
/// A program cannot ask a terminal for the column without the answer appearing among the
/// keys. Adding a piece takes the same time for any length; the column is only computed when
/// it is needed.
public struct LineTail: Sendable {
  /// The maximum length in bytes of a line whose column is known.
  public static let limit = 1_024

  private var bytes: [UInt8] = []
  /// Whether the line begins in the first column.
  private var isKnown = false

  /// Creates the tail of an unknown text.
  public init() {}

  /// Adds bytes that were shown.
  // Not generic: this is called for each piece, and generic code of another module
  // is not specialised.
  public mutating func add(_ piece: UnsafeRawBufferPointer) {
    let end = piece.count - min(piece.count, Self.limit + 1)
    if let lineFeed = piece[end...].lastIndex(of: 0x0A) {
      // Without a CR the cursor stays in its column.
      let before = lineFeed == 0 ? bytes.last : piece[lineFeed - 1]
      start(isKnown: before == 0x0D)
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[(lineFeed + 1)...]))
    } else if bytes.count + piece.count <= Self.limit {
      bytes.append(contentsOf: piece)
    } else {
      forget()
    }
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
    let start = isKnown ? bytes.startIndex : bytes.lastIndex(of: 0x0D)
    guard let start else { return nil }
    var column = 0
    var rest = Substring(String(decoding: bytes[start...], as: UTF8.self))
    while let character = rest.popFirst() {
      switch character {
      case "\r": column = 0
      case "\u{8}": column = max(0, column - 1)
      case "\t": column = (column / 8 + 1) * 8
      case "\u{7}": break
      case "\u{1B}":
        guard Self.skipSequence(in: &rest) else { return nil }
      default:
        guard character.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) else { return nil }
        column += character.displayWidth
      }
      if column >= columns { return nil }
    }
    return column
  }

  /// Skips a control sequence that does not move the cursor: SGR, EL, and modes.
  private static func skipSequence(in rest: inout Substring) -> Bool {
    guard rest.popFirst() == "[" else { return false }
    while let character = rest.popFirst() {
      switch character {
      case "0"..."9", ";", ":", "?": continue
      case "m", "K", "h", "l": return true
      default: return false
      }
    }
    return false
  }
}
