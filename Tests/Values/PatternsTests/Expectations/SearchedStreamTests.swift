import Patterns
import Testing

@Suite("A searched stream", .timeLimit(.minutes(30)))
struct SearchedStreamTests {
  /// The pieces that a stream passes on, and the positions of its matches, until
  /// nothing more arrives.
  private func events(_ stream: inout SearchedStream) -> [String] {
    var events: [String] = []
    while let event = stream.next() {
      switch event {
      case .passed(let bytes): events.append(String(decoding: bytes, as: UTF8.self))
      case .matched(let match): events.append("\(match.index) at \(match.end)")
      }
    }
    return events
  }

  @Test("bytes are passed on up to a match; the others wait for the next patterns")
  func matches() throws {
    var stream = SearchedStream()
    stream.patterns = [.text("login: "), .text("# ")]
    stream.add("Linux\nlog".utf8)
    #expect(events(&stream) == ["Linux\nlog"])
    stream.add("in: root\n# ls".utf8)
    #expect(events(&stream) == ["in: ", "0 at 13", "root\n# ", "1 at 20", "ls"])
  }

  @Test("patterns that are set after a match are searched for in the rest")
  func patterns() {
    var stream = SearchedStream()
    stream.patterns = [.text("a")]
    stream.add("xaybz".utf8)
    #expect(stream.next() == .passed(Array("xa".utf8)))
    guard case .matched = stream.next() else { return #expect(Bool(false), "no match") }
    stream.patterns = []
    #expect(stream.next() == nil)
    stream.patterns = [.text("b")]
    #expect(events(&stream) == ["yb", "0 at 4", "z"])
  }

  @Test("without patterns everything is passed on, and later patterns still find it")
  func laterPatterns() {
    var stream = SearchedStream()
    stream.add("ok".utf8)
    #expect(events(&stream) == ["ok"])
    stream.patterns = [.text("ok")]
    #expect(events(&stream) == ["0 at 2"])
  }

  @Test("at the end everything is passed on, except discarded bytes")
  func ends() {
    var stream = SearchedStream()
    stream.patterns = [.text("a")]
    stream.add("xay".utf8)
    _ = stream.next()
    _ = stream.next()
    stream.patterns = []
    stream.flush()
    #expect(events(&stream) == ["y"])
    stream.add("z".utf8)
    stream.clear()
    stream.flush()
    #expect(events(&stream) == [])
  }
}
