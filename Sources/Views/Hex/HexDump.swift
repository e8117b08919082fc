/// Shows bytes as numbers, sixteen a line, as `hexdump -C` does.
///
/// A line is put out when it is full, when the direction changes, or when somebody ends it:
/// ```
/// 00000000  68 65 6c 6c 6f 20 77 6f  72 6c 64 0d 0a           |hello world..|
/// ```
/// The number in front is the offset of the line's first byte, in hexadecimal; each direction counts
/// its own bytes. Lines end with CR LF, because the user's terminal is in raw mode.
public struct HexDump: ByteStage, Sendable {
  /// Whether a line begins with `<` for bytes from the device and `>` for bytes to it.
  private let marksDirection: Bool
  /// The bytes of the line that is not full yet.
  private var line: [UInt8] = []
  private var direction = Direction.fromDevice
  /// How many bytes have been put out in each direction.
  private var offsets: [Direction: UInt64] = [:]

  /// How many bytes a line shows.
  static let width = 16

  /// Creates a dump that begins at offset 0.
  ///
  /// - Parameter marksDirection: whether a line begins with a mark of its direction.
  public init(marksDirection: Bool = false) {
    self.marksDirection = marksDirection
    line.reserveCapacity(Self.width)
  }

  /// Takes bytes of a direction and appends the lines that are complete.
  ///
  /// A line that the other direction has begun is ended first.
  public mutating func dump(
    _ bytes: UnsafeRawBufferPointer, _ direction: Direction, into output: inout [UInt8]
  ) {
    if bytes.isEmpty { return }
    if direction != self.direction {
      endLine(into: &output)
      self.direction = direction
    }
    for byte in bytes {
      line.append(byte)
      if line.count == Self.width { endLine(into: &output) }
    }
  }

  /// Appends the line that has been begun, if one has: after a pause of the device.
  public mutating func endLine(into output: inout [UInt8]) {
    if line.isEmpty { return }
    let offset = offsets[direction, default: 0]
    if marksDirection {
      output.append(UInt8(ascii: direction == .fromDevice ? "<" : ">"))
      output.append(UInt8(ascii: " "))
    }
    // Past 4 GiB the offset begins anew: eight digits is what the column is wide.
    output.append(hex: offset, digits: 8)
    appendNumbers(to: &output)
    output.append("  |")
    for byte in line { output.append(byte.isPrintable ? byte : UInt8(ascii: ".")) }
    output.append("|\r\n")
    offsets[direction] = offset + UInt64(line.count)
    line.removeAll(keepingCapacity: true)
  }

  /// Two groups of eight, with blanks where a line is short.
  private func appendNumbers(to output: inout [UInt8]) {
    for place in 0..<Self.width {
      output.append(place % 8 == 0 ? "  " : " ")
      if place < line.count {
        output.append(hex: UInt64(line[place]), digits: 2)
      } else {
        output.append("  ")
      }
    }
  }

  /// Takes a piece of what the device sends; see ``ByteStage/transform(_:at:into:)``.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    dump(bytes, .fromDevice, into: &output)
    return .changed
  }

  /// Whether a line has been begun.
  public var isWaiting: Bool { !line.isEmpty }

  /// Ends the line.
  public mutating func flush(into output: inout [UInt8]) { endLine(into: &output) }
}
