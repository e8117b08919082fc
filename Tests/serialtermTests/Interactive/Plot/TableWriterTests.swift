import Plotting
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct TableWriterTests {
  private func read(
    _ texts: [(String, time: Double)], from source: Int = 0, _ writer: TableWriter
  ) {
    for (text, time) in texts {
      Array(text.utf8).withUnsafeBytes { writer.read($0, at: time, from: source) }
    }
  }

  private func text(_ writer: TableWriter, atLeast least: Int = 0) -> String? {
    writer.takeOutput(atLeast: least).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `The first line has the series of all sources, and the end reads open lines`() {
    let series = [SeriesName("a"), SeriesName("b", unit: "V")]
    let writer = TableWriter([("A", series), ("B", [SeriesName("a")])], as: .pairs, .clock)
    read([("a=1\nb=2", 5)], writer)
    read([("a=3\n", 6)], from: 1, writer)
    #expect(
      text(writer) == "time,A: a,A: b [V],B: a\n5.000000,1,,\n6.000000,,,3\n")
    #expect(text(writer) == nil)
    writer.finish()
    #expect(text(writer) == "5.000000,,2,\n")
  }

  @Test func `Rows outside of the times are left out`() {
    let writer = TableWriter([(nil, [SeriesName("a")])], as: .pairs, .clock, in: 2...3)
    read((1...4).map { ("a=\($0)\n", Double($0)) }, writer)
    #expect(text(writer) == "time,a\n2.000000,2\n3.000000,3\n")
  }

  @Test func `Rows are taken in pieces of a size`() {
    let writer = TableWriter([(nil, [SeriesName("a")])], as: .pairs, .lines)
    #expect(text(writer, atLeast: 8) == nil)
    #expect(text(writer, atLeast: 7) == "time,a\n")
    #expect(text(writer) == nil)
  }
}
