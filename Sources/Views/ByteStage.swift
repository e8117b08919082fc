/// A step between the bytes of a device and the screen.
///
/// A stage is a value that keeps its state between pieces, so that the output does not depend on how
/// the stream is cut into pieces. Stages can be exchanged while the stream goes on; flush a stage
/// before removing it.
public protocol ByteStage {
  /// Transforms a piece of the stream and appends the part that is complete to the output.
  ///
  /// - Parameters:
  ///   - bytes: the piece, of any length.
  ///   - moment: when it was read.
  ///   - output: an array that is reused for the next piece, so that nothing is allocated. Its present
  ///     contents stay.
  /// - Returns: ``StageResult/unchanged`` if the output equals the piece; nothing is appended then.
  mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult

  /// Whether anything waits for more bytes, so that ``flush(into:)`` would append something.
  var isWaiting: Bool { get }

  /// Appends what waits for more bytes: at the end of the stream, or after a pause.
  mutating func flush(into output: inout [UInt8])

  /// Takes note that somebody else has written to the terminal after this stage, or moved its cursor:
  /// to the first column of an empty line, or to an unknown place.
  mutating func cursorDidMove(toMargin isAtMargin: Bool)

  /// The bytes that undo the changes that the stream has made to the terminal, as far as the stage
  /// knows them. Empty by default.
  var restoration: [UInt8] { get }

  /// The bytes that bring a terminal into the state that the stream has set, whatever state it is in; by
  /// default empty: the stage does not know.
  var screenState: [UInt8] { get }

  /// Whether the stream has hidden the cursor, as far as the stage knows. `false` by default.
  var isCursorHidden: Bool { get }
}

extension ByteStage {
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {}

  public var restoration: [UInt8] { [] }

  public var screenState: [UInt8] { [] }

  public var isCursorHidden: Bool { false }
}

/// The result of transforming a piece.
public enum StageResult: Hashable, Sendable {
  /// The output equals the piece. Plain text passes from stage to stage without a copy.
  case unchanged
  /// The output was appended; it may be empty.
  case changed
}
