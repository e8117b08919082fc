import TestSupport
import TextStages
import Time
import Testing

@testable import Encodings

@Suite(.timeLimit(.minutes(30))) struct DecodingStageTests {
  @Test(arguments: PythonVectors.texts)
  func textsOfPython_howeverTheyAreDivided(_ row: (encoding: String, text: String, bytes: String))
    throws
  {
    let encoding = try Encoding(row.encoding)
    for pieces in divisions(of: bytes(row.bytes)) {
      #expect(text(try decoded(pieces, from: encoding)) == row.text)
    }
  }

  @Test(arguments: PythonVectors.upperHalves)
  func allBytes_asInPython(_ row: (encoding: String, text: String)) throws {
    let ascii = Array(0..<0x80 as Range<UInt8>)
    let encoding = try Encoding(row.encoding)
    #expect(try decoded([ascii], from: encoding) == ascii)
    for pieces in [[Array(0x80...0xFF as ClosedRange<UInt8>)], (0x80...0xFF).map { [$0] }] {
      #expect(text(try decoded(pieces, from: encoding)) == row.text)
    }
  }

  @Test func invalidBytes_areShownByTheirValues() throws {
    let gbk = try Encoding("GBK")
    #expect(text(try decoded([bytes("61ff62")], from: gbk)) == #"a\xffb"#)
    // A lead byte and a control character, which is not swallowed.
    #expect(text(try decoded([bytes("c40d0a")], from: gbk)) == "\\xc4\r\n")
    #expect(text(try decoded([bytes("c41b5b6d")], from: gbk)) == "\\xc4\u{1B}[m")
  }

  @Test func invalidUnits_areSkippedAsUnits() throws {
    // A low surrogate alone, then A.
    #expect(text(try decoded([bytes("00dc4100")], from: Encoding("UTF-16LE"))) == #"\x00\xdcA"#)
    #expect(
      text(try decoded([bytes("0000110041000000")], from: Encoding("UTF-32LE")))
        == #"\x00\x00\x11\x00A"#)
  }

  @Test func incompleteCharacter_waits_andIsShownAtTheEnd() throws {
    var stage = try DecodingStage(Encoding("GB18030"))
    #expect(stage.text(for: bytes("61c4")) == "a")
    #expect(stage.isWaiting)
    #expect(stage.text(for: bytes("e3")) == "你")
    #expect(!stage.isWaiting)
    #expect(stage.text(for: bytes("813081")) == "")
    var output: [UInt8] = []
    stage.flush(into: &output)
    #expect(text(output) == #"\x81\x30\x81"#)
    #expect(!stage.isWaiting)
    #expect(stage.text(for: bytes("c4e3")) == "你")
  }

  @Test func flush_keepsTheShiftState() throws {
    var stage = try DecodingStage(Encoding("ISO-2022-JP"))
    #expect(stage.text(for: bytes("1b2442467c")) == "日")
    var output: [UInt8] = []
    stage.flush(into: &output)
    #expect(output == [])
    #expect(stage.text(for: bytes("467c")) == "日")
  }

  @Test func restart_showsWhatWaits_andForgetsTheShiftState() throws {
    var stage = try DecodingStage(Encoding("ISO-2022-JP"))
    #expect(stage.text(for: bytes("1b2442467c46")) == "日")
    var output: [UInt8] = []
    stage.restart(into: &output)
    #expect(text(output) == #"\x46"#)
    #expect(stage.text(for: bytes("467c")) == "F|")
  }

  @Test func characterThatMayBeCombined_waits() throws {
    // A prompt in CP1258 that ends with a letter, and a letter with a tone.
    var stage = try DecodingStage(Encoding("CP1258"))
    #expect(stage.text(for: bytes("3e61")) == ">")
    #expect(stage.isWaiting)
    var output: [UInt8] = []
    stage.flush(into: &output)
    #expect(text(output) == "a")
    #expect(!stage.isWaiting)
    #expect(stage.text(for: bytes("61")) == "")
    #expect(Array(stage.text(for: bytes("cc3e")).unicodeScalars) == ["\u{E0}", ">"])
  }

  @Test func ascii_isNotCopied() throws {
    var stage = try DecodingStage(Encoding("GBK"))
    var output: [UInt8] = []
    let moment = Moment(wallClock: 0, monotonic: 0)
    func transform(_ piece: [UInt8]) -> StageResult {
      piece.withUnsafeBytes { stage.transform($0, at: moment, into: &output) }
    }
    #expect(transform(Array("plain text of more than thirty-two bytes\r\n".utf8)) == .unchanged)
    #expect(output == [])
    #expect(transform([0xC4]) == .changed)
    // The second byte of a character can be a letter.
    #expect(transform(Array("A".utf8)) == .changed)
    #expect(text(output) == "腁")
  }

  @Test func controlCharactersOfOtherEncodings_meetTheFilter() throws {
    // CSI as one byte of ISO 8859-1, ESC of EBCDIC, ESC [ in UTF-16.
    for (name, digits, shown) in [
      ("ISO-8859-1", "9b324a", "<9b>2J"), ("IBM037", "27adf2d1", "^[Ý2J"),
      ("UTF-16LE", "1b005d003000", "^[]0"), ("GBK", "1b5d30", "^[]0"),
    ] {
      var pipeline = Pipeline([try DecodingStage(Encoding(name)), EscapeFilter()])
      let moment = Moment(wallClock: 0, monotonic: 0)
      let piece = bytes(digits)
      let output = piece.withUnsafeBytes { pipeline.transform($0, at: moment) ?? Array($0) }
      #expect(text(output + pipeline.flush(at: moment)) == shown)
    }
  }

  /// Random texts of each encoding, half of them from all bytes, half from its own characters.
  /// `scripts/fuzz encodings` has more.
  @Test(arguments: [
    "GBK", "GB18030", "BIG5", "BIG5-HKSCS", "SHIFT_JIS", "CP932", "EUC-JP", "EUC-KR", "KOI8-R",
    "CP437", "CP1251", "CP1255", "CP1258", "ISO-8859-1", "UTF-16LE", "UTF-16", "UTF-32BE", "UTF-7",
    "ISO-2022-JP", "ISO-2022-KR", "IBM037", "IBM930",
  ]) func randomTexts_doNotDependOnTheDivision(_ name: String) throws {
    let encoding = try Encoding(name)
    let writer = try EncodingWriter(encoding)
    var random = SplitMix64(seed: 20_261_124)
    for number in 0..<repetitions(200) {
      var stream = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      if number % 2 == 1 {
        let scalars = (0..<20).compactMap { _ in
          Unicode.Scalar(UInt32.random(in: 0...0xFFFF, using: &random))
        }
        let typed = Array(String(String.UnicodeScalarView(scalars)).utf8)
        stream = []
        _ = typed.withUnsafeBytes { writer.type($0, into: &stream) }
      }
      let whole = try decoded([stream], from: encoding)
      #expect(String(validating: whole, as: UTF8.self) != nil)
      for pieces in divisions(of: stream) where try decoded(pieces, from: encoding) != whole {
        Issue.record("\(stream) in \(pieces.map(\.count)) gives other text in \(name)")
      }
    }
  }

  @Test func whatWaits_isBounded() throws {
    for common in CommonEncoding.all {
      var random = SplitMix64(seed: 5)
      var stage = try DecodingStage(Encoding(common.name))
      var output: [UInt8] = []
      for _ in 0..<2_000 {
        stage.feed([UInt8.random(in: 0...255, using: &random)], into: &output)
        #expect(stage.waiting <= DecodingStage.longestCharacter)
      }
    }
  }
}
