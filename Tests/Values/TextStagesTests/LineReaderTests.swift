import TerminalWidgets
import TestSupport
import Testing
import TextTools

@testable import TextStages

/// What a device sends, as lines.
@Suite(.timeLimit(.minutes(30))) struct LineReaderTests {
  /// The lines of a stream in pieces of a length, with the open line.
  private func lines(
    _ bytes: [UInt8], inPiecesOf size: Int, through reader: LineReader = LineReader()
  ) -> [String] {
    var (reader, lines) = (reader, [String]())
    for start in stride(from: 0, to: bytes.count, by: size) {
      Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes { piece in
        var index = 0
        while let event = reader.next(in: piece, from: &index) {
          if event != .returned { lines.append(reader.text) }
        }
      }
    }
    reader.finish()
    return reader.isEmpty ? lines : lines + [reader.text]
  }

  /// Whether a stream has some lines, however it is divided.
  private func expect(
    _ said: String, _ expected: [String], _ reader: LineReader = LineReader(),
    at place: SourceLocation = #_sourceLocation
  ) {
    let bytes = Array(said.utf8)
    for size in [1, 2, 3, 5, max(1, bytes.count)] {
      #expect(
        lines(bytes, inPiecesOf: size, through: reader) == expected, sourceLocation: place)
    }
  }

  // MARK: Line ends

  @Test(arguments: [
    "one\ntwo\n\nthree\n", "one\r\ntwo\r\n\r\nthree\r\n", "one\n\rtwo\n\r\n\rthree\n\r",
    "one\r\r\ntwo\r\r\n\r\r\nthree\r\r\n", "\rone\n\rtwo\n\r\n\rthree\n",
  ])
  func `Line ends of every kind are one end`(said: String) {
    expect(said, ["one", "two", "", "three"])
    expect("first\n" + said, ["first", "one", "two", "", "three"])
  }

  @Test func `A device without LF ends its lines with CR`() {
    expect("1.23\r1.24\r\r1.25\r", ["1.23", "1.24", "1.25"])
    // Some devices pad a CR with NUL, for slow printers.
    expect("one\r\0\0\ntwo\r\0\n", ["one", "two"])
    expect("AT\r\r\nOK\r\nAT\r\r\n", ["AT", "OK", "AT"])
  }

  @Test func `What a CR overwrites is overwritten`() {
    expect("x\n10 %\r20 %\r100 %\r\n", ["x", "100 %"])
    expect("x\nlong line\rnew\n", ["x", "newg line"])
    expect("x\nlong line\r\u{1B}[Knew\n", ["x", "new"])
    expect("x\nlong line\r\u{1B}[0m\n", ["x", "long line"])
    expect("x\nabc\rABCDE\rz\n", ["x", "zBCDE"])
    expect("10 %\r20 %\r", ["20 %"], LineReader(onReturn: .overwrites))
    expect("ls\nps\r", ["ls", "ps"], LineReader(onReturn: .ends))
  }

  @Test func `A CR is reported before anything is overwritten`() {
    var (reader, seen, index) = (LineReader(onReturn: .overwrites), [String](), 0)
    Array("10 %\r\r20 %\r\u{1B}[Kdone\r\n".utf8).withUnsafeBytes { piece in
      while let event = reader.next(in: piece, from: &index) {
        seen.append("\(event) \(reader.text) \(index)")
      }
    }
    #expect(
      seen == ["returned 10 % 5", "returned 20 % 11", "ended done 20"])
  }

  @Test func `The end of a line includes both of CR LF`() {
    var (reader, ends, index) = (LineReader(), [Int](), 0)
    Array("a\r\nbc\nd\r\ne".utf8).withUnsafeBytes { piece in
      while let event = reader.next(in: piece, from: &index) {
        if event == .ended { ends.append(index) }
      }
    }
    #expect(ends == [3, 6, 9])
  }

  // MARK: Corrections

  @Test(arguments: [
    ("helo\u{8} \u{8}\u{8} \u{8}llo", "hello"), ("helo\u{8}\u{1B}[Klo", "hello"),
    ("helo\u{8}\u{1B}[Jlo", "hello"), ("hexllo\u{8}\u{8}\u{8}\u{8}\u{1B}[1P", "hello"),
    ("hlo\u{8}\u{8}\u{1B}[2@el", "hello"), ("hlo\u{8}\u{8}\u{1B}[4hel\u{1B}[4l", "hello"),
    ("hexxo\u{1B}[3D\u{1B}[2Xll", "hello"), ("\u{1B}[7Gx\u{1B}[1Gab", "ab    x"),
    ("a\u{1B}[3Cb", "a   b"), ("a\u{1B}[3C", "a"), ("xyz\u{1B}[2K\u{1B}[1Ga", "a"),
    ("ab\u{1B}7cd\u{1B}8X", "abXd"), ("ab\u{1B}[scd\u{1B}[uX", "abXd"), ("-\u{1B}[4b", "-----"),
    ("世界\u{8}\u{8}  \u{8}\u{8}x", "世x"), ("世界\u{8}\u{8}\u{8}x", " x界"),
    ("e\u{301}a\u{8}b", "e\u{301}b"), ("a\u{8}e\u{301}", "e\u{301}"),
    ("a\tb", "a\tb"), ("a\tb\u{8}c", "a\tc"), ("a\tb\u{8}\u{8}x", "a      xb"),
    ("\tx\rab", "ab      x"), ("abcdefghij\r\tX", "abcdefghXj"), ("a\u{8}\u{8}\u{8}b", "b"),
  ])
  func `A line is what is seen of it`(said: String, seen: String) {
    expect("first\n" + said + "\n", ["first", seen])
  }

  @Test func `A row that is wrapped by the device is one line`() {
    let command = String(repeating: "abcdefghij", count: 8)
    expect("first\n" + command + " \rkl\u{8} \u{8}m\n", ["first", command + "km"])
    // No edge: the blank is text, and is overwritten.
    expect("first\nabc \rk\n", ["first", "kbc "])
  }

  @Test func `What is drawn in another row follows after a blank`() {
    expect("a\u{1B}[2;1Hb\u{1B}[5;1Hc\n", ["a b c"])
    expect("a\u{B}b\u{C}c\u{1B}Dd\n", ["a b c d"])
    expect("x\nabc\u{1B}[A\rx\u{1B}[2Ky\n", ["x", "abc  y"])
  }

  @Test func `Characters of another set are those on the screen`() {
    expect("\u{1B}(0lqk\u{1B}(B ok\n", ["┌─┐ ok"])
    expect("\u{1B})0\u{E}x\u{F}x \u{1B}+0\u{1B}Oqq\n", ["│x ─q"])
    expect("\u{1B}(0q\u{1B}cq\n", ["─ q"])
    expect("\u{1B}(0q\u{1B}[!p login:\n", ["─ login:"])
    expect("\u{1B}7\u{1B}(0q\u{1B}8q\n", ["q"])
    expect("\u{1B}[s\u{1B}(0q\u{1B}[uq\n", ["q"])
    let line = String(repeating: "q", count: 25)
    expect(
      "\u{1B}(0\(line)\n", ["─────", "─────", "─────", "─────", "─────"], LineReader(limit: 15))
  }

  @Test func `What a device asks for has limits`() {
    expect("\u{1B}[9999Cx\n", [String(repeating: " ", count: LiveLine.farthestGap) + "x"])
    expect("-\u{1B}[9999b\n", [String(repeating: "-", count: LiveLine.farthestGap + 1)])
    let marks = String(repeating: "\u{301}", count: 1_000)
    let line = lines(Array("x\na\u{8}b\(marks)c\n".utf8), inPiecesOf: 100)[1]
    #expect(line.utf8.count < 100 && line.hasSuffix("c"))
  }

  // MARK: Text

  @Test(arguments: [
    ("plain text", "plain text"), ("tab\there", "tab\there"),
    ("\u{1B}[1;31mred\u{1B}[0m", "red"), ("\u{1B}]0;title\u{07}after", "after"),
    ("\u{1B}]52;c;c2VjcmV0\u{1B}\\after", "after"), ("\u{1B}P1$qm\u{1B}\\x", "x"),
    ("\u{1B}(Bx", "x"), ("a\u{00}\u{07}\u{7F}b", "ab"), ("\u{1B}[31\u{1B}[mx", "^[[31x"),
    ("grün €😀", "grün €😀"), ("a\u{9B}31mb", "a\u{FFFD}31mb"), ("x\u{1B}[3", "x^[[3"),
  ])
  func `Text stays, and sequences go`(said: String, left: String) { expect(said, [left]) }

  @Test func `A sequence or string that a line end cuts off is text`() {
    expect("\u{1B}[3\nx", ["^[[3", "x"])
    expect("\u{1B}[3\r\nx", ["^[[3", "x"])
    expect("\u{1B}]0;a\r\nx", ["^[]0;a", "x"])
  }

  @Test func `Bytes that are no text are marked`() {
    for size in 1...4 {
      #expect(
        lines([0xFF, 0x41, 0xC3, 0x28, 0xE2, 0x82, 0x41], inPiecesOf: size)
          == ["\u{FFFD}A\u{FFFD}(\u{FFFD}A"])
      #expect(lines([0xED, 0xA0, 0x80, 0x41], inPiecesOf: size)[0].hasSuffix("A"))
    }
  }

  @Test func `A string that never ends swallows nothing`() {
    let endless = "\u{1B}]" + String(repeating: "x", count: 10_000)
    for size in [100, 20_000] {
      let parts = lines(Array((endless + "after\n").utf8), inPiecesOf: size)
      #expect(parts.joined() == "^[]" + String(repeating: "x", count: 10_000) + "after")
    }
  }

  @Test func `A long line is cut between characters`() {
    let said = String(repeating: "ä", count: 1_001)
    for size in [1, 7, 5_000] {
      let parts = lines(Array(said.utf8), inPiecesOf: size, through: LineReader(limit: 101))
      #expect(parts.joined() == said)
      #expect(parts.allSatisfy { $0.utf8.count <= 104 })
    }
  }

  // MARK: Any bytes

  /// Bytes in which what changes a line is frequent.
  private static func noise(_ seed: Int) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(seed))
    return (0..<3_000).flatMap { _ -> [UInt8] in
      switch Int.random(in: 0..<12, using: &random) {
      case 0: [UInt8.random(in: 0...255, using: &random)]
      case 1: [0x0D, 0x0A]
      case 2: [[0x08, 0x09, 0x0D, 0x0A, 0x1B, 0xC2].randomElement(using: &random)!]
      case 3:
        Array("\u{1B}[\(Int.random(in: 0...90, using: &random))".utf8)
          + ["@ABCDGHIJKPXZb`hlmsu".utf8.randomElement(using: &random)!]
      case 4:
        Array(
          ["世界", "e\u{301}", "\u{1B}[3\r\n", "\u{1B}7", "\u{1B}8", "\u{1B}[4h"].randomElement(
            using: &random)!.utf8)
      default: Array("text ".utf8)
      }
    }
  }

  @Test(arguments: 0..<repetitions(20))
  func `Lines do not depend on the division of any bytes, and control nothing`(seed: Int) {
    let bytes = Self.noise(seed)
    let whole = lines(bytes, inPiecesOf: bytes.count)
    for size in [1, 2, 7, 64] { #expect(lines(bytes, inPiecesOf: size) == whole) }
    for scalar in whole.joined().unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
      #expect(!isControl || scalar == "\t")
    }
  }

  /// The line is the row of a screen, as long as the device stays in it.
  @Test(arguments: 0..<repetitions(20))
  func `A line is what a terminal shows`(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    for _ in 0..<100 {
      var said = "\u{1B}7"
      for _ in 0..<12 {
        let count = Int.random(in: 1...4, using: &random)
        said += [
          "abc", "x", "\t", "\u{8}", "\r", " ", "\u{1B}[\(count)C", "\u{1B}[\(count)D",
          "\u{1B}[K", "\u{1B}[2K", "\u{1B}[\(count * 5)G", "\u{1B}7", "\u{1B}8",
        ].randomElement(using: &random)!
      }
      var screen = ScreenModel(ScreenSize(rows: 3, columns: 200))
      screen.write(said)
      let line = lines(Array(said.utf8), inPiecesOf: 3, through: LineReader(onReturn: .overwrites))
      #expect(
        Self.expanded(line.first ?? "") == Self.expanded(ScreenModel.text(of: screen.grid[0])),
        "\(said.debugDescription)")
    }
  }

  /// A text with blanks for tabs, and without those at its end.
  private static func expanded(_ text: String) -> String {
    var (cells, column) = ("", 0)
    for character in text {
      let width = character == "\t" ? 8 - column % 8 : character.displayWidth
      cells += character == "\t" ? String(repeating: " ", count: width) : String(character)
      column += width
    }
    while cells.last == " " { cells.removeLast() }
    return cells
  }
}
