import Testing

@testable import Scripting

extension ReceivedText {
  /// Searches for expressions in all that is kept.
  fileprivate mutating func look(for texts: String...) throws -> Match? {
    expressions = try texts.map { try Expression(parsing: $0) }
    return look()
  }

  fileprivate mutating func append(_ text: String) {
    Array(text.utf8).withUnsafeBytes { append($0) }
  }
}

@Suite("What was received, and the search in it", .timeLimit(.minutes(5)))
struct ReceivedTextTests {
  private func text(_ pieces: String...) -> ReceivedText {
    var text = ReceivedText()
    for piece in pieces { text.append(piece) }
    return text
  }

  @Test("a match may be cut anywhere between reads, and is used up")
  func pieces() throws {
    var text = text("boa", "rd> ", "$ ")
    #expect(try text.look(for: "board> ")?.end == 7)
    #expect(try text.look(for: "board> ") == nil)
    #expect(try text.look(for: #"\$ "#)?.end == 9, "what follows is not used up")
  }

  @Test("the search goes on where it was")
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

  @Test("groups are bytes; one that took no part is nil")
  func captures() throws {
    var text = text("temp=25.1 C\r\n")
    let match = try text.look(for: #"temp=(\d+)\.(\d)|hum=(\d+)"#)
    #expect(match?.captures == [Array("temp=25.1".utf8), Array("25".utf8), Array("1".utf8), nil])
  }

  @Test("^ is met after a line's end, $ before one; . stays within a line")
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

  @Test("what is not UTF-8 does not move what follows it")
  func illFormed() throws {
    var text = ReceivedText()
    let bytes: [UInt8] = [0xFF, 0xC3, 0x28, 0xE2, 0x82] + Array("ok ü!".utf8) + [0x00, 0xF0]
    bytes.withUnsafeBytes { text.append($0) }
    let match = try text.look(for: "(ü)!")
    #expect(match?.end == 11)
    #expect(match?.captures[1] == Array("ü".utf8))
  }

  @Test("what was forgotten does not begin a line, and is not found")
  func forgotten() throws {
    var text = text("key")
    for _ in 0..<(2 * ReceivedText.capacity) { text.append("x") }
    #expect(try text.look(for: "^x", "key") == nil)
    text.append("\nx")
    #expect(text.look()?.end == 2 * ReceivedText.capacity + 5)
  }

  @Test("a match may be longer than what is kept; its captures are then cut at the start")
  func longer() throws {
    var text = ReceivedText()
    text.expressions = [try Expression(parsing: "(<)([^>]*)>")]
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

  @Test("what is not an expression is refused, and what matches the empty text")
  func refused() {
    for text in ["(", "a[", "*", "", "x*", "^"] {
      #expect(throws: Expression.ParsingError.self) { try Expression(parsing: text) }
    }
  }

  @Test("groups are counted", arguments: [("a", 0), ("(a)(?:b)(c)", 2), ("(a)|(b)", 2)])
  func groups(_ text: String, _ count: Int) throws {
    #expect(try Expression(parsing: text).groupCount == count)
  }
}
