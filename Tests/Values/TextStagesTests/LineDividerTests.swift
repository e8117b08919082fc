import TestSupport
import Testing
import TextTools

@testable import TextStages

@Suite(.timeLimit(.minutes(30))) struct LineDividerTests {
  /// The lines of a stream in pieces of a length, with their ends.
  private func lines(_ bytes: [UInt8], inPiecesOf size: Int, limit: Int = 4_096) -> [[UInt8]] {
    var (divider, lines) = (LineDivider(), [[UInt8]()])
    for start in stride(from: 0, to: bytes.count, by: size) {
      Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes { piece in
        var index = 0
        while index < piece.count {
          let room = limit - lines[lines.count - 1].count
          let end = divider.end(in: piece, from: index, to: min(piece.count, index + room))
          if end == index {
            divider.begin()
            lines.append([])
          }
          lines[lines.count - 1] += piece[index..<end]
          index = end
        }
      }
    }
    return lines
  }

  @Test func `The end of a line belongs to it`() {
    let said = Array("one\r\ntwo\n\r\n\r\r\nthree\r".utf8)
    for size in 1...said.count {
      #expect(
        lines(said, inPiecesOf: size).map { String(decoding: $0, as: UTF8.self) }
          == ["one\r\n", "two\n\r", "\n\r\r", "\n", "three\r"])
    }
  }

  @Test func `Where there is no room, the next line begins`() {
    #expect(lines(Array("abcdef\r\n".utf8), inPiecesOf: 3, limit: 4).map(\.count) == [4, 4])
    #expect(lines(Array("abc\r\n\r\r".utf8), inPiecesOf: 9, limit: 4).map(\.count) == [5, 2])
  }

  @Test(arguments: 0..<200) func `Its lines are those of the reader`(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let parts = ["a", "b", "\r", "\n", "\r\n", "\n\r", "\r\r\n"]
    let said = (0..<30).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
    let bytes = Array(said.utf8)
    let read = bytes.withUnsafeBytes { LineReader.lines(of: $0) }
    for size in [1, 2, 3, bytes.count] {
      var text = LineText()
      var divided = lines(bytes, inPiecesOf: size).map { line in
        line.withUnsafeBytes { text.with($0) { String(decoding: $0, as: UTF8.self) } }
      }
      if divided.last == "", read.count < divided.count { divided.removeLast() }
      #expect(divided == read, "\(said.debugDescription)")
    }
  }
}
