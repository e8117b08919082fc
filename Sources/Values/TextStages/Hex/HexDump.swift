import TextTools
public import Time

/// Shows bytes as hexadecimal numbers, in rows like those of `hexdump -C`.
///
/// A row is written when it is full, when the direction changes, or when the caller ends it:
/// ```
/// 00000000  68 65 6c 6c 6f 20 77 6f  72 6c 64 0d 0a           |hello world..|
/// ```
/// The number at the beginning is the offset of the row's first byte, in hexadecimal. Each
/// direction has its own count.
public struct HexDump: RowView, Sendable {
  /// The number of bytes in a full row. A change takes effect immediately, even for
  /// the present row.
  public var rowLength = standardRowLength
  /// The silence that ends a row.
  public let gap: Duration?
  /// Whether a row begins with `<` for bytes from the device, or `>` for bytes to the device.
  private let marksDirection: Bool
  /// The bytes of the row that is not full yet.
  private var row: [UInt8] = []
  private var direction = Direction.fromDevice
  /// The number of bytes that were written in each direction.
  private var offsets: [Direction: UInt64] = [:]

  /// The number of bytes per row if the width of the screen is irrelevant or unknown, as in
  /// `hexdump -C`. Such a row has 78 columns, or 80 with the mark of the direction.
  public static let standardRowLength = 16
  /// All row lengths, the longest first.
  private static let rowLengths = [standardRowLength, 8, 4]
  private static let groupLength = 8

  /// Creates a dump that begins at offset 0.
  ///
  /// - Parameters:
  ///   - marksDirection: whether a row begins with a mark of its direction.
  ///   - gap: the silence that ends a row.
  public init(marksDirection: Bool = false, gap: Duration? = nil) {
    self.marksDirection = marksDirection
    self.gap = gap
    row.reserveCapacity(Self.standardRowLength)
  }

  /// Selects the longest row that fits into a width: 16, 8 or 4 bytes. If not even 4 bytes fit,
  /// rows have 4 bytes, and the terminal wraps them.
  ///
  /// - Parameter columns: the number of columns for a row, including its end.
  public mutating func fit(columns: Int) {
    rowLength =
      Self.rowLengths.first { width(ofRow: $0) <= columns }
      ?? Self.rowLengths[Self.rowLengths.count - 1]
  }

  /// The number of columns of a full row with this number of bytes.
  private func width(ofRow length: Int) -> Int {
    let groups = (length + Self.groupLength - 1) / Self.groupLength
    let numbers = 3 * length + groups
    let text = "  |".count + length + "|".count
    return (marksDirection ? 2 : 0) + 8 + numbers + text
  }

  /// Adds bytes of a direction, and appends the full rows.
  ///
  /// First it ends a row that the other direction has begun.
  public mutating func show(
    _ bytes: UnsafeRawBufferPointer, _ direction: Direction, at moment: Moment,
    into output: inout [UInt8]
  ) {
    if bytes.isEmpty { return }
    if direction != self.direction {
      endRow(into: &output)
      self.direction = direction
    }
    for byte in bytes {
      row.append(byte)
      if row.count >= rowLength { endRow(into: &output) }
    }
  }

  /// Appends the row that has begun, if any. Call it after a pause of the device.
  public mutating func endRow(into output: inout [UInt8]) {
    // There may be several rows, if ``rowLength`` has become smaller.
    for start in stride(from: 0, to: row.count, by: rowLength) {
      append(row[start..<min(start + rowLength, row.count)], to: &output)
    }
    row.removeAll(keepingCapacity: true)
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) {
    let offset = offsets[direction, default: 0]
    if marksDirection {
      output.append(UInt8(ascii: direction == .fromDevice ? "<" : ">"))
      output.append(UInt8(ascii: " "))
    }
    // The offset has eight digits: after 4 GiB it starts again at 0.
    output.append(hex: offset, digits: 8)
    appendNumbers(of: bytes, to: &output)
    output.append("  |")
    for byte in bytes { output.append(byte.isPrintable ? byte : UInt8(ascii: ".")) }
    output.append("|\r\n")
    offsets[direction] = offset + UInt64(bytes.count)
  }

  /// Appends the numbers in groups of eight, with spaces if the row is short.
  private func appendNumbers(of bytes: ArraySlice<UInt8>, to output: inout [UInt8]) {
    for place in 0..<rowLength {
      output.append(place % Self.groupLength == 0 ? "  " : " ")
      if place < bytes.count {
        output.append(hex: UInt64(bytes[bytes.startIndex + place]), digits: 2)
      } else {
        output.append("  ")
      }
    }
  }

  /// Whether a row has begun.
  public var isWaiting: Bool { !row.isEmpty }
}
