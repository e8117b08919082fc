import Framing
import TestSupport
import Testing

@Suite("Any framing", .timeLimit(.minutes(30))) struct FramingPropertyTests {
  private func checkCuts<Format: Framing>(
    of framing: Format, special: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) where Format.Frame: Equatable {
    for seed in 0..<repetitions(300) {
      var random = SplitMix64(seed: UInt64(seed))
      let stream = random.bytes(atMost: 100, of: special)
      let pieces = pieces(of: stream, using: &random)
      let whole = results(of: framing, for: [stream])
      #expect(
        results(of: framing, for: pieces) == whole, "seed \(seed)", sourceLocation: sourceLocation)
    }
  }

  @Test("the frames are the same however the stream is split")
  func cuts() {
    for end in LineFraming.End.allCases { checkCuts(of: .lines(end, limit: 9), special: [10, 13]) }
    checkCuts(of: .delimited(by: [1, 1, 2], limit: 9), special: [1, 2])
    checkCuts(of: .delimited(by: [1, 2], keepsDelimiter: true, limit: 9), special: [1, 2])
    checkCuts(of: .fixedLength(7), special: [0])
    checkCuts(of: .length(UInt8.self, limit: 9), special: [1, 3, 12])
    checkCuts(of: .length(UInt16.self, .littleEndian, adjustment: -2, limit: 9), special: [0, 4])
    checkCuts(
      of: .length(UInt8.self, adjustment: 1, headerLength: 2, silence: .seconds(1)), special: [3])
    checkCuts(of: .silence(.seconds(1), limit: 50), special: [0])
    checkCuts(of: .slip(limit: 9), special: [0xC0, 0xDB, 0xDC, 0xDD])
    checkCuts(of: .cobs(limit: 9), special: [0, 1, 2, 3])
  }

  private func checkSilences<Format: Framing>(
    of framing: Format, special: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) where Format.Frame: Equatable {
    for seed in 0..<repetitions(300) {
      var random = SplitMix64(seed: UInt64(seed))
      var (whole, cut) = (FrameBuffer(framing), FrameBuffer(framing))
      for _ in 0..<4 {
        let stream = random.bytes(atMost: 40, of: special)
        let expected = whole.results(upToSilenceIn: [stream[...]])
        #expect(
          cut.results(upToSilenceIn: pieces(of: stream, using: &random)) == expected,
          "seed \(seed)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test("after a silence, the frames are the same however the bytes before it were split")
  func silences() {
    checkSilences(of: .silence(.seconds(1), limit: 9), special: [0])
    checkSilences(of: .fixedLength(7, silence: .seconds(1)), special: [0])
    checkSilences(
      of: .length(UInt8.self, adjustment: -1, limit: 9, silence: .seconds(1)), special: [0, 4, 30])
    checkSilences(
      of: .length(UInt16.self, headerLength: 1, limit: 9, silence: .seconds(1)), special: [0, 4])
  }

  private func checkEncoding<Format: FrameEncoding>(
    of framing: Format, special: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) throws where Format.Frame == [UInt8] {
    for seed in 0..<repetitions(200) {
      var random = SplitMix64(seed: UInt64(seed))
      let frames = (0..<3).map { _ in random.bytes(atMost: 700, of: special) + [7] }
      let stream = try frames.flatMap { try framing.encode($0) }
      let found = results(of: framing, for: pieces(of: stream, using: &random))
      #expect(
        found == frames.map { .success($0) }, "seed \(seed)", sourceLocation: sourceLocation)
    }
  }

  @Test("any encoded frame is found again")
  func encoding() throws {
    try checkEncoding(of: .slip(), special: [0xC0, 0xDB, 0xDC, 0xDD])
    try checkEncoding(of: .cobs(), special: [0, 0xFF])
    try checkEncoding(of: .length(UInt16.self), special: [0])
    try checkEncoding(of: .length(UInt32.self, .littleEndian, adjustment: -4), special: [0])
  }

  @Test("a COBS packet without zeros has a code for each 254 bytes", arguments: 250...260)
  func runs(_ count: Int) {
    let packet = Array(repeating: 1 as UInt8, count: 2 * count)
    let bytes = COBSFraming().encode(packet)
    #expect(bytes.count == packet.count + (packet.count + 253) / 254 + 1)
    #expect(results(of: .cobs(), for: [bytes]) == [.success(packet)])
  }

  @Test("frames that arrive together cost no more than one by one")
  func manyFrames() {
    var buffer = FrameBuffer(.lines())
    for _ in 0..<100 {
      buffer.append(Array(repeating: 0x0A, count: 1_000))
      var count = 0
      while buffer.next() == .success("") { count += 1 }
      #expect(count == 1_000 && buffer.count == 0)
    }
  }

  @Test("bytes after the frames can be taken unchanged")
  func rest() {
    var buffer = FrameBuffer(.lines())
    buffer.append("join\n\u{1}\u{2}".utf8)
    #expect(buffer.next() == .success("join"))
    #expect(buffer.next() == nil)
    #expect(buffer.removeRest() == [1, 2])
    #expect(buffer.count == 0)
    buffer.append("a\n".utf8)
    #expect(buffer.next() == .success("a"))
  }

  /// Records how many bytes were already searched.
  private struct Recorder: Framing {
    var searched: [Int] = []

    mutating func search(_ bytes: RawSpan, searched: Int, isEnd: Bool) -> FrameSearch<Int> {
      self.searched.append(searched)
      return switch bytes.byteCount {
      case 0..<3: .incomplete
      case 3: .frame(3, length: 2)
      default: .skip(length: bytes.byteCount - 1)
      }
    }
  }

  @Test("a framing gets the number of searched bytes, and has no silence by default")
  func searched() {
    var buffer = FrameBuffer(Recorder())
    for piece in [[1], [2], [3], [4], [5, 6, 7]] as [[UInt8]] {
      buffer.append(piece)
      while buffer.next() != nil {}
    }
    // Incomplete with 1 and 2 bytes; a frame; incomplete with 1, with 2; skipped;
    // incomplete with 1.
    #expect(buffer.framing.searched == [0, 1, 2, 0, 1, 2, 0])
    #expect(buffer.framing.silence == nil)
  }

  @Test("damage is described")
  func descriptions() {
    #expect(FrameDamage.tooLong(limit: 5).description == "a frame is longer than 5 bytes")
    #expect(FrameDamage.custom("no '$'").description == "no '$'")
  }
}
