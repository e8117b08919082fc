import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct PasteTests {
  private static func paste(_ text: String) -> String { "\u{1B}[200~\(text)\u{1B}[201~" }

  @Test func paste_isUnchanged_withAnyContents() {
    var decoder = KeyDecoder()
    let text = "a\r\n\u{1B}[A\u{3}é\u{1B}[200~"
    #expect(decoder.decode(Self.paste(text).utf8) == [.paste(Array(text.utf8))])
    #expect(decoder.decode("b".utf8) == [.character("b")])
  }

  @Test func emptyPaste_isNoKey() {
    var decoder = KeyDecoder()
    #expect(decoder.decode((Self.paste("") + "b").utf8) == [.character("b")])
  }

  @Test func decodeFirst_takesOneKey_andOfAPasteAllThereIs() {
    var decoder = KeyDecoder()
    #expect(decoder.decodeFirst(of: Array("ab".utf8)) == ([.character("a")], 1))
    #expect(decoder.decodeFirst(of: Array("\u{1B}[A\u{1B}[B".utf8)) == ([.named(.up)], 3))
    #expect(decoder.decodeFirst(of: Array("\u{1B}[".utf8)) == ([], 2))
    let text = Array("one\rtwo".utf8)
    #expect(decoder.decodeFirst(of: Array("200~".utf8) + text) == ([.paste(text)], 11))
    let rest = Array("!\u{1B}[201~x".utf8)
    #expect(decoder.decodeFirst(of: rest) == ([.paste(Array("!".utf8))], 7))
    #expect(decoder.decodeFirst(of: rest[7...]) == ([.character("x")], 1))
  }

  @Test func longPaste_comesInPieces_ofWholeCharacters() {
    var decoder = KeyDecoder()
    let text = "x" + String(repeating: "世", count: 5000)
    let pieces = decoder.decode(Self.paste(text).utf8).map { key -> [UInt8] in
      guard case .paste(let bytes) = key else { return [] }
      return bytes
    }
    #expect(pieces.count > 1)
    #expect(pieces.allSatisfy { !$0.isEmpty && $0.count <= PasteBuffer.capacity })
    #expect(pieces.allSatisfy { String(validating: $0, as: UTF8.self) != nil })
    #expect(String(decoding: pieces.joined(), as: UTF8.self) == text)
  }

  @Test func possibleEnd_isHeldBack_untilItIsNone() {
    var decoder = KeyDecoder()
    #expect(decoder.decode("\u{1B}[200~a\u{1B}[20".utf8) == [.paste(Array("a".utf8))])
    #expect(!decoder.isPending)
    #expect(decoder.decode("9~b".utf8) == [.paste(Array("\u{1B}[209~b".utf8))])
    #expect(decoder.decode("\u{1B}[20".utf8).isEmpty)
    #expect(decoder.decode("1~c".utf8) == [.character("c")])
  }

  @Test func bytesThatAreNoUTF8_passAsTheyAre() {
    var decoder = KeyDecoder()
    let bytes: [UInt8] = [0xFF, 0xC3, 0x80, 0x80, 0x80, 0xE2, 0x82]
    let input = Array("\u{1B}[200~".utf8) + bytes + PasteBuffer.endMark
    #expect(decoder.decode(input) == [.paste(bytes)])
  }
}
