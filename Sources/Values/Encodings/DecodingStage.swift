public import TextStages
import TextTools
public import Time

/// Converts a device's bytes to UTF-8.
///
/// Bytes that cannot be converted are shown as `\xHH`. The output is valid UTF-8 and is not safe:
/// an ``EscapeFilter`` comes after this stage, because some encodings have control characters where
/// ASCII has none. See docs/decisions/encodings.md.
///
/// A copy shares the converter's state with the original. Use only one of them.
public struct DecodingStage: ByteStage {
  /// The encoding.
  public let encoding: Encoding
  private let converter: CharacterConverter
  /// The bytes of an incomplete character.
  private var pending: [UInt8] = []
  /// The incomplete character and the piece that follows it.
  private var joined: [UInt8] = []
  /// Whether a character can wait in the converter.
  private var mayHoldCharacter = false

  /// The maximum number of bytes that wait for more. No encoding has a longer character.
  static let longestCharacter = 16

  /// The number of bytes that wait.
  var waiting: Int { pending.count }

  /// Creates a stage for the beginning of a stream.
  ///
  /// - Throws: ``EncodingError``.
  public init(_ encoding: Encoding) throws(EncodingError) {
    self.encoding = encoding
    converter = try encoding.decoder()
  }

  /// Converts bytes that are a whole stream.
  ///
  /// - Throws: ``EncodingError``.
  public static func text(
    of bytes: [UInt8], in encoding: Encoding
  ) throws(EncodingError) -> [UInt8] {
    if encoding.isUTF8 { return bytes }
    var stage = try DecodingStage(encoding)
    var text: [UInt8] = []
    bytes.withUnsafeBytes { stage.decode($0, into: &text) }
    stage.flush(into: &text)
    return text
  }

  /// The conversion of single lines of a stream, each from the initial state; nil for UTF-8, and
  /// for encodings whose lines do not end with the byte 0A: a line cannot be read alone there.
  public static func ofLines(
    _ encoding: Encoding
  ) -> ((UnsafeRawBufferPointer, inout [UInt8]) -> Void)? {
    guard !encoding.isUTF8, encoding.unit == 1, var stage = try? DecodingStage(encoding) else {
      return nil
    }
    return { line, text in
      stage.decode(line, into: &text)
      stage.restart(into: &text)
    }
  }

  /// Transforms a piece. The moment is ignored. ASCII passes without a copy if the encoding is a
  /// superset of it.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    if encoding.isSupersetOfASCII && !isWaiting && !encoding.holdsCharacters
      && PlainText.isASCII(bytes)
    {
      return .unchanged
    }
    decode(bytes, into: &output)
    return .changed
  }

  /// Converts a piece, and appends the result.
  public mutating func decode(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    mayHoldCharacter = encoding.holdsCharacters
    guard !pending.isEmpty else { return convert(bytes, into: &output) }
    joined.removeAll(keepingCapacity: true)
    swap(&joined, &pending)
    joined.append(contentsOf: bytes)
    let all = joined
    all.withUnsafeBytes { convert($0, into: &output) }
  }

  private mutating func convert(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    var rest = bytes
    while !rest.isEmpty {
      let (count, stop) = converter.convert(rest, into: &output)
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      switch stop {
      case .end: break
      case .incomplete where rest.count <= Self.longestCharacter:
        pending.append(contentsOf: rest)
        return
      case .incomplete, .invalid:
        let skipped = min(encoding.unit, rest.count)
        for byte in rest.prefix(skipped) { output.append(invalid: byte) }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(skipped))
      }
    }
  }

  /// Whether a character is incomplete, or may be followed by a combining mark.
  public var isWaiting: Bool { !pending.isEmpty || mayHoldCharacter }

  /// Shows the bytes of an incomplete character. The shift state stays.
  public mutating func flush(into output: inout [UInt8]) {
    if mayHoldCharacter { converter.reset(into: &output) }
    mayHoldCharacter = false
    for byte in pending { output.append(invalid: byte) }
    pending.removeAll(keepingCapacity: true)
  }

  /// Begins a stream again, after bytes are missing. The bytes of an incomplete character
  /// are shown.
  public mutating func restart(into output: inout [UInt8]) {
    flush(into: &output)
    converter.reset()
  }
}

extension [UInt8] {
  /// Appends the form of a byte that cannot be converted: `\xHH`.
  fileprivate mutating func append(invalid byte: UInt8) {
    append("\\x")
    append(hex: UInt64(byte), digits: 2)
  }
}
