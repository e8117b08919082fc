import Encodings
import EventLoop
import Sessions
import TestSupport
import Testing
import Time

/// What a device sends as text, piece by piece, with a time that the test controls.
@Suite struct ReceivedDecoderTests {
  private final class Bench {
    let clock = TestClock()
    let loop: IOLoop
    private(set) var texts: [String] = []
    private(set) lazy var decoder = ReceivedDecoder(
      encoding, isHarmless: isHarmless, on: loop
    ) { [unowned self] text, _ in texts.append(String(decoding: text, as: UTF8.self)) }
    private let encoding: Encoding
    private let isHarmless: Bool

    init(_ name: String, isHarmless: Bool = false) throws {
      encoding = try Encoding(name)
      self.isHarmless = isHarmless
      loop = try IOLoop(clock: { [clock] in clock.now })
    }

    func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { decoder.add($0) } }

    func pass(_ duration: Duration) throws {
      clock.advance(by: duration)
      for _ in 0..<3 { try loop.turn(waitingAtMost: .zero) }
    }
  }

  @Test func `UTF-8 passes as it is, also what is none`() throws {
    let bench = try Bench("UTF-8")
    bench.add([0xC3])
    bench.add([0xA9])
    #expect(bench.texts.count == 2)
  }

  @Test func `A character may be divided`() throws {
    let bench = try Bench("GBK")
    bench.add([0x61, 0xC4])
    try bench.pass(.milliseconds(400))
    bench.add([0xE3, 0xBA])
    try bench.pass(.milliseconds(400))
    bench.add([0xC3])
    try bench.pass(.seconds(5))
    #expect(bench.texts == ["a", "你", "好"])
  }

  @Test func `After a silence, its beginning is text`() throws {
    let bench = try Bench("GBK")
    bench.add([0xC4])
    try bench.pass(.milliseconds(499))
    #expect(bench.texts == [])
    try bench.pass(.milliseconds(1))
    #expect(bench.texts == [#"\xc4"#])
    bench.add([0xC4, 0xE3])
    #expect(bench.texts == [#"\xc4"#, "你"])
  }

  @Test func `The end and another encoding pass on what waits`() throws {
    let bench = try Bench("GBK")
    bench.add([0xC4])
    bench.decoder.flush()
    bench.decoder.flush()
    bench.add([0xC4])
    bench.decoder.encoding = try Encoding("CP437")
    bench.add([0x82])
    bench.decoder.encoding = .utf8
    bench.add([0x62])
    try bench.pass(.seconds(1))
    #expect(bench.texts == [#"\xc4"#, #"\xc4"#, "é", "b"])
  }

  @Test(arguments: [
    (["a\r\n\u{1B}[31mb"], ["a\r\n\u{1B}[31mb"]), (["\u{1B}]0;title\u{7}b"], ["b"]),
    (["a\u{1B}[3"], ["a", "^[[3"]), (["a\u{1B}[3", "1mb"], ["a", "\u{1B}[31mb"]),
  ])
  func `Harmless text has colours, and nothing that commands a terminal`(
    pieces: [String], texts: [String]
  ) throws {
    let bench = try Bench("UTF-8", isHarmless: true)
    for piece in pieces { bench.add(Array(piece.utf8)) }
    try bench.pass(.seconds(1))
    #expect(bench.texts == texts)
  }

  @Test func `Harmless text is valid, and in the device's encoding`() throws {
    let bench = try Bench("UTF-8", isHarmless: true)
    bench.add([0x61, 0xFF, 0x62, 0xC3])
    bench.add([0xA4, 0x62])
    bench.decoder.encoding = try Encoding("CP437")
    bench.add([0x82])
    #expect(bench.texts.joined() == "a\u{FFFD}bäbé")
  }
}
