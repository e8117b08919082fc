import TestSupport
import Testing

@testable import Patterns

extension ReceivedText {
  /// Searches for expressions in the kept text.
  fileprivate mutating func look(for texts: String...) throws -> Match? {
    patterns = try texts.map { try .regex($0) }
    return look()
  }

  fileprivate mutating func append(_ text: String) { append(text.utf8) }
}

@Suite("The search in received text", .timeLimit(.minutes(30)))
struct ReceivedTextTests {
  private func text(_ pieces: String...) -> ReceivedText {
    var text = ReceivedText()
    for piece in pieces { text.append(piece) }
    return text
  }

  @Test("a match may be split anywhere between reads, and is removed")
  func pieces() throws {
    var text = text("boa", "rd> ", "$ ")
    #expect(try text.look(for: "board> ")?.end == 7)
    #expect(try text.look(for: "board> ") == nil)
    #expect(try text.look(for: #"\$ "#)?.end == 9, "what follows is not used up")
  }

  @Test("the search continues where it stopped")
  func increments() throws {
    var text = text("boa")
    #expect(try text.look(for: "board> |nothing") == nil)
    text.append("rd")
    #expect(text.look() == nil)
    text.append("> x")
    #expect(text.look()?.end == 7)
    text.append("board> ")
    #expect(text.look()?.end == 15)
    #expect(text.look() == nil)
  }

  @Test("the first match in the text counts, then the first expression")
  func order() throws {
    var text = text("ok error ok")
    #expect(try text.look(for: "error", "ok", "o")?.index == 1)
    #expect(text.look()?.index == 0)
    #expect(text.look()?.index == 1)
  }

  @Test("groups are bytes; a group that did not participate is nil")
  func captures() throws {
    var text = text("temp=25.1 C\r\n")
    let match = try text.look(for: #"temp=(\d+)\.(\d)|hum=(\d+)"#)
    #expect(match?.captures == [Array("temp=25.1".utf8), Array("25".utf8), Array("1".utf8), nil])
  }

  @Test("^ matches after a line's end, $ before one; . stays within a line")
  func anchors() throws {
    for end in ["\r", "\n", "\r\n"] {
      var text = text("one\(end)two\(end)")
      #expect(try text.look(for: "e.t") == nil)
      #expect(try text.look(for: "^two$")?.end == 6 + end.utf8.count)
    }
    var text = text("one two")
    #expect(try text.look(for: "one|^x")?.end == 3)
    #expect(try text.look(for: "^ two$")?.end == 7, "^ is met where the last match ended")
  }

  @Test("invalid UTF-8 does not shift the next bytes")
  func illFormed() throws {
    var text = ReceivedText()
    let bytes: [UInt8] = [0xFF, 0xC3, 0x28, 0xE2, 0x82] + Array("ok ü!".utf8) + [0x00, 0xF0]
    text.append(bytes)
    let match = try text.look(for: "(ü)!")
    #expect(match?.end == 11)
    #expect(match?.captures[1] == Array("ü".utf8))
  }

  @Test("discarded bytes do not begin a line, and are not found")
  func forgotten() throws {
    var text = text("key")
    for _ in 0..<(2 * ReceivedText.capacity) { text.append("x") }
    #expect(try text.look(for: "^x", "key") == nil)
    text.append("\nx")
    #expect(text.look()?.end == 2 * ReceivedText.capacity + 5)
  }

  @Test("a match may be longer than the kept text; its captures then lack their start")
  func longer() throws {
    var text = ReceivedText(expecting: [try .regex("(<)([^>]*)>")])
    text.append("<")
    let count = 4 * ReceivedText.capacity
    for _ in 0..<(count / 1_024) {
      text.append(String(repeating: "-", count: 1_024))
      #expect(text.look() == nil)
    }
    text.append(">")
    let found = text.look()
    let match = try #require(found)
    #expect(match.end == count + 2)
    #expect(match.captures[1] == [])
    let kept = try #require(match.captures[2])
    #expect((ReceivedText.capacity..<(2 * ReceivedText.capacity)).contains(kept.count))
  }

  @Test("a match has the text before it, and its groups as strings")
  func match() throws {
    var text = text("Linux 6.1\r\nlogin: ")
    var match = try text.look(for: "login: ")
    #expect(match?.before == Array("Linux 6.1\r\n".utf8))
    #expect(match?.text() == "login: ")
    text.append([0x62, 0xFF, 0x3D, 0x31])
    match = try text.look(for: #"(\S+)=(\d)|(no)"#)
    #expect(match?.before == [])
    #expect(match?.text(1) == "b\u{1A}", "a byte that is not UTF-8 is a character of its own")
    #expect(match?.text(2) == "1")
    #expect(match?.text(3) == nil)
  }

  @Test("a text is found wherever it is split, and competes with expressions")
  func literals() throws {
    var text = ReceivedText(expecting: [
      .text("a.b"), try .regex("ab+"), .text("ü"), .bytes([0xFF, 0x00]),
    ])
    text.append("aab a.b \u{FC}")
    #expect(text.look()?.index == 1)
    let match = text.look()
    #expect(match?.index == 0)
    #expect(match?.captures == [Array("a.b".utf8)])
    #expect(match?.before == [0x20])
    #expect(match?.end == 7)
    #expect(text.look()?.index == 2)
    text.append([0xFF])
    #expect(text.look() == nil)
    text.append([0x00])
    #expect(text.look()?.end == 12)
  }

  @Test("a repetitive text is found where a plain comparison finds it")
  func repetitions() {
    var random = SplitMix64(seed: 1)
    func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
      (0..<Int.random(in: count, using: &random)).map { _ in
        UInt8.random(in: 0x61...0x62, using: &random)
      }
    }
    for _ in 0..<1_000 {
      let (literal, stream) = (bytes(1...7), bytes(0...60))
      let place = (0...stream.count).first { stream[$0...].starts(with: literal) }
      var text = ReceivedText(expecting: [.bytes(literal)])
      var end: Int?
      for byte in stream where end == nil {
        text.append([byte])
        end = text.look()?.end
      }
      #expect(end == place.map { $0 + literal.count }, "\(literal) in \(stream)")
    }
  }

  @Test("new bytes are searched step by step, and those after a match stay")
  func manyMatches() {
    var text = ReceivedText(expecting: [.text("never"), .text("\n")])
    let count = 4 * ReceivedText.capacity
    text.append(repeatElement(0x0A, count: count / 1_024))
    text.append(repeatElement(0x20, count: count))
    text.append([0x0A])
    for end in 1...(count / 1_024) { #expect(text.look()?.end == end) }
    let match = text.look()
    #expect(match?.end == count / 1_024 + count + 1)
    #expect(match.map { (ReceivedText.capacity...count).contains($0.before.count) } == true)
    #expect(text.look() == nil)
  }
}
