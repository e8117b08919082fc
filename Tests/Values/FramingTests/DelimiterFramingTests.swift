import Framing
import Testing

@Suite("Bytes with a delimiter", .timeLimit(.minutes(30))) struct DelimiterFramingTests {
  private func frames(_ framing: DelimiterFraming, _ text: String) -> [String?] {
    results(of: framing, for: [Array(text.utf8)]).map {
      (try? $0.get()).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  @Test(
    "each ends with the delimiter, and the bytes after the last one are damage",
    arguments: [
      (";", "a;;bc;", ["a", "", "bc"]), ("ab", "aab.abab", ["a", ".", ""]),
      ("\r\n> ", "ok\r\n> \r\n\r\n> ", ["ok", "\r\n"]), ("aab", "aaab", ["a"]),
      (";", "a;b", ["a", nil]), ("ab", "a", [nil]),
    ] as [(String, String, [String?])])
  func delimiters(_ delimiter: String, _ text: String, _ expected: [String?]) {
    #expect(frames(.delimited(by: delimiter.utf8, limit: 10), text) == expected)
  }

  @Test("a frame can be given with its delimiter, and is then sent as it is")
  func keeping() throws {
    let framing = DelimiterFraming("\r\n".utf8, keepsDelimiter: true)
    #expect(frames(framing, "a\r\n\r\n") == ["a\r\n", "\r\n"])
    #expect(framing.encode(Array("a\r\n".utf8)) == Array("a\r\n".utf8))
  }

  @Test("a delimiter directly after the limit ends a frame of that length")
  func limit() {
    let framing = DelimiterFraming("--".utf8, limit: 4)
    for isInPieces in [false, true] {
      let bytes = Array("abcd--abcde--ok--abc-".utf8)
      let found = results(of: framing, for: isInPieces ? bytes.map { [$0] } : [bytes])
      #expect(
        found == [
          .success(Array("abcd".utf8)), .failure(.tooLong(limit: 4)), .success(Array("ok".utf8)),
          .failure(.unfinished),
        ])
    }
  }

  @Test("searched bytes are searched again only for an incomplete delimiter")
  func searched() {
    var framing = DelimiterFraming("abc".utf8)
    #expect(search(&framing, "abcabc", searched: 3) == .frame(Array("abc".utf8), length: 6))
    #expect(search(&framing, "xabcabc", searched: 3) == .frame([0x78], length: 4))
  }
}
