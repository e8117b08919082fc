/// Received bytes: the frames do not depend on how the stream is cut, every byte is in one of them, damaged or
/// skipped, and what a framing encodes it finds again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFraming(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  let stream = Array(bytes.dropFirst())
  let pieceLength = Int(first >> 3) % 7 + 1
  let limit = Int(first >> 3) + 1
  switch first & 7 {
  case 0:
    for end in LineFraming.End.allCases {
      check(LineFraming(end, limit: limit), stream, pieceLength)
    }
  case 1: check(DelimiterFraming([0x0D, 0x0D, 0x0A], limit: limit), stream, pieceLength)
  case 2: check(SilenceFraming(.seconds(1), limit: limit), stream, pieceLength)
  case 3: checkWithEncoding(SLIPFraming(limit: limit), SLIPFraming(), stream, pieceLength)
  case 4: checkWithEncoding(COBSFraming(limit: limit), COBSFraming(), stream, pieceLength)
  case 5:
    checkWithEncoding(
      LengthPrefixFraming(UInt16.self, .littleEndian, adjustment: 2, limit: limit),
      LengthPrefixFraming(UInt32.self), stream, pieceLength)
  default:
    check(
      LengthPrefixFraming(
        UInt8.self, adjustment: -1, headerLength: 2, limit: limit,
        silence: first & 1 == 0 ? nil : .seconds(1)), stream, pieceLength)
  }
  return 0
}

private func check<Format: Framing>(
  _ framing: Format, _ stream: [UInt8], _ pieceLength: Int
) where Format.Frame: Equatable {
  precondition(
    results(of: framing, for: stream, inPiecesOf: pieceLength)
      == results(of: framing, for: stream, inPiecesOf: max(stream.count, 1)),
    "the frames depend on how the stream is cut")
}

private func results<Format: Framing>(
  of framing: Format, for stream: [UInt8], inPiecesOf length: Int
) -> [Result<Format.Frame, FrameDamage>] {
  var buffer = FrameBuffer(framing)
  var results: [Result<Format.Frame, FrameDamage>] = []
  for start in stride(from: 0, to: stream.count, by: length) {
    buffer.append(stream[start..<min(start + length, stream.count)])
    while let result = buffer.next() { results.append(result) }
  }
  while let result = buffer.next(isEnd: true) { results.append(result) }
  precondition(buffer.count == 0, "bytes are left at the end")
  return results
}

private func checkWithEncoding<Format: FrameEncoding>(
  _ framing: Format, _ wide: Format, _ stream: [UInt8], _ pieceLength: Int
) where Format.Frame == [UInt8] {
  check(framing, stream, pieceLength)
  // SLIP has no empty frames.
  guard !stream.isEmpty, let encoded = try? wide.encode(stream) else { return }
  let found = results(of: wide, for: encoded + encoded, inPiecesOf: pieceLength)
  precondition(found == [.success(stream), .success(stream)], "not what was encoded")
}
