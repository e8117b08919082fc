import TestSupport
import Testing
import TextStages

@testable import Scrollback

@Suite(.timeLimit(.minutes(30))) struct ScrollbackTests {
  @Test(
    arguments: [
      ("one\ntwo\n", ["one\n", "two\n"]), ("one\r\ntwo", ["one\r\n", "two"]),
      ("10%\r20%\rdone\n", ["10%\r", "20%\r", "done\n"]), ("\n\n", ["\n", "\n"]),
      ("a\r\r\nb", ["a\r\r\n", "b"]),
      ("a\n10%\r20%\r\nb\r", ["a\n", "10%\r20%\r\n", "b\r"]),
      ("a\r", ["a\r"]), ("\r\n\r", ["\r\n\r"]),
      ("\rone\n\rtwo\n\r", ["\rone\n\r", "two\n\r"]),
      ("one\r\n\r\ntwo", ["one\r\n\r", "\n", "two"]), ("1\r2\r", ["1\r", "2\r"]),
    ] as [(String, [String])])
  func lines_endAsInATextLog(_ text: String, _ lines: [String]) {
    for pieceSize in [1, 2, 3, .max] {
      let scrollback = Scrollback(capacity: 0)
      scrollback.add(text, inPiecesOf: pieceSize)
      #expect(scrollback.texts == lines)
      #expect(scrollback.byteCount == text.utf8.count)
    }
  }

  @Test func aLine_hasTheTimeOfItsFirstByte() {
    let scrollback = Scrollback(capacity: 0)
    scrollback.add("one\ntw", at: 1_000)
    scrollback.add("o\n", at: 2_000)
    scrollback.add("three\nfour\n", at: 3_000)
    #expect(scrollback.times == [1_000, 1_000, 3_000, 3_000])
  }

  @Test func aClockThatIsSetBack_doesNotMatter() {
    let scrollback = Scrollback(capacity: 1 << 20)
    for time: UInt64 in [5_000_000_000_000, 1_000, 1 << 40, 0] {
      scrollback.add("line\n", at: time)
    }
    #expect(scrollback.times == [5_000_000_000_000, 1_000, 1 << 40, 0])
  }

  @Test func aLongLine_isKeptAsSeveral() {
    let scrollback = Scrollback(capacity: 0)
    scrollback.add([UInt8](repeating: 0x61, count: 10_000) + [0x0D, 0x0A, 0x62])
    #expect(scrollback.contents.map(\.count) == [4_096, 4_096, 10_000 - 8_192 + 2, 1])
  }

  @Test func aMark_endsTheLine_andIsNoByteOfTheDevice() {
    let scrollback = Scrollback(capacity: 0)
    scrollback.add("lo", at: 1)
    scrollback.addMark("mark 1", at: 2_000_000)
    scrollback.add("gin:", at: 3)
    #expect(scrollback.texts == ["lo", "mark 1", "gin:"])
    #expect(scrollback.lines.map { scrollback.withLine($0, \.isMark) } == [false, true, false])
    #expect(scrollback.byteCount == 6)
  }

  @Test func aNote_waitsForTheEndOfTheLine() throws {
    let scrollback = Scrollback(capacity: 0)
    scrollback.addNote("first", at: 0)
    scrollback.add("lo", at: 1)
    scrollback.addNote("note 1", at: 0)
    scrollback.addNote("note 2", at: 0)
    #expect(scrollback.texts == ["first", "lo"])
    scrollback.add("gin:\r", at: 3)
    scrollback.add("\nnext", at: 4)
    #expect(scrollback.texts == ["first", "login:\r\n", "note 1", "note 2", "next"])
    #expect(
      scrollback.lines.map { scrollback.withLine($0, \.isMark) } == [
        true, false, true, true, false,
      ])
    #expect(scrollback.byteCount == 12)
    scrollback.addNote("note 3", at: 0)
    scrollback.addWaitingNotes()
    scrollback.add(" line\n")
    #expect(scrollback.texts.suffix(3) == ["next", "note 3", " line\n"])
    // The line has ended, although a CR could still belong to its end.
    scrollback.addNote("after it", at: 0)
    #expect(scrollback.texts.suffix(2) == [" line\n", "after it"])
    let search = try ScrollbackSearch("note", in: scrollback)
    search.search()
    #expect(search.found.count == 3)
  }

  @Test func waitingNotes_areBounded() {
    let scrollback = Scrollback(capacity: 0)
    scrollback.add("open")
    for _ in 0..<300 { scrollback.addNote("note", at: 0) }
    #expect(scrollback.texts.count == 301)
  }

  /// For any bytes in any pieces: no byte is changed, only the beginning is missing and was
  /// counted, and the memory is limited.
  @Test(arguments: 0..<max(4, repetitions(20)))
  func keptBytes_areTheLastReceived(_ seed: Int) {
    var random = Generator(state: UInt64(seed))
    let scrollback = Scrollback(capacity: 200_000 + random.below(100_000))
    var all: [UInt8] = []
    let lineLength = [3, 40, 300, 9_000][seed % 4]
    while all.count < 600_000 {
      var piece: [UInt8] = []
      for _ in 0..<random.below(6_000) {
        switch random.below(lineLength) {
        case 0: piece.append(0x0A)
        case 1: piece.append(0x0D)
        default: piece.append(UInt8(random.below(256)))
        }
      }
      all += piece
      scrollback.add(piece, at: UInt64(all.count))
    }
    let kept = Array(scrollback.contents.joined())
    #expect(kept == Array(all.suffix(kept.count)))
    #expect(scrollback.byteCount == kept.count)
    #expect(scrollback.addedByteCount == all.count)
    #expect(scrollback.droppedByteCount == all.count - kept.count)
    #expect(scrollback.blocks.count * ScrollbackBlock.size <= scrollback.capacity)
    #expect(scrollback.times == scrollback.times.sorted())
  }

  /// For any bytes in any pieces, lines end where those of a text log do.
  @Test(arguments: 0..<repetitions(20))
  func linesAreThoseOfATextLog(_ seed: Int) {
    var random = Generator(state: UInt64(seed))
    let ends = seed % 2 == 0 ? ["\r", "\r\r"] : ["\n", "\r\n", "\n\r", "\r\r\n", "\r"]
    var (said, reader, lines) = ("", LineReader(), [String]())
    let scrollback = Scrollback(capacity: 0)
    for _ in 0..<500 {
      // Before the first LF, a line of nothing but sequences would count in the scrollback.
      said += ["word ", "x", "\u{8}", "\u{1B}[1m"][random.below(seed % 2 == 0 ? 2 : 4)]
      if random.below(3) == 0 { said += ends[random.below(ends.count)] }
    }
    scrollback.add(said, inPiecesOf: 1 + random.below(7))
    Array(said.utf8).withUnsafeBytes { bytes in
      var index = 0
      while let event = reader.next(in: bytes, from: &index) {
        if event == .ended { lines.append(reader.text) }
      }
    }
    if scrollback.lines.count > lines.count { lines.append(reader.text) }
    var text = LineText()
    #expect(
      scrollback.contents.map { line in
        line.withUnsafeBytes { text.with($0) { String(decoding: $0, as: UTF8.self) } }
      } == lines)
  }

  @Test func aCopy_doesNotChange() {
    let scrollback = Scrollback(capacity: Scrollback.leastCapacity)
    scrollback.add("first\n")
    let copy = ScrollbackCopy(of: scrollback)
    // Reuses all blocks of the scrollback.
    for number in 0..<60_000 { scrollback.add("line \(number)\n") }
    #expect(scrollback.droppedByteCount > 0)
    var written: [UInt8] = []
    copy.write(as: .bytes) { written += $0 }
    #expect(written == Array("first\n".utf8))
  }

  @Test func aCopy_isWrittenAsItCame_orAsText() throws {
    let scrollback = Scrollback(capacity: 0)
    scrollback.add("\u{1B}[31mred\u{1B}[0m\r\nfin")
    scrollback.addMark("mark 1", at: 0)
    scrollback.add("e\n")
    #expect(written(ScrollbackCopy(of: scrollback), .bytes) == "\u{1B}[31mred\u{1B}[0m\r\nfine\n")
    let lines = written(ScrollbackCopy(of: scrollback), .text).split(separator: "\n")
    #expect(lines.map { $0.split(separator: "] ").last } == ["red", "fin", "mark 1", "e"])
    #expect(lines.allSatisfy { $0.hasPrefix("[19") })
    let search = try ScrollbackSearch("^red$|e", in: scrollback)
    search.search()
    #expect(written(ScrollbackCopy(of: search), .bytes) == "\u{1B}[31mred\u{1B}[0m\r\ne\n")
  }

  private func written(_ copy: ScrollbackCopy, _ form: ScrollbackCopy.Form) -> String {
    var bytes: [UInt8] = []
    copy.write(as: form) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }
}
