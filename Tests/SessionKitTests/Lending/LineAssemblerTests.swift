import Testing

@testable import SessionKit

@Suite(.timeLimit(.minutes(5))) struct LineAssemblerTests {
  @Test func lines_comeWhole_howeverTheirPiecesAreCut() {
    let text = Array("one\n\ntwo\nthr".utf8)
    for cut in 0...text.count {
      var lines = LineAssembler(limit: 16)
      lines.append(text[..<cut])
      lines.append(text[cut...])
      #expect([lines.next(), lines.next(), lines.next(), lines.next()] == ["one", "", "two", nil])
      #expect(!lines.isOverlong)
    }
  }

  @Test func lastLine_needsNoEnd_whenNothingMoreComes() {
    var lines = LineAssembler(limit: 16)
    lines.append("one\ntwo".utf8)
    lines.end()
    lines.end()
    #expect([lines.next(), lines.next(), lines.next()] == ["one", "two", nil])
  }

  @Test func line_mayHaveAllTheBytesThatThereAre_andNoMore() {
    var lines = LineAssembler(limit: 4)
    lines.append("abc\n".utf8)
    #expect(lines.next() == "abc")
    lines.append("abc".utf8)
    #expect(!lines.isOverlong)
    lines.append("d".utf8)
    #expect(lines.isOverlong)
    lines.append("\n".utf8)
    #expect(lines.isOverlong)
    #expect(lines.next() == nil)
  }
}
