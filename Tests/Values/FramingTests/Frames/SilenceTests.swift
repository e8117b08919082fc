import Framing
import Testing
import TextStages
import Time

/// What a silence means for frames whose length is counted, and for lines.
@Suite struct SilenceTests {
  /// The frames of pieces that are received at times in milliseconds, up to the end.
  private func frames(_ pieces: [(UInt64, [UInt8])], _ form: String) -> [[UInt8]] {
    var (reader, found) = (reader(form), [Frame]())
    for (time, bytes) in pieces { reader.receive(bytes, at: .at(time), into: &found) }
    reader.end(into: &found)
    #expect(found.flatMap(\.bytes) == pieces.flatMap(\.1))
    return found.map(\.bytes)
  }

  private let text = Array("DEBUG | radio: tx done\r\n".utf8)
  private let packet: [UInt8] = [0x94, 0xC3, 0, 2, 7, 8]

  @Test func textBetweenFramesCostsNoFrame() {
    #expect(
      frames([(0, text), (100, packet), (150, packet)], "length:u16be@2") == [text, packet, packet])
    // A length that is impossible.
    let huge = Array("hello\r\n".utf8)
    let frame: [UInt8] = [0, 0, 0, 1, 5]
    #expect(
      frames([(0, huge), (100, frame), (101, frame)], "length:u32be")
        == [Array("hell".utf8), Array("o\r\n".utf8), frame, frame])
    #expect(frames([(0, [1]), (100, [2, 3])], "fixed:2") == [[1], [2, 3]])
  }

  @Test func withoutASilenceAFrameIsWaitedFor() {
    #expect(frames([(0, [1]), (99, [2, 3, 4])], "fixed:2") == [[1, 2], [3, 4]])
    #expect(frames([(0, [2, 0]), (99, [9])], "length:u8") == [[2, 0, 9]])
  }

  @Test func theRestOfAFrameMayComeAfterAStopOfTheProgram() {
    #expect(
      frames([(0, [4, 1, 2]), (500, [9, 8, 1, 5])], "length:u8") == [[4, 1, 2, 9, 8], [1, 5]])
    #expect(
      frames([(0, [1, 2]), (500, [3, 4, 5, 6, 7, 8])], "fixed:4") == [[1, 2, 3, 4], [5, 6, 7, 8]])
    #expect(frames([(0, Array("a\r".utf8)), (500, [10])], "lines") == [Array("a\r\n".utf8)])
    #expect(
      frames([(0, Array("a\r".utf8)), (500, Array("\nb\n".utf8))], "lines")
        == [Array("a\r".utf8), Array("\nb\n".utf8)])
  }

  @Test func aReturnWaitsForItsLineFeedOnly() {
    var (reader, found) = (reader("lines"), [Frame]())
    reader.receive(Array("> ".utf8), at: .at(0), into: &found)
    #expect(reader.deadline == nil)
    reader.receive(Array("a\r".utf8), at: .at(500), into: &found)
    #expect(found.isEmpty && reader.deadline == MonotonicTime(nanoseconds: 550_000_000))
    reader.receive([0x0A], at: .at(510), into: &found)
    #expect(found.map(\.bytes) == [Array("> a\r\n".utf8)])
    #expect(found.map(\.content) == [Array("> a".utf8)])
    reader.receive(Array("b\r".utf8), at: .at(520), into: &found)
    reader.receive(Array("c".utf8), at: .at(530), into: &found)
    #expect(found.map(\.content) == [Array("> a".utf8), Array("b".utf8)])
    #expect(reader.deadline == nil)
  }

  @Test func theEndOfALine() {
    let found = FramingTests.frames(
      of: Array("a\r\nb\n\rc\r\r\nd\re\r\rf\n\nÿ\n".utf8), "lines")
    #expect(
      found.map { String(decoding: $0.content, as: UTF8.self) }
        == ["a", "b", "c", "d", "e", "f", "", "ÿ"])
    #expect(FramingTests.frames(of: [0xFF, 0xFE, 0x0A], "lines").map(\.content) == [[0xFF, 0xFE]])
  }

  @Test func linesAndReturnsWithoutEndHaveALimit() {
    let long = [UInt8](repeating: 0x61, count: 200_000) + [0x0A] + Array("next\n".utf8)
    let found = FramingTests.frames(of: long, "lines")
    #expect(found.flatMap(\.bytes) == long)
    #expect(found.last?.content == Array("next".utf8))
    let ended = [UInt8](repeating: 0x61, count: 70_000) + Array("\r\nnext\n".utf8)
    #expect(
      FramingTests.frames(of: ended, "lines").map(\.decoded.check)
        == [.bad("a frame is longer than 65536 bytes"), .stray, .none])
    for form in ["lines", "slip", "cobs"] {
      var (reader, found) = (reader(form), [Frame]())
      let delimiter: UInt8 = form == "lines" ? 0x0D : form == "slip" ? 0xC0 : 0
      for _ in 0..<100 {
        reader.receive([UInt8](repeating: delimiter, count: 1_000), at: .at(0), into: &found)
      }
      #expect(reader.waitingCount <= 8_192)
      reader.end(into: &found)
      #expect(found.flatMap(\.bytes).count == 100_000)
    }
  }

  @Test(arguments: [
    "sync:0003,cobs", "sync:c001,slip", "sync:0a24,lines", "sync:0d0a,delimiter:0d0a",
  ])
  func theStartOfAFrameMayComeAlone(_ form: String) {
    let stream: [UInt8] = [
      0, 3, 1, 2, 0, 0xC0, 1, 2, 3, 0xC0, 10, 0x24, 0x61, 10, 13, 10, 0x61, 13, 10,
    ]
    let whole = FramingTests.frames(of: stream, form)
    for cut in stream.indices {
      var (reader, found) = (reader(form), [Frame]())
      reader.receive(stream[..<cut], at: .at(0), into: &found)
      reader.receive(stream[cut...], at: .at(1), into: &found)
      reader.end(into: &found)
      #expect(found.map(\.content) == whole.map(\.content), "cut at \(cut)")
      #expect(found.flatMap(\.bytes) == stream)
    }
  }

  @Test func textBetweenFramesIsTogetherWithoutASilenceOfTheForm() {
    var (reader, found) = (reader("sync:24,lines"), [Frame]())
    for (index, byte) in Array("log $a\n".utf8).enumerated() {
      reader.receive([byte], at: .at(UInt64(index)), into: &found)
    }
    #expect(found.map(\.bytes) == [Array("log ".utf8), Array("$a\n".utf8)])
    reader.receive([1], at: .at(100), into: &found)
    #expect(reader.deadline == MonotonicTime(nanoseconds: 150_000_000))
  }

  @Test func aSentenceThatEndsWithAReturnWaitsForNoOther() {
    var (reader, found) = (reader("nmea"), [Frame]())
    reader.receive(Array("$GPHDT,1.5".utf8), at: .at(0), into: &found)
    #expect(reader.deadline == nil)
    reader.receive(Array(",T\r".utf8), at: .at(1), into: &found)
    #expect(reader.deadline == MonotonicTime(nanoseconds: 51_000_000))
  }

  @Test func aFrameIsFoundByItsFirstBytes() {
    let form = "sync:94c3,length:u16be@2"
    #expect(frames([(0, text + packet + text + packet)], form) == [text, packet, text, packet])
    // A wrong length costs one frame, although no silence follows.
    let wrong: [UInt8] = [0x94, 0xC3, 0xFF, 0xFF]
    #expect(
      frames([(0, packet + wrong + text), (100, packet)], form)
        == [packet, wrong + text, packet])
    #expect(
      frames([(0, wrong + text + packet), (100, packet)], form) == [wrong + text, packet, packet])
    #expect(
      frames([(0, Array("x$a\ny$b\n".utf8))], "sync:24,lines")
        == [Array("x".utf8), Array("$a\n".utf8), Array("y".utf8), Array("$b\n".utf8)])
  }
}
