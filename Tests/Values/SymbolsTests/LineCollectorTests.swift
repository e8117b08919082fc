import Symbols
import Testing

@Suite struct LineCollectorTests {
  private func lines(_ text: [UInt8], inPiecesOf size: Int) -> [String] {
    var collector = LineCollector()
    var lines: [String] = []
    var rest = text[...]
    while !rest.isEmpty {
      rest.prefix(size).withUnsafeBytes { bytes in
        collector.receive(bytes) { line, _ in lines.append(String(decoding: line, as: UTF8.self)) }
      }
      rest = rest.dropFirst(size)
    }
    return lines
  }

  @Test(
    arguments: [
      ("one\ntwo\n", ["one", "two"]), ("one\r\ntwo\rthree", ["one", "two"]), ("\r\n\n\r", []),
      ("\u{1B}[31mpc \u{1B}[0m0x40\n", ["pc 0x40"]),
    ] as [(String, [String])])
  func linesEndAsInATextLog(_ text: String, _ expected: [String]) {
    for size in [1, 2, 3, .max] { #expect(lines(Array(text.utf8), inPiecesOf: size) == expected) }
  }

  @Test func theEndOfALineIncludesBothOfCRLF() {
    var collector = LineCollector()
    var ends: [Int] = []
    Array("a\r\nbc\nd\re".utf8).withUnsafeBytes { collector.receive($0) { ends.append($1) } }
    #expect(ends == [3, 6, 8])
    Array("f\n".utf8).withUnsafeBytes { collector.receive($0) { ends.append($1) } }
    #expect(ends == [3, 6, 8, 2])
  }

  @Test func anUnfinishedLineIsReturnedOnce() {
    var collector = LineCollector()
    Array("a".utf8).withUnsafeBytes { collector.receive($0) { _, _ in } }
    #expect(collector.isWaiting)
    #expect(collector.unfinished() == [0x61])
    #expect(collector.unfinished() == nil)
    Array("b".utf8).withUnsafeBytes { collector.receive($0) { _, _ in } }
    #expect(collector.unfinished() == [0x61, 0x62])
  }

  @Test func aLineWithoutEndHasALimit() {
    var collector = LineCollector()
    let piece = [UInt8](repeating: 0x61, count: 60_000)
    var lines: [[UInt8]] = []
    for _ in 0..<10 {
      piece.withUnsafeBytes { collector.receive($0) { line, _ in lines.append(line) } }
    }
    Array("\nshort\n".utf8).withUnsafeBytes {
      collector.receive($0) { line, _ in lines.append(line) }
    }
    #expect(lines.count == 2)
    #expect(lines[0].count < 2 * AddressFinder.maximumLength)
    #expect(lines[1] == Array("short".utf8))
  }
}
