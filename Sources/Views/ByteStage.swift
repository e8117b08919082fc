/// A step between the bytes of a device and the screen.
///
/// Stages are values that remember what they must between pieces: however a stream is cut into
/// pieces, the same comes out. They stand in an array and are switched while the stream goes on; one
/// that is taken out is flushed first.
public protocol ByteStage {
  /// Takes a piece of the stream and appends to the output what is ready to go on.
  ///
  /// - Parameters:
  ///   - bytes: the piece, of any length.
  ///   - moment: when it was read.
  ///   - output: an array that is used again for the next piece, so that nothing is allocated. What
  ///     it holds already is left alone.
  /// - Returns: ``StageResult/unchanged`` if the piece goes on as it is; nothing is appended then.
  mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult

  /// Whether anything waits for bytes that may never come, so that ``flush(into:)`` has something to
  /// do.
  var isWaiting: Bool { get }

  /// Appends what waits for bytes that may never come: at the end of the stream, or after a pause.
  mutating func flush(into output: inout [UInt8])

  /// Takes note that somebody else has written to the terminal behind this stage, or moved its cursor:
  /// to the first column, or nobody knows where.
  mutating func cursorDidMove(toMargin isAtMargin: Bool)

  /// What undoes the changes that the stream has made to the terminal behind this stage, as far as
  /// the stage knows of any. Nothing, unless a stage says otherwise.
  var restoration: [UInt8] { get }
}

extension ByteStage {
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {}

  public var restoration: [UInt8] { [] }
}

/// What a stage has made of a piece.
public enum StageResult: Hashable, Sendable {
  /// The piece goes on as it is. Plain text is handed from stage to stage without a copy.
  case unchanged
  /// What goes on stands in the output, if anything does.
  case changed
}
