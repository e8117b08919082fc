import Framing
import TestSupport

/// The frames and the damage in a stream.
typealias Results<Format: Framing> = [Result<Format.Frame, FrameDamage>]

/// The frames of a stream that ends after its last piece.
func results<Format: Framing>(
  of framing: Format, for pieces: some Sequence<some Sequence<UInt8>>
) -> Results<Format> {
  var buffer = FrameBuffer(framing)
  var results: Results<Format> = []
  for piece in pieces {
    buffer.append(piece)
    while let result = buffer.next() { results.append(result) }
  }
  while let result = buffer.next(isEnd: true) { results.append(result) }
  return results
}

extension FrameBuffer {
  /// The frames of pieces that a silence follows. As a program does, it waits for the silence only
  /// if there are bytes.
  mutating func results(upToSilenceIn pieces: [ArraySlice<UInt8>]) -> Results<Format> {
    var results: Results<Format> = []
    for piece in pieces {
      append(piece)
      while let result = next() { results.append(result) }
    }
    while count > 0, let result = next(isEnd: true) { results.append(result) }
    return results
  }
}

/// Splits a stream into pieces of random lengths of a few bytes.
func pieces(
  of stream: [UInt8], using random: inout some RandomNumberGenerator
) -> [ArraySlice<UInt8>] {
  var pieces: [ArraySlice<UInt8>] = []
  var rest = stream[...]
  while !rest.isEmpty {
    let length = Int.random(in: 1...6, using: &random)
    pieces.append(rest.prefix(length))
    rest = rest.dropFirst(length)
  }
  return pieces
}

/// Searches bytes for a frame.
func search<Format: Framing>(
  _ framing: inout Format, _ bytes: [UInt8], searched: Int = 0, isEnd: Bool = false
) -> FrameSearch<Format.Frame> {
  framing.search(bytes.span.bytes, searched: searched, isEnd: isEnd)
}

func search<Format: Framing>(
  _ framing: inout Format, _ text: String, searched: Int = 0, isEnd: Bool = false
) -> FrameSearch<Format.Frame> {
  search(&framing, Array(text.utf8), searched: searched, isEnd: isEnd)
}

extension SplitMix64 {
  /// Random bytes, most of them special for a framing.
  mutating func bytes(atMost count: Int, of special: [UInt8]) -> [UInt8] {
    (0..<Int.random(in: 0...count, using: &self)).map { _ in
      Bool.random(using: &self)
        ? special.randomElement(using: &self) ?? 0 : UInt8.random(in: 0...0xFF, using: &self)
    }
  }
}
