import TestSupport
import Testing

@testable import Scrollback

@Suite struct ScrollbackReaderTests {
  private func read(
    _ reader: inout ScrollbackReader, from scrollback: Scrollback, upTo limit: Int = .max
  ) -> String {
    var bytes: [UInt8] = []
    reader.read(from: scrollback, upTo: limit) { line, _ in bytes += line }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func onlyWhatIsAddedLater_isRead() {
    let scrollback = Scrollback(capacity: 0)
    scrollback.add("one\ntw")
    var reader = ScrollbackReader(atEndOf: scrollback)
    #expect(read(&reader, from: scrollback) == "")
    scrollback.add("o\nthr")
    #expect(reader.remainingCount(in: scrollback) == 5)
    #expect(read(&reader, from: scrollback) == "o\nthr")
    #expect(reader.remainingCount(in: scrollback) == 0)
    scrollback.add("ee\r")
    #expect(read(&reader, from: scrollback) == "ee\r")
    scrollback.add("\nfour\n")
    #expect(read(&reader, from: scrollback) == "\nfour\n")
    #expect(read(&reader, from: scrollback) == "")
  }

  @Test func partsAreLimited_andMarksLeftOut() {
    let scrollback = Scrollback(capacity: 0)
    var reader = ScrollbackReader(atEndOf: scrollback)
    scrollback.add("one\ntwo\nth", at: 5)
    scrollback.addMark("mark", at: 6)
    scrollback.add("ree\n", at: 7)
    #expect(read(&reader, from: scrollback, upTo: 1) == "one\n")
    #expect(reader.remainingCount(in: scrollback) == 10)
    #expect(read(&reader, from: scrollback, upTo: 5) == "two\nth")
    #expect(read(&reader, from: scrollback, upTo: 5) == "ree\n")
    #expect(reader.remainingCount(in: scrollback) == 0)
  }

  @Test func aPlaceIsFoundByTheNumberOfBytesBeforeIt() {
    let scrollback = Scrollback(capacity: 0)
    let text = "one\ntwo\r\n\nfour"
    scrollback.add("one\nt", at: 5)
    scrollback.add("wo\r\n\n", at: 5)
    scrollback.addMark("mark", at: 6)
    scrollback.add("four", at: 7)
    for count in 0...text.utf8.count + 3 {
      var reader = ScrollbackReader(after: count, in: scrollback)
      let rest = String(decoding: text.utf8.dropFirst(count), as: UTF8.self)
      #expect(reader.remainingCount(in: scrollback) == rest.utf8.count)
      #expect(read(&reader, from: scrollback) == rest)
    }
  }

  @Test func aPlaceWhoseBytesWereDroppedIsTheFirstOneThatIsKept() {
    let scrollback = Scrollback(capacity: 0)
    let line = String(repeating: "x", count: 99) + "\n"
    for _ in 0..<10_000 { scrollback.add(line) }
    let dropped = scrollback.droppedByteCount
    #expect(dropped > 0)
    for count in [0, dropped - 1, dropped] {
      let reader = ScrollbackReader(after: count, in: scrollback)
      #expect(reader.remainingCount(in: scrollback) == scrollback.byteCount)
    }
    for count in [dropped + 1, dropped + 70_000, 999_999, 1_000_000, 2_000_000] {
      var reader = ScrollbackReader(after: count, in: scrollback)
      #expect(read(&reader, from: scrollback).utf8.count == max(0, 1_000_000 - count))
    }
  }

  @Test func droppedBytes_areCountedOnce() {
    let scrollback = Scrollback(capacity: 0)
    scrollback.add("before\nopen")
    var reader = ScrollbackReader(atEndOf: scrollback)
    let line = String(repeating: "x", count: 99) + "\n"
    for _ in 0..<10_000 { scrollback.add(line) }
    #expect(reader.remainingCount(in: scrollback) == 1_000_000)
    let missing = reader.skipDropped(in: scrollback)
    #expect(missing == 1_000_000 - scrollback.byteCount)
    #expect(reader.skipDropped(in: scrollback) == 0)
    let rest = read(&reader, from: scrollback)
    #expect(rest.utf8.count == 1_000_000 - missing)
    #expect(reader.remainingCount(in: scrollback) == 0)
  }

  /// For any pieces and parts: what is read is what was added.
  @Test(arguments: 0..<repetitions(50))
  func theBytesAreThoseThatWereAdded(_ seed: Int) {
    var random = Generator(state: UInt64(seed))
    let scrollback = Scrollback(capacity: 1 << 20)
    var (expected, actual) = ([UInt8](), [UInt8]())
    scrollback.add([UInt8](repeating: 0x61, count: random.below(6_000)))
    var reader = ScrollbackReader(atEndOf: scrollback)
    for _ in 0..<200 {
      var piece = [UInt8](repeating: 0x63, count: random.below(20) == 0 ? 5_000 : 0)
      for _ in 0..<random.below(300) {
        piece.append(([0x61, 0x62, 0x0A, 0x0D] as [UInt8])[random.below(4)])
      }
      scrollback.add(piece)
      expected += piece
      if random.below(9) == 0 { scrollback.addMark("mark", at: 0) }
      if random.below(3) == 0 {
        reader.read(from: scrollback, upTo: random.below(500)) { line, _ in actual += line }
      }
    }
    reader.read(from: scrollback, upTo: .max) { line, _ in actual += line }
    #expect(actual == expected)
  }
}
