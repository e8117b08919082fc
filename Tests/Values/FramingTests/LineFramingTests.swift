import Framing
import Testing

@Suite("Lines", .timeLimit(.minutes(30))) struct LineFramingTests {
  private func lines(_ text: String, _ end: LineFraming.End, limit: Int = 10) -> [String?] {
    results(of: .lines(end, limit: limit), for: [Array(text.utf8)]).map { try? $0.get() }
  }

  @Test(
    "each kind of end",
    arguments: [
      (.lf, "a\nb\n", ["a", "b"]), (.lf, "a\r\n\nb\r\r\n", ["a", "", "b\r"]),
      (.lf, "a\rb\n", ["a\rb"]), (.lf, "a\nb", ["a", "b"]), (.lf, "a\r", ["a"]), (.lf, "", []),
      (.cr, "a\rb\r\r", ["a", "b", ""]), (.cr, "a\r\nb\r", ["a", "\nb"]), (.cr, "a", ["a"]),
      (.crlf, "a\r\nb\r\n", ["a", "b"]), (.crlf, "a\nb\rc\r\n\r\n", ["a\nb\rc", ""]),
      (.crlf, "a\r\r\nb", ["a\r", "b"]), (.crlf, "a\r", ["a\r"]),
      (.any, "a\nb\rc\r\nd\n\re", ["a", "b", "c", "d", "", "e"]), (.any, "\r\n\r\n", ["", ""]),
      (.any, "\r\r\n\n", ["", "", ""]), (.any, "a\r", ["a"]),
    ] as [(LineFraming.End, String, [String])])
  func ends(_ end: LineFraming.End, _ text: String, _ expected: [String]) {
    #expect(lines(text, end) == expected)
  }

  @Test("a CR ends a line immediately, and the LF after it is not a line")
  func carriageReturn() {
    var framing = LineFraming(.any)
    #expect(search(&framing, "ok\r") == .frame("ok", length: 3))
    #expect(search(&framing, "") == .incomplete)
    #expect(search(&framing, "\n") == .skip(length: 1))
    #expect(search(&framing, "\nx") == .frame("", length: 1))
  }

  @Test("invalid UTF-8 is replaced; a character may be split between pieces")
  func text() {
    let bytes: [UInt8] = Array("für ".utf8) + [0xFF, 0xE2, 0x82, 0x0A]
    #expect(results(of: .lines(), for: bytes.map { [$0] }) == [.success("für \u{FFFD}\u{FFFD}")])
  }

  @Test(
    "a line that is too long is reported once, and the next one is read",
    arguments: LineFraming.End.allCases)
  func limit(_ end: LineFraming.End) {
    let long = String(repeating: "x", count: 35)
    let text = (end == .lf ? "\n" : end == .crlf ? "\r\n" : "\r")
    #expect(
      lines(["0123456789", long, "ok", long].joined(separator: text), end)
        == ["0123456789", nil, "ok", nil])
    #expect(lines("0123456789A", end) == [nil])
  }

  @Test("the kept part of a line that is too long is bounded")
  func bounded() {
    var buffer = FrameBuffer(.lines(.crlf, limit: 10))
    for _ in 0..<1_000 {
      buffer.append("xxxxxxx\r".utf8)
      while let result = buffer.next() { #expect(result == .failure(.tooLong(limit: 10))) }
      #expect(buffer.count <= 11)
    }
    buffer.append("\nnext\r\n".utf8)
    #expect(buffer.next() == .success("next"))
  }

  @Test("bytes that were searched are not searched again")
  func searched() {
    var framing = LineFraming(.any)
    #expect(search(&framing, "\n\r\nab\nc", searched: 3) == .frame("\n\r\nab", length: 6))
  }

  @Test("a line is sent with its end", arguments: LineFraming.End.allCases)
  func encoding(_ end: LineFraming.End) {
    let framing = LineFraming(end)
    let bytes = framing.encode("reboot") + framing.encode("")
    #expect(results(of: framing, for: [bytes]) == [.success("reboot"), .success("")])
    #expect(bytes.count == (end == .crlf ? 10 : 8))
  }
}
