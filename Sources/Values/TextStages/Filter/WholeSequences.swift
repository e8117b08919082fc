import TextTools
public import Time

/// Passes all bytes, but each escape sequence and character only when it is complete: other output
/// of the program must not appear inside of one.
///
/// It is used for a stream that is shown raw; an ``EscapeFilter`` already holds sequences back.
public struct WholeSequences: ByteStage {
  /// The maximum number of bytes that are held back. The rest of a longer sequence, such as a
  /// picture, passes immediately.
  public static let limit = 65_536

  private var tokenizer = Tokenizer(longestString: limit)
  private var held: [UInt8] = []
  private var modes = SwitchedModes()
  private let columns: () -> Int

  /// Creates a stage for the beginning of a stream.
  ///
  /// - Parameter columns: returns the width of the screen, to restore its tab stops.
  public init(columns: @escaping () -> Int = { 80 }) { self.columns = columns }

  /// Creates a stage that continues a stream, which passed a filter until now.
  public init(after filter: EscapeFilter) {
    columns = { filter.columns }
    var state = filter.screenState
    if filter.switched.contains(.markedPastes) { state.append("\u{1B}[?2004h") }
    if filter.switched.contains(.origin) { state.append("\u{1B}[?6h") }
    if filter.switched.contains(.tabs) { state.append("\u{1B}H") }
    _ = state.withUnsafeBytes { end(of: $0) }
  }

  /// Transforms a piece; see ``ByteStage/transform(_:at:into:)``.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    let end = end(of: bytes)
    if end == bytes.count && held.isEmpty { return .unchanged }
    if let end {
      output += held
      output.append(bytes, in: 0..<end)
      held.removeAll(keepingCapacity: true)
    }
    held.append(bytes, in: (end ?? 0)..<bytes.count)
    return .changed
  }

  /// Where the last complete token of a piece ends; nil if the piece is inside of one.
  private mutating func end(of bytes: UnsafeRawBufferPointer) -> Int? {
    var (index, end) = (0, Int?.none)
    while index < bytes.count {
      if !tokenizer.isWaiting {
        index = PlainText.end(in: bytes, from: index)
        end = index
      }
      if let token = tokenizer.next(in: bytes, from: &index) { note(token, in: bytes) }
      if !tokenizer.isWaiting { end = index }
    }
    return end
  }

  /// Whether a sequence or a character is incomplete.
  public var isWaiting: Bool { !held.isEmpty }

  /// Appends the incomplete sequence or character, and keeps the state inside of it.
  public mutating func flush(into output: inout [UInt8]) {
    output += held
    held.removeAll(keepingCapacity: true)
  }

  /// The sequences that undo what the device has switched.
  public var restoration: [UInt8] { modes.restoration(columns: columns()) }

  /// What the device has switched.
  public var switched: DeviceModes { modes.deviceModes }

  private mutating func note(_ token: Tokenizer.Token, in bytes: UnsafeRawBufferPointer) {
    switch token.kind {
    case .control, .escape, .sequence, .string: token.withBytes(in: bytes) { modes.note($0) }
    case .text, .mark, .invalid, .malformed: break
    }
  }
}
