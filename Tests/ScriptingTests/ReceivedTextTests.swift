import Testing

@testable import Scripting

@Suite("What was received, and is looked through", .timeLimit(.minutes(5)))
struct ReceivedTextTests {
  private func text(_ pieces: String...) -> ReceivedText {
    var text = ReceivedText()
    for piece in pieces { Array(piece.utf8).withUnsafeBytes { text.append($0) } }
    return text
  }

  private func expression(_ text: String) throws -> Expression { try Expression(parsing: text) }

  @Test("a match may be cut anywhere between reads")
  func pieces() throws {
    var text = text("boa", "rd> ", "$ ")
    #expect(text.look(for: [try expression("board> ")])?.end == 7)
    #expect(text.look(for: [try expression("board> ")]) == nil, "it is used up")
    #expect(text.look(for: [try expression(#"\$ "#)])?.end == 9, "what follows is not")
  }

  @Test("what comes while somebody looks is there for the next look")
  func meanwhile() throws {
    var text = text("one two")
    let window = text.takeWindow()
    Array(" three".utf8).withUnsafeBytes { text.append($0) }
    let match = try #require(window.firstMatch(of: [try expression("two|three")]))
    #expect(match.end == 7)
    text.useUp(through: match.end)
    #expect(text.look(for: [try expression("one|two")]) == nil)
    #expect(text.look(for: [try expression("^ three")])?.end == 13)
  }

  @Test("the first match in the text counts, then the first expression")
  func order() throws {
    var text = text("ok error ok")
    let expressions = [try expression("error"), try expression("ok"), try expression("o")]
    #expect(text.look(for: expressions)?.index == 1)
    #expect(text.look(for: expressions)?.index == 0)
  }

  @Test("groups are bytes; one that took no part is nil")
  func captures() throws {
    var text = text("temp=25.1 C\r\n")
    let match = text.look(for: [try expression(#"temp=(\d+)\.(\d)|hum=(\d+)"#)])
    #expect(match?.captures == [Array("temp=25.1".utf8), Array("25".utf8), Array("1".utf8), nil])
  }

  @Test("^ stands behind a line's end, $ in front of one; . stays within a line")
  func anchors() throws {
    for end in ["\r", "\n", "\r\n"] {
      var text = text("one\(end)two\(end)")
      #expect(text.look(for: [try expression("e.t")]) == nil)
      #expect(text.look(for: [try expression("^two$")])?.end == 6 + end.utf8.count)
    }
  }

  @Test("a carriage return is found in front of a line feed")
  func carriageReturn() throws {
    var text = text("ready\r\n")
    #expect(text.look(for: [try expression(#"ready\r"#)])?.end == 6)
  }

  @Test("bytes that are no UTF-8 do not move what stands behind them")
  func illFormed() throws {
    var text = ReceivedText()
    let bytes: [UInt8] = [0xFF, 0xC3, 0x28, 0xE2, 0x82] + Array("ok ü!".utf8) + [0x00, 0xF0]
    bytes.withUnsafeBytes { text.append($0) }
    let match = text.look(for: [try expression("(ü)!")])
    #expect(match?.end == 11)
    #expect(match?.captures[1] == Array("ü".utf8))
  }

  @Test("a match as long as is promised is found, though what is kept begins with a line")
  func windowOfLines() throws {
    var text = ReceivedText()
    let expression = try expression("(?s)<.*>")
    let long = "<" + String(repeating: "-\n", count: ReceivedText.longestMatch / 2 - 1) + ">"
    // A look comes in front of its last byte, and the next one as late as can be.
    let before = String(repeating: ".", count: 4 * ReceivedText.step + 1 - long.utf8.count)
    let stream = Array((before + long + String(repeating: ".", count: ReceivedText.step)).utf8)
    var found = false
    for byte in stream {
      withUnsafeBytes(of: byte) { text.append($0) }
      if text.isLookDue, text.look(for: [expression]) != nil { found = true }
    }
    #expect(found)
  }

  @Test("a match as long as is promised is found wherever it lies")
  func window() throws {
    var text = ReceivedText()
    let expression = try expression("(?s)<.*>")
    let filler = [UInt8](repeating: 0x2E, count: 1_000)
    let long = [0x3C] + [UInt8](repeating: 0x2D, count: ReceivedText.longestMatch - 2) + [0x3E]
    var found = false
    for stream in [filler + long, Array(repeating: filler, count: 40).flatMap(\.self) + long] {
      var rest = stream[...]
      while !rest.isEmpty {
        let piece = rest.prefix(min(97, text.roomBeforeLook))
        piece.withUnsafeBytes { text.append($0) }
        rest = rest.dropFirst(piece.count)
        if text.isLookDue { found = text.look(for: [expression]) != nil }
      }
      found = found || text.look(for: [expression]) != nil
      #expect(found)
      text.clear()
      found = false
    }
  }

  @Test("what is no expression is refused, and what nothing at all would meet")
  func refused() {
    for text in ["(", "a[", "*", "", "x*", "^"] {
      #expect(throws: Expression.ParsingError.self) { try Expression(parsing: text) }
    }
  }

  @Test("groups are counted", arguments: [("a", 0), ("(a)(?:b)(c)", 2), ("(a)|(b)", 2)])
  func groups(_ text: String, _ count: Int) throws {
    #expect(try expression(text).groupCount == count)
  }
}
