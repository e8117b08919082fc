import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct KeyDecoderTests {
  private static func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.decode(text.utf8)
  }

  private static func characters(_ text: String) -> [Key] {
    text.unicodeScalars.map { .character($0) }
  }

  @Test func characters_areTheirScalars() {
    #expect(
      Self.keys("aé世😀") == [.character("a"), .character("é"), .character("世"), .character("😀")])
  }

  @Test(arguments: [
    ("\r", Key.named(.enter)), ("\n", .named(.enter)), ("\t", .named(.tab)),
    ("\u{7F}", .named(.backspace)), ("\u{8}", .named(.backspace)),
    ("\u{1}", .control("a")), ("\u{1A}", .control("z")), ("\u{0}", .control("@")),
    ("\u{1C}", .control("\\")), ("\u{1F}", .control("_")),
    ("\u{1B}x", .alt("x")), ("\u{1B}\u{7F}", .named(.backspace, .alt)),
    ("\u{1B}\r", .named(.enter, .alt)), ("\u{1B}[Z", .backTab),
  ])
  func controlCharacters_areKeys(bytes: String, key: Key) {
    #expect(Self.keys(bytes) == [key])
  }

  @Test(arguments: [
    ("\u{1B}[A", Key.named(.up)), ("\u{1B}OB", .named(.down)), ("\u{1B}[C", .named(.right)),
    ("\u{1B}OD", .named(.left)), ("\u{1B}[H", .named(.home)), ("\u{1B}OF", .named(.end)),
    ("\u{1B}[1~", .named(.home)), ("\u{1B}[7~", .named(.home)), ("\u{1B}[4~", .named(.end)),
    ("\u{1B}[8~", .named(.end)), ("\u{1B}[2~", .named(.insert)), ("\u{1B}[3~", .named(.delete)),
    ("\u{1B}[5~", .named(.pageUp)), ("\u{1B}[6~", .named(.pageDown)),
    ("\u{1B}[1;5C", .named(.right, .control)), ("\u{1B}[1;3D", .named(.left, .alt)),
    ("\u{1B}[1;2A", .named(.up, .shift)), ("\u{1B}[1;9A", .named(.up, .alt)),
    ("\u{1B}[1;8B", .named(.down, [.shift, .alt, .control])),
    ("\u{1B}[3;5~", .named(.delete, .control)), ("\u{1B}O5C", .named(.right, .control)),
    ("\u{1B}Oc", .named(.right, .control)), ("\u{1B}[c", .named(.right, .shift)),
    ("\u{1B}[3^", .named(.delete, .control)), ("\u{1B}OM", .named(.enter)),
    ("\u{1B}Op", .character("0")),
  ])
  func sequences_areNamedKeys(bytes: String, key: Key) {
    #expect(Self.keys(bytes) == [key])
  }

  @Test(arguments: [
    "\u{1B}OP", "\u{1B}[15~", "\u{1B}[[A", "\u{1B}[M !!", "\u{1B}[<0;12;7M", "\u{1B}[?1;2c",
    "\u{1B}[I", "\u{1B}[27;5;13~", "\u{1B}[99999999999999999999999999A~",
    "\u{1B}]11;rgb:0000/0000/0000\u{7}", "\u{1B}]11;rgb:0000\u{1B}\\", "\u{1B}P1$r0m\u{1B}\\",
    "\u{1B}[1;1R\u{1B}[?25;2$y",
  ])
  func unknownSequences_areSwallowedWhole(bytes: String) {
    let keys = Self.keys("a" + bytes + "b").filter { $0 != .named(.up) && $0 != .character("~") }
    #expect(keys == Self.characters("ab"))
  }

  @Test(arguments: ["\u{1B}", "\u{1B}[", "\u{1B}[1;", "\u{1B}O", "\u{1B}]11;x", "\u{1B}[M"])
  func controlCharacter_isHandled_withinAnUnfinishedSequence(beginning: String) {
    #expect(Self.keys(beginning + "\u{3}") == [.control("c")])
  }

  @Test(arguments: [
    ("\u{1B}", Key.named(.escape)), ("\u{1B}[", .alt("[")), ("\u{1B}O", .alt("O")),
    ("\u{1B}]", .alt("]")), ("\u{1B}P", .alt("P")),
  ])
  func possibleKey_isOne_whenNothingFollows(bytes: String, key: Key) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(bytes.utf8).isEmpty)
    #expect(decoder.isPending)
    #expect(decoder.flush() == [key])
    #expect(!decoder.isPending)
    #expect(decoder.decode("A".utf8) == [.character("A")])
  }

  @Test func halfASequence_isNoKey_howeverLongItTakes() {
    var decoder = KeyDecoder()
    #expect(decoder.decode("\u{1B}[1;".utf8).isEmpty)
    #expect(!decoder.isPending)
    #expect(decoder.flush().isEmpty)
    #expect(decoder.decode("5C".utf8) == [.named(.right, .control)])
  }

  @Test func escapeTwice_isOneEscape_andTheBeginningOfAnother() {
    #expect(Self.keys("\u{1B}\u{1B}[A") == [.named(.escape), .named(.up)])
  }

  @Test func sequenceInAnUnfinishedString_breaksItOff() {
    #expect(Self.keys("\u{1B}]0;x\u{1B}[Aa") == [.named(.up), .character("a")])
  }

  @Test(arguments: [
    ([0xFF, 0x61], "\u{FFFD}a"), ([0xC3, 0x61], "\u{FFFD}a"), ([0x80], "\u{FFFD}"),
    ([0xC0, 0x80], "\u{FFFD}\u{FFFD}"), ([0xE0, 0x9F, 0xBF], "\u{FFFD}\u{FFFD}\u{FFFD}"),
    ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
    ([0xE2, 0x82, 0x41], "\u{FFFD}A"),
    ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
    ([0xF0, 0x9F, 0xE2, 0x82, 0xAC], "\u{FFFD}€"),
  ])
  func bytesThatAreNoUTF8_areReplaced_asTheStandardSays(bytes: [UInt8], text: String) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(bytes) == Self.characters(text))
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }

  @Test func keys_areTheSame_howeverTheirBytesAreSplit() {
    let bytes = Array(
      ("aé世😀\u{1B}[1;5C\u{1B}OA\u{1B}x\u{1B}[3~\u{1B}]0;t\u{7}\u{1B}[M !!\u{1B}[[A\r"
        + "\u{1B}[200~p世\u{1B}[20x\r\n\u{1B}[201~z").utf8)
    let whole = Self.joined([bytes])
    for first in bytes.indices {
      for second in first..<bytes.count {
        let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]].map(Array.init)
        #expect(Self.joined(pieces) == whole)
      }
    }
    #expect(Self.joined(bytes.map { [$0] }) == whole)
  }

  /// The keys in the pieces, with the pieces of a paste joined.
  private static func joined(_ pieces: [[UInt8]]) -> [Key] {
    var decoder = KeyDecoder()
    return pieces.flatMap { decoder.decode($0) }.reduce(into: []) { keys, key in
      if case .paste(let more) = key, case .paste(let bytes) = keys.last {
        keys[keys.count - 1] = .paste(bytes + more)
      } else {
        keys.append(key)
      }
    }
  }

  @Test func anyBytes_areTaken_andTheDecoderComesBack() {
    var chance = Chance(seed: 1)
    for _ in 0..<2000 {
      var decoder = KeyDecoder()
      let bytes = (0..<chance.number(0...40)).map { _ in
        chance.number(0...2) == 0
          ? UInt8(chance.number(0...255)) : Array("\u{1B}[O]201~;5A".utf8)[chance.number(0...10)]
      }
      _ = decoder.decode(bytes)
      _ = decoder.flush()
      _ = decoder.decode("\u{1B}[201~\r".utf8)
      #expect(decoder.decode("a".utf8) == [.character("a")])
    }
  }
}
