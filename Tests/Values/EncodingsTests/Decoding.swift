import TextStages
import Time

@testable import Encodings

/// The output of a stage for pieces and the end of the stream.
func decoded(
  _ pieces: some Sequence<some Collection<UInt8>>, from encoding: Encoding
) throws -> [UInt8] {
  var stage = try DecodingStage(encoding)
  var output: [UInt8] = []
  for piece in pieces { stage.feed(Array(piece), into: &output) }
  stage.flush(into: &output)
  return output
}

/// The output as text, which it must be.
func text(_ bytes: [UInt8]) -> String {
  String(validating: bytes, as: UTF8.self) ?? "not UTF-8: \(bytes)"
}

extension DecodingStage {
  /// Passes a piece, as a pipeline does.
  mutating func feed(_ piece: [UInt8], into output: inout [UInt8]) {
    let count = output.count
    let result = piece.withUnsafeBytes {
      transform($0, at: Moment(wallClock: 0, monotonic: 0), into: &output)
    }
    guard result == .unchanged else { return }
    precondition(output.count == count, "unchanged, and something was appended")
    output += piece
  }

  /// The text for a piece.
  mutating func text(for piece: [UInt8]) -> String {
    var output: [UInt8] = []
    feed(piece, into: &output)
    return EncodingsTests.text(output)
  }
}

/// Bytes from hexadecimal digits.
func bytes(_ digits: String) -> [UInt8] {
  let digits = digits.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The ways to divide a stream: as a whole, into bytes, and in two at every position.
func divisions(of bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
  [[bytes[...]], bytes.indices.map { bytes[$0...$0] }]
    + bytes.indices.map { [bytes[..<$0], bytes[$0...]] }
}
