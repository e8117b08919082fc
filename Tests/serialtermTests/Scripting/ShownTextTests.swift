import EventLoop
import TestSupport
import Testing
import Time

@testable import serialterm

@Suite(.timeLimit(.minutes(5))) struct ShownTextTests {
  private let clock = TestClock()
  private let loop: IOLoop

  init() throws { loop = try IOLoop(clock: { [clock] in clock.now }) }

  private func shown(_ pieces: [UInt8]..., after body: (ShownText) throws -> Void = { _ in })
    rethrows -> [String]
  {
    var texts: [String] = []
    let shown = ShownText(on: loop) { text, _ in texts.append(text) }
    for piece in pieces { piece.withUnsafeBytes { shown.add($0, at: .now) } }
    try body(shown)
    return texts
  }

  @Test func `Text and colours pass, and what commands a terminal is text`() {
    #expect(shown(Array("a\r\n\u{1B}[31mb".utf8)) == ["a\r\n\u{1B}[31mb"])
    #expect(shown(Array("\u{1B}]0;title\u{7}".utf8)) == ["^[]0;title^G"])
  }

  @Test func `Bytes that are no text are shown as such`() {
    #expect(shown([0x61, 0xFF, 0x62]) == ["a\u{FFFD}b"])
  }

  @Test func `A character in two pieces is whole`() {
    #expect(shown([0x61, 0xC3], [0xA4, 0x62]).joined() == "a\u{E4}b")
  }

  @Test func `The beginning of a sequence is shown after a silence`() throws {
    let texts = try shown(Array("a\u{1B}[3".utf8)) { _ in
      clock.advance(by: .seconds(1))
      try loop.turn(waitingAtMost: .zero)
    }
    #expect(texts == ["a", "^[[3"])
  }
}
