import Glibc
import Testing

@testable import TextStages

@Suite(.timeLimit(.minutes(30))) struct HighlighterTests {
  private func highlighter(
    _ texts: String..., margin: Int = 0, columns: Int = 200
  ) throws -> Highlighter {
    Highlighter(
      try texts.flatMap { try Highlight.parsing($0) }, margin: margin, columns: { columns })
  }

  private func paper(_ text: String) -> Paper { Paper(Array(text.utf8)) }

  @Test func textThatArrivesWithItsLineEnd_isColouredImmediately() throws {
    var stage = try highlighter("err=red")
    #expect(stage.feed("no err at\r\n") == "no \u{1B}[0;31merr\u{1B}[0m at\r\n")
    #expect(stage.feed("plain\r\n") == "plain\r\n")
  }

  @Test func stylesWithoutText_areNotKeptForEver() throws {
    var stage = try highlighter("err=red")
    let styles = String(repeating: "\u{1B}[31m", count: 5_000)
    for _ in 0..<20 {
      #expect(stage.feed(styles) == styles)
      #expect(stage.waiting <= Highlighter.reach)
    }
  }

  @Test func nothingIsKeptBack() throws {
    var stage = try highlighter("login:=green")
    #expect(stage.feed("log") == "log")
    #expect(stage.feed("in: ") == "in: ")
    var output: [UInt8] = []
    stage.flush(into: &output)
    #expect(
      String(decoding: output, as: UTF8.self) == "\u{1B}[7D\u{1B}[0m\u{1B}[0;32mlogin:\u{1B}[0m ")
    output = []
    stage.flush(into: &output)
    #expect(output == [], "once is enough")
  }

  @Test(
    arguments: [
      "boot err one\r\nx\r\nerr err\r\n", "\u{1B}[33mcoloured err here\u{1B}[0m and err\r\n",
      "e\u{1B}[32mr\u{1B}[1mr x\u{1B}[0m\r\n", "over\rerr\r\n", "\terr\r\n", "äerrö ünd err\r\n",
      "err\u{1B}[31m\r\nstill err\r\n\u{1B}[merr", "12 err 34\r\n",
    ])
  func theSameIsOnTheScreen_howeverTheStreamIsCut(_ text: String) throws {
    let bytes = Array(text.utf8)
    let whole = Paper(try highlighter("err=red", #"\d+=bold-blue"#).fed([bytes[...]]))
    #expect(whole.description.contains("31"), "\(whole)")
    for pieces in cuts(of: bytes) where pieces.allSatisfy(\.isWhole) {
      #expect(
        Paper(try highlighter("err=red", #"\d+=bold-blue"#).fed(pieces)) == whole, "\(pieces)")
    }
  }

  @Test func theDevicesColours_comeBackBehindAMatch() throws {
    var stage = try highlighter("err=red")
    #expect(
      paper(stage.feed("\u{1B}[1;33mone err two\u{1B}[0m three\r\n")).description
        == "one {1;33}err{31} two{1;33} three\n\n")
  }

  @Test func ofTwo_theLaterHasTheText() throws {
    var stage = try highlighter("a.*=red", "b=green")
    #expect(paper(stage.feed("abc\n")).description == "a{31}b{32}c{31}\n\n")
  }

  @Test func aLineOfMoreThanARow_isNotWrittenAgain() throws {
    for (width, isPainted) in [(9, false), (10, false), (11, true)] {
      var stage = try highlighter("err=red", columns: width)
      let text = stage.feed("0123456err") + stage.feed("\r\n")
      #expect(text.contains("\u{1B}[3D") == isPainted, "\(width)")
    }
  }

  @Test func aStampTakesItsColumns() throws {
    var stage = try highlighter("err=red", margin: 8, columns: 12)
    #expect(
      stage.feed("err") + stage.feed("\n") == "err\u{1B}[3D\u{1B}[0m\u{1B}[0;31merr\u{1B}[0m\n")
    #expect(stage.feed("1err") + stage.feed("\n") == "1err\n")
  }

  @Test func wideCharacters_takeTwoColumns() throws {
    var stage = try highlighter("err.*=red")
    #expect(
      stage.feed("err宽") + stage.feed("\n") == "err宽\u{1B}[5D\u{1B}[0m\u{1B}[0;31merr宽\u{1B}[0m\n")
  }

  @Test func textOfOtherCode_isNotWrittenOver() throws {
    var stage = try highlighter("err=red")
    #expect(stage.feed("err ") == "err ")
    stage.cursorDidMove(toMargin: true)
    #expect(stage.feed("err\n") == "\u{1B}[0;31merr\u{1B}[0m\n")
  }

  /// After each of these, the column of the text is unknown, or the text may be in several rows.
  @Test(arguments: ["\u{1B}[70G", "0123456\u{7}", "0123456\n", "0123456\u{8}"])
  func textFromAnUnknownColumn_isNotWrittenOver(_ text: String) throws {
    var stage = try highlighter("err=red", columns: 9)
    let painted = "err\u{1B}[3D\u{1B}[0m\u{1B}[0;31merr\u{1B}[0m"
    #expect(stage.feed(text) + stage.feed("err") + stage.feed("\r") == text + "err\r")
    #expect(stage.feed("err") + stage.feed("\r") == painted + "\r")
    stage.cursorDidMove(toMargin: false)
    #expect(stage.feed("err") + stage.feed("\r\n") == "err\r\n")
    #expect(stage.feed("err") + stage.feed("\r\n") == painted + "\r\n")
  }

  @Test func aTabIsNotWrittenOver() throws {
    var stage = try highlighter("err=red")
    #expect(
      stage.feed("err\terr") + stage.feed("\n")
        == "err\terr\u{1B}[3D\u{1B}[0m\u{1B}[0;31merr\u{1B}[0m\n")
  }

  @Test func aTabIsABlankForTheSearch() throws {
    var stage = try highlighter("foo bar=red")
    #expect(stage.feed("foo\tbar\n") == "\u{1B}[0;31mfoo\tbar\u{1B}[0m\n")
  }

  @Test func aStyleInAnEmptyLine_isNoText() throws {
    var stage = try highlighter("foo=red")
    #expect(
      stage.feed("a\r\n\u{1B}[0m\nfo") + stage.feed("o\r") == "a\r\n\u{1B}[0m\nfo"
        + "\u{1B}[2D\u{1B}[0m\u{1B}[0;31mfoo\u{1B}[0m\r")
    #expect(!stage.isWaiting)
  }

  @Test func cursorMotion_beginsANewLine() throws {
    var stage = try highlighter("err=red")
    #expect(
      stage.feed("er\u{8}r err\u{1B}[K err\n")
        == "er\u{8}r \u{1B}[0;31merr\u{1B}[0m\u{1B}[K \u{1B}[0;31merr\u{1B}[0m\n")
  }

  @Test func aLineWithoutEnd_isLookedAtInPieces() throws {
    var stage = try highlighter("x=red")
    let text =
      String(repeating: "ab", count: 5_000) + "x"
      + String(repeating: "c", count: Highlighter.reach)
    let output = stage.feed(text)
    #expect(output.contains("\u{1B}[0;31mx\u{1B}[0m"))
    #expect(paper(output).rows[0].map(\.character) == Array(text.unicodeScalars))
  }

  /// One of the worst expressions, and a device that exploits it.
  @Test func aPieceOfAnySize_isSoonDone() throws {
    var stage = try highlighter("(a?){300}a{300}b=red", "(a|b|ab)*c=green")
    let piece = Array(repeating: UInt8(ascii: "a"), count: 65_536)
    var output: [UInt8] = []
    let before = processorSeconds()
    stage.feed(piece, into: &output)
    let used = processorSeconds() - before
    #expect(output.filter { $0 == UInt8(ascii: "a") }.count == piece.count)
    #expect(used < 20, "4,000,000 steps, of a build that is not optimized")
  }

  /// The processor time of this thread: a busy machine hardly changes it.
  private func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension ArraySlice<UInt8> {
  /// Whether it neither begins nor ends inside of a sequence or a character. An escape filter
  /// passes only such pieces.
  fileprivate var isWhole: Bool {
    var stage = WholeSequences()
    var output: [UInt8] = []
    stage.feed(Array(self), into: &output)
    return output.count == count && first.map { $0 & 0xC0 != 0x80 } ?? true
  }
}
