import TestSupport
import Testing

@testable import TextStages

@Suite(.timeLimit(.minutes(30))) struct TokenizerTests {
  /// The kinds and the bytes of the tokens of a stream in pieces. Text is joined.
  private static func tokens(
    _ pieces: some Sequence<ArraySlice<UInt8>>, _ tokenizer: Tokenizer = Tokenizer()
  ) -> [Found] {
    var tokenizer = tokenizer
    var found: [Found] = []
    func add(_ kind: Tokenizer.Kind, _ bytes: [UInt8]) {
      if kind == .text, let last = found.last, last.kind == .text {
        found[found.count - 1].bytes += bytes
      } else {
        found.append(Found(kind: kind, bytes: bytes))
      }
    }
    for piece in pieces {
      Array(piece).withUnsafeBytes { piece in
        var index = 0
        while let token = tokenizer.next(in: piece, from: &index) {
          add(token.kind, token.withBytes(in: piece) { Array($0) })
        }
      }
    }
    if let token = tokenizer.flush() { add(token.kind, token.withBytes { Array($0) }) }
    return found
  }

  private struct Found: Equatable, CustomStringConvertible {
    let kind: Tokenizer.Kind
    var bytes: [UInt8]
    var description: String { "\(kind) \(String(decoding: bytes, as: UTF8.self).debugDescription)" }
  }

  private static func found(_ kind: Tokenizer.Kind, _ text: String) -> Found {
    Found(kind: kind, bytes: Array(text.utf8))
  }

  @Test(
    arguments: [
      ("ab é世\r\n", [(.text, "ab é世"), (.control, "\r"), (.control, "\n")]),
      ("a\u{1B}[1;2mb", [(.text, "a"), (.sequence, "\u{1B}[1;2m"), (.text, "b")]),
      (
        "\u{1B}7\u{1B}(0\u{1B}#8",
        [(.escape, "\u{1B}7"), (.escape, "\u{1B}(0"), (.escape, "\u{1B}#8")]
      ),
      ("\u{1B}]0;é\u{7}x", [(.string, "\u{1B}]0;é\u{7}"), (.text, "x")]),
      ("\u{1B}P1\u{7}2\u{1B}\\", [(.string, "\u{1B}P1\u{7}2\u{1B}\\")]),
      ("\u{1B}_x\u{9C}y", [(.string, "\u{1B}_x\u{9C}"), (.text, "y")]),
      (
        "\u{1B}]Rx\u{1B}]P0ff0000y",
        [
          (.string, "\u{1B}]R"), (.text, "x"), (.string, "\u{1B}]P0ff0000"), (.text, "y"),
        ]
      ),
      ("\u{1B}]0;a\r\n", [(.malformed, "\u{1B}]0;a"), (.control, "\r"), (.control, "\n")]),
      ("\u{1B}]0;a\u{1B}[m", [(.malformed, "\u{1B}]0;a"), (.sequence, "\u{1B}[m")]),
      (
        "\u{1B}]0;a\u{1B}\u{1B}\u{18}",
        [
          (.malformed, "\u{1B}]0;a"), (.malformed, "\u{1B}"), (.malformed, "\u{1B}"),
          (.control, "\u{18}"),
        ]
      ),
      ("\u{1B}[1\u{8}C", [(.control, "\u{8}"), (.sequence, "\u{1B}[1C")]),
      ("\u{1B}[1\nC", [(.malformed, "\u{1B}[1"), (.control, "\n"), (.text, "C")]),
      ("\u{9B}\u{202E}", [(.mark, "\u{9B}"), (.mark, "\u{202E}")]),
      ("\u{1B}[1", [(.malformed, "\u{1B}[1")]), ("\u{1B}", [(.malformed, "\u{1B}")]),
      ("\u{1B}]0;x\u{1B}", [(.malformed, "\u{1B}]0;x\u{1B}")]),
    ] as [(String, [(Tokenizer.Kind, String)])])
  func tokens_doNotDependOnThePieces(text: String, expected: [(Tokenizer.Kind, String)]) {
    let expected = expected.map { Self.found($0.0, $0.1) }
    for pieces in cuts(of: Array(text.utf8)) { #expect(Self.tokens(pieces) == expected) }
  }

  @Test func bytesThatAreNoUTF8_areMaximalSubparts() {
    let bytes: [UInt8] = [0x61, 0xE2, 0x82, 0x62, 0xFF, 0xF0, 0x9F]
    for pieces in cuts(of: bytes) {
      #expect(
        Self.tokens(pieces) == [
          Found(kind: .text, bytes: [0x61]), Found(kind: .invalid, bytes: [0xE2, 0x82]),
          Found(kind: .text, bytes: [0x62]), Found(kind: .invalid, bytes: [0xFF]),
          Found(kind: .invalid, bytes: [0xF0, 0x9F]),
        ])
    }
  }

  @Test func withoutUTF8_everyOtherByteIsInvalid() {
    var tokenizer = Tokenizer()
    tokenizer.decodesUTF8 = false
    for pieces in cuts(of: [0x61, 0xC3, 0xA9, 0x7F]) {
      #expect(
        Self.tokens(pieces, tokenizer) == [
          Found(kind: .text, bytes: [0x61]), Found(kind: .invalid, bytes: [0xC3]),
          Found(kind: .invalid, bytes: [0xA9]), Found(kind: .invalid, bytes: [0x7F]),
        ])
    }
  }

  @Test func sequencesAndStrings_haveALimit() {
    let sequence = "\u{1B}[" + String(repeating: "1", count: Tokenizer.longestSequence - 2)
    #expect(Self.tokens([Array((sequence + "m").utf8)[...]]).map(\.kind) == [.malformed, .text])
    let string = "\u{1B}]" + String(repeating: "x", count: 4_094)
    #expect(Self.tokens([Array((string + "y").utf8)[...]]).map(\.kind) == [.malformed, .text])
    let short = "\u{1B}]" + String(repeating: "x", count: 4_093) + "\u{7}"
    #expect(Self.tokens([Array(short.utf8)[...]]).map(\.kind) == [.string])
  }

  @Test func everyByteIsInAToken_howeverTheStreamIsCut() {
    var stream = HostileStream(seed: 48)
    for _ in 0..<repetitions(50_000) {
      let bytes = stream.next()
      let whole = Self.tokens([bytes[...]])
      #expect(Self.tokens(stream.cut(bytes)) == whole)
      // Controls within a sequence come before it.
      #expect(whole.flatMap(\.bytes).sorted() == bytes.sorted())
    }
  }
}
