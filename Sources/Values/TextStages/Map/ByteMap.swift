import TextTools
public import Time

/// Applies the changes of one direction to a stream.
///
/// Every byte changes at most once. If pairs of CR and LF change, a CR waits for the next byte.
public struct ByteMap: ByteStage, Sendable {
  /// The replacement for each byte; nil if it does not change.
  private let table: [[UInt8]?]
  /// The replacement for CR followed by LF; nil if pairs do not change.
  private let pair: [UInt8]?
  private let carriageReturn: UInt8
  private let lineFeed: UInt8
  /// Whether a CR waits.
  private var holdsReturn = false

  /// Creates the map of a direction.
  public init(_ list: MapList, _ direction: Direction) {
    let changes = list.changes(direction)
    let reverses = changes.contains(.reversedBits)
    // Bits are reversed next to the serial line: first for bytes from the device, last for bytes
    // to the device.
    let arriving = { (byte: UInt8) in reverses && direction == .fromDevice ? byte.reversed : byte }
    let leaving = { (byte: UInt8) in reverses && direction == .toDevice ? byte.reversed : byte }
    table = (0...UInt8.max).map { byte in
      let text = arriving(byte)
      let changed = changes.lazy.compactMap { $0.replacement(for: text) }.first ?? [text]
      let sent = changed.map(leaving)
      return sent == [byte] ? nil : sent
    }
    pair = changes.lazy.compactMap(\.pairReplacement).first?.map(leaving)
    carriageReturn = arriving(.carriageReturn)
    lineFeed = arriving(.lineFeed)
  }

  /// Whether the map changes nothing, and so can be omitted.
  public var isIdentity: Bool { pair == nil && table.allSatisfy { $0 == nil } }

  /// Transforms a piece; see ``ByteStage/transform(_:at:into:)``.
  public mutating func apply(
    _ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) -> StageResult {
    var index = 0
    while index < bytes.count {
      if !holdsReturn {
        let end = bytes[index...].firstIndex(where: isChanged) ?? bytes.count
        if end - index == bytes.count { return .unchanged }
        output.append(bytes, in: index..<end)
        index = end
        if index == bytes.count { break }
      }
      map(bytes[index], into: &output)
      index += 1
    }
    return .changed
  }

  /// Transforms a piece. The moment is ignored.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    apply(bytes, into: &output)
  }

  /// Whether a CR waits for its LF.
  public var isWaiting: Bool { holdsReturn }

  /// Appends a CR that waits for its LF.
  public mutating func flush(into output: inout [UInt8]) {
    guard holdsReturn else { return }
    holdsReturn = false
    append(carriageReturn, to: &output)
  }

  private func isChanged(_ byte: UInt8) -> Bool {
    table[Int(byte)] != nil || (pair != nil && byte == carriageReturn)
  }

  private mutating func map(_ byte: UInt8, into output: inout [UInt8]) {
    if holdsReturn, let pair, byte == lineFeed {
      output.append(contentsOf: pair)
      holdsReturn = false
      return
    }
    flush(into: &output)
    if pair != nil, byte == carriageReturn {
      holdsReturn = true
    } else {
      append(byte, to: &output)
    }
  }

  private func append(_ byte: UInt8, to output: inout [UInt8]) {
    if let replacement = table[Int(byte)] {
      output.append(contentsOf: replacement)
    } else {
      output.append(byte)
    }
  }
}

extension UInt8 {
  /// The same bits in reverse order.
  fileprivate var reversed: UInt8 {
    (0..<8).reduce(0) { $0 << 1 | (self >> $1 & 1) }
  }
}
