import TestSupport
import Testing

@testable import Encodings

@Suite(.timeLimit(.minutes(30))) struct EncodingWriterTests {
  private func sent(_ text: String, in name: String) throws -> [UInt8] {
    var output: [UInt8] = []
    try EncodingWriter(Encoding(name)).encode(text, into: &output)
    return output
  }

  @Test(arguments: PythonVectors.texts)
  func textsOfPython(_ row: (encoding: String, text: String, bytes: String)) throws {
    // ISO-2022-JP returns to ASCII at the end of a text, as Python does.
    #expect(try sent(row.text, in: row.encoding) == bytes(row.bytes))
  }

  @Test(arguments: PythonVectors.texts)
  func typedTexts_howeverTheyAreDivided(_ row: (encoding: String, text: String, bytes: String))
    throws
  {
    let encoding = try Encoding(row.encoding)
    for pieces in divisions(of: Array(row.text.utf8)) {
      let writer = try EncodingWriter(encoding)
      var output: [UInt8] = []
      for piece in pieces {
        #expect(piece.withUnsafeBytes { writer.type($0, into: &output) } == [])
      }
      #expect(text(try decoded([output], from: encoding)) == row.text)
    }
  }

  @Test func textIsRefused_asAWhole_withTheCharacter() throws {
    let writer = try EncodingWriter(Encoding("CP437"))
    var output: [UInt8] = [1]
    #expect(throws: UnencodableText.character("ž", try Encoding("CP437"))) {
      try writer.encode("caféž", into: &output)
    }
    #expect(output == [1])
    try writer.encode("é", into: &output)
    #expect(output == [1, 0x82])
  }

  @Test(arguments: [
    ("d0bf", "d0"), ("d0bfff", "d0ff"), ("ffd0bf", "ffd0"), ("82ffd0bf80d0", "82ffd080d0"),
    ("e282", "e282"), ("", ""), ("61ff62", "61ff62"), ("f0d0bf", "f0d0"),
  ])
  func bytesThatAreNoCharacters_stayBesideThoseThatAre(_ input: String, _ sent: String) throws {
    let writer = try EncodingWriter(Encoding("KOI8-R"))
    var output: [UInt8] = []
    try writer.encode(bytes(input), into: &output)
    #expect(output == bytes(sent))
    #expect(throws: UnencodableText.character("é", try Encoding("KOI8-R"))) {
      try writer.encode(bytes("ffd0bfc3a9"), into: &output)
    }
    #expect(output == bytes(sent))
  }

  @Test func refusedText_leavesNoShiftState() throws {
    let writer = try EncodingWriter(Encoding("ISO-2022-JP"))
    var output: [UInt8] = []
    #expect(throws: UnencodableText.self) { try writer.encode("日😀", into: &output) }
    try writer.encode("a", into: &output)
    #expect(output == [0x61])
  }

  @Test func typedCharacters_areRefusedOneByOne() throws {
    let encoding = try Encoding("KOI8-R")
    let writer = try EncodingWriter(encoding)
    var output: [UInt8] = []
    let refusals = Array("аž\u{1F600}б".utf8).withUnsafeBytes { writer.type($0, into: &output) }
    #expect(output == [0xC1, 0xC2])
    #expect(refusals == [.character("ž", encoding), .character("\u{1F600}", encoding)])
  }

  @Test func typedBytes_thatAreNotUTF8_areRefused() throws {
    let writer = try EncodingWriter(Encoding("GBK"))
    var output: [UInt8] = []
    let refusals = bytes("ff61e40d").withUnsafeBytes { writer.type($0, into: &output) }
    #expect(output == [0x61, 0x0D])
    #expect(refusals == [.byte(0xFF), .byte(0xE4)])
  }

  @Test func byteOrderMark_isNotSent() throws {
    let writer = try EncodingWriter(Encoding("UTF-16"))
    var output: [UInt8] = []
    try writer.encode("A", into: &output)
    try writer.encode("B", into: &output)
    #expect(output == [0x41, 0, 0x42, 0])
  }

  @Test func designation_isSentOnce() throws {
    let writer = try EncodingWriter(Encoding("ISO-2022-KR"))
    var output: [UInt8] = []
    try writer.encode("", into: &output)
    #expect(output == [])
    try writer.encode("A", into: &output)
    try writer.encode("B", into: &output)
    #expect(output == bytes("1b24294341" + "42"))
  }

  @Test func controlCharactersAndEnter_areConverted() throws {
    #expect(try sent("\r", in: "UTF-16BE") == [0, 0x0D])
    #expect(try sent("\u{3}\u{1B}[A", in: "GBK") == [3, 0x1B, 0x5B, 0x41])
    #expect(try sent("\r\n", in: "IBM037") == [0x0D, 0x25])
  }

  @Test(arguments: [
    (UnencodableText.character("ž", .utf8), #""ž" (U+017E) does not exist in UTF-8"#),
    (.character("\u{1F600}", .utf8), "\"\u{1F600}\" (U+1F600) does not exist in UTF-8"),
    (.character("\u{202E}", .utf8), "U+202E does not exist in UTF-8"),
    (.byte(0xE4), #"the byte \xe4 is not UTF-8"#),
  ]) func refusalsInWords(_ refusal: UnencodableText, _ text: String) {
    #expect(refusal.description == text)
  }

  /// What an encoding can express comes back from its own decoder.
  @Test(arguments: ["GBK", "GB18030", "BIG5", "SHIFT_JIS", "EUC-JP", "EUC-KR", "KOI8-R", "CP437"])
  func randomTexts_comeBack(_ name: String) throws {
    let encoding = try Encoding(name)
    let writer = try EncodingWriter(encoding)
    var random = SplitMix64(seed: 3)
    // Japanese encodings write the yen sign as a backslash, and the overline as a tilde.
    let sharesByte: [Unicode.Scalar] = ["\\", "~", "\u{A5}", "\u{203E}"]
    var count = 0
    for _ in 0..<200 {
      let scalars = (0..<30).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0x20...0xFFFF, using: &random))
      }.filter { !sharesByte.contains($0) }
      var (output, kept) = ([] as [UInt8], String.UnicodeScalarView())
      for scalar in scalars {
        do throws(UnencodableText) {
          try writer.encode(String(scalar), into: &output)
          kept.append(scalar)
        } catch {
          #expect(error == .character(scalar, encoding))
        }
      }
      count += kept.count
      #expect(text(try decoded([output], from: encoding)) == String(kept))
    }
    #expect(count > 20)
  }
}
