public import Time

/// A step between the bytes of a device and the screen.
///
/// A stage is a value that keeps its state between pieces, so that the output does not depend on
/// how the stream is split into pieces. Stages can be replaced while the stream continues; flush a
/// stage before removing it.
public protocol ByteStage {
  /// Transforms a piece of the stream, and appends the complete part of the result to the output.
  ///
  /// - Parameters:
  ///   - bytes: the piece, of any length.
  ///   - moment: the time of the read.
  ///   - output: an array that is reused for the next piece, so that nothing is allocated. Its
  ///     present contents stay.
  /// - Returns: ``StageResult/unchanged`` if the output equals the piece. Nothing is appended then.
  mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult

  /// Whether bytes wait for more bytes, so that ``flush(into:)`` would append something.
  var isWaiting: Bool { get }

  /// Appends the bytes that wait for more bytes. Call it at the end of the stream, or
  /// after a pause.
  mutating func flush(into output: inout [UInt8])

  /// Records that other code has written to the terminal after this stage, or moved its cursor to
  /// the first column of an empty line or to an unknown position.
  mutating func cursorDidMove(toMargin isAtMargin: Bool)

  /// The bytes that undo the changes that the stream has made to the terminal's state, as far as
  /// the stage knows them. Empty by default.
  var restoration: [UInt8] { get }

  /// The bytes that bring a terminal from any state into the state that the stream has set. Empty
  /// by default: the stage does not know that state.
  var screenState: [UInt8] { get }

  /// What the stream has switched that others must know. Empty by default.
  var switched: DeviceModes { get }

  /// Removes and returns the questions of the stream so far. Empty by default.
  mutating func takeQuestions() -> [TerminalQuestion]
}

extension ByteStage {
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {}

  public var restoration: [UInt8] { [] }

  public var screenState: [UInt8] { [] }

  public var switched: DeviceModes { [] }

  public mutating func takeQuestions() -> [TerminalQuestion] { [] }
}

/// What a device has switched at the terminal, as far as other parts of the program must know it.
public struct DeviceModes: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The cursor is hidden.
  public static let hiddenCursor = DeviceModes(rawValue: 1)
  /// The device wants to know what is pasted: bracketed paste.
  public static let markedPastes = DeviceModes(rawValue: 2)
  /// The alternate screen is shown.
  public static let alternateScreen = DeviceModes(rawValue: 4)
  /// Rows count from the scroll region.
  public static let origin = DeviceModes(rawValue: 8)
  /// Tab stops have changed.
  public static let tabs = DeviceModes(rawValue: 16)
  /// What only the stream's own ``ByteStage/restoration`` undoes: keys, colours, encodings.
  public static let others = DeviceModes(rawValue: 32)
}

/// The result of transforming a piece.
public enum StageResult: Hashable, Sendable {
  /// The output equals the piece. Plain text passes between stages without a copy.
  case unchanged
  /// The output was appended; it may be empty.
  case changed
}
