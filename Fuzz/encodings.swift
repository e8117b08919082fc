import TextStages
import Time

/// Character encodings: the first byte chooses one, the second how the stream is divided, the rest
/// is the stream. Whatever a device sends becomes valid UTF-8, the same in pieces as in one, and
/// little waits. What it becomes is typed again, with the same result in pieces as in one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEncodings(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 2 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  let encoding = encodings[Int(input[0]) % encodings.count]
  let stream = input[2...]
  let whole = decoded(stream, encoding, pieces: [stream.count])
  check(String(validating: whole, as: UTF8.self) != nil, "\(encoding) became other than UTF-8")
  // Lengths of pieces from 1 to 7, which differ.
  var seed = UInt32(input[1]) &* 2_654_435_761 | 1
  let lengths = stream.indices.map { _ in
    seed = seed &* 1_664_525 &+ 1_013_904_223
    return Int(seed >> 24) % (1 + Int(input[1]) % 7) + 1
  }
  check(
    decoded(stream, encoding, pieces: lengths) == whole,
    "the text in \(encoding) depends on how the stream is divided")
  // A combining mark that is typed alone cannot change the letter that was sent before.
  if encoding.holdsCharacters || combining.contains(encoding.name) { return 0 }
  let typed = encoded(whole[...], encoding, pieces: [whole.count])
  let inPieces = encoded(
    whole[...], encoding, pieces: whole.indices.map { lengths[$0 % lengths.count] })
  check(
    typed.refusals == inPieces.refusals,
    "other characters are refused in pieces: \(inPieces.refusals), and not \(typed.refusals)")
  check(
    decoded(typed.bytes[...], encoding, pieces: [typed.bytes.count])
      == decoded(inPieces.bytes[...], encoding, pieces: [inPieces.bytes.count]),
    "other text is sent in pieces")
  return 0
}

/// The common encodings, and others with more state.
private let encodings: [Encoding] =
  (CommonEncoding.all.map(\.name) + [
    "UTF-7", "UTF-16", "UTF-32", "UCS-2", "ISO-2022-KR", "ISO-2022-JP-2", "ISO-2022-JP-3",
    "ISO-2022-CN", "ISO-2022-CN-EXT", "EUC-TW", "EUC-JISX0213", "SHIFT_JISX0213", "JOHAB", "UHC",
    "TCVN", "TSCII", "IBM930", "IBM933", "IBM1364", "IBM1390", "GBBIG5", "T.61", "ISO_6937",
    "ANSI_X3.110",
  ]).compactMap { try? Encoding($0) }.filter { !$0.isUTF8 }

/// Those that have letters with combining marks as one character, and not all of the marks.
private let combining = [
  "BIG5-HKSCS", "EUC-JISX0213", "SHIFT_JISX0213", "ISO-2022-JP-3", "IBM1390",
]

private func decoded(
  _ stream: ArraySlice<UInt8>, _ encoding: Encoding, pieces: [Int]
) -> [UInt8] {
  guard var stage = try? DecodingStage(encoding) else { fatalError("no converter") }
  var output: [UInt8] = []
  forEachPiece(of: stream, pieces) { piece in
    let moment = Moment(wallClock: 0, monotonic: 0)
    if stage.transform(piece, at: moment, into: &output) == .unchanged { output += piece }
    check(stage.waiting <= DecodingStage.longestCharacter, "too much waits")
  }
  stage.flush(into: &output)
  return output
}

private func encoded(
  _ text: ArraySlice<UInt8>, _ encoding: Encoding, pieces: [Int]
) -> (bytes: [UInt8], refusals: [UnencodableText]) {
  guard let writer = try? EncodingWriter(encoding) else { fatalError("no converter") }
  var output: [UInt8] = []
  var refusals: [UnencodableText] = []
  forEachPiece(of: text, pieces) { refusals += writer.type($0, into: &output) }
  return (output, refusals)
}

private func forEachPiece(
  of stream: ArraySlice<UInt8>, _ lengths: [Int], _ body: (UnsafeRawBufferPointer) -> Void
) {
  var rest = stream
  for length in lengths where !rest.isEmpty {
    rest.prefix(length).withUnsafeBytes { body($0) }
    rest = rest.dropFirst(length)
  }
}

private func check(_ isTrue: Bool, _ problem: @autoclosure () -> String) {
  if !isTrue { fatalError(problem()) }
}
