import EventLoop
import TestSupport
import Testing
import Time

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct ShownTextTests {
  private let clock = TestClock()
  private let loop: IOLoop

  init() throws { loop = try IOLoop(clock: { [clock] in clock.now }) }

  /// The text of pieces.
  ///
  /// - Parameter isSilent: whether nothing follows for a second.
  private func shown(_ pieces: [UInt8]..., isSilent: Bool = false) throws -> [String] {
    var texts: [String] = []
    let shown = ShownText(on: loop) { text, _ in texts.append(text) }
    for piece in pieces { piece.withUnsafeBytes { shown.add($0, at: .now) } }
    if isSilent {
      clock.advance(by: .seconds(1))
      try loop.turn(waitingAtMost: .zero)
    }
    return withExtendedLifetime(shown) { texts }
  }

  @Test func `Text and colours pass, and what commands a terminal does not`() throws {
    #expect(try shown(Array("a\r\n\u{1B}[31mb".utf8)) == ["a\r\n\u{1B}[31mb"])
    #expect(try shown(Array("\u{1B}]0;title\u{7}b".utf8)) == ["b"])
  }

  @Test func `Bytes that are no text are shown as such`() throws {
    #expect(try shown([0x61, 0xFF, 0x62]) == ["a\u{FFFD}b"])
  }

  @Test func `A character in two pieces is whole`() throws {
    #expect(try shown([0x61, 0xC3], [0xA4, 0x62]).joined() == "a\u{E4}b")
  }

  @Test func `The beginning of a sequence is shown after a silence`() throws {
    #expect(try shown(Array("a\u{1B}[3".utf8), isSilent: true) == ["a", "^[[3"])
    #expect(try shown(Array("a\u{1B}[3".utf8)) == ["a"])
  }
}
