import Patterns
import Testing
import Time

@testable import Sessions

@Suite("The time at which the next bytes may be sent", .timeLimit(.minutes(30)))
struct PaceTests {
  private let start = MonotonicTime(nanoseconds: 0)

  /// The time of each piece in milliseconds, if the driver takes everything immediately.
  private func pieces(_ text: String, _ pace: Pace, promptAfter: Int? = nil) -> [(Int, String)] {
    var pace = pace
    var now = start
    var rest = Array(text.utf8)
    var pieces: [(Int, String)] = []
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { pace.allowance(for: $0, at: now) }
      guard count > 0 else {
        if let resumption = rest.withUnsafeBytes({ pace.resumption(for: $0) }) {
          now = resumption
        } else if let promptAfter, pace.isAwaitingPrompt {
          now = now + .milliseconds(promptAfter)
          pace.promptCame()
        } else {
          break
        }
        continue
      }
      let piece = Array(rest.prefix(count))
      _ = piece.withUnsafeBytes { pace.sent($0, at: now) }
      rest.removeFirst(count)
      pieces.append((Int(now.nanoseconds / 1_000_000), String(decoding: piece, as: UTF8.self)))
    }
    return pieces
  }

  private func pace(byte: Int = 0, line: Int = 0, prompt: Bool = false) -> Pace {
    Pace(
      byteDelay: .milliseconds(byte), lineDelay: .milliseconds(line), awaitsPrompt: prompt)
  }

  @Test("bytes are sent one by one")
  func bytes() {
    let pieces = pieces("abc", pace(byte: 5))
    #expect(pieces.map(\.0) == [0, 5, 10])
    #expect(pieces.map(\.1) == ["a", "b", "c"])
  }

  @Test("lines are sent one by one, with any line ends", arguments: ["\n", "\r", "\r\n"])
  func lines(_ end: String) {
    let pieces = pieces("one\(end)two\(end)end", pace(line: 50))
    #expect(pieces.map(\.0) == [0, 50, 100])
    #expect(pieces.map(\.1) == ["one\(end)", "two\(end)", "end"])
  }

  @Test("both delays: the longer one counts after a line")
  func both() {
    #expect(pieces("a\nb", pace(byte: 5, line: 50)).map(\.0) == [0, 5, 55])
    #expect(pieces("a\nb", pace(byte: 70, line: 50)).map(\.0) == [0, 70, 140])
  }

  @Test("the prompt is awaited after each line, and so is the delay")
  func prompt() {
    #expect(pieces("a\nb\nc", pace(prompt: true), promptAfter: 30).map(\.0) == [0, 30, 60])
    #expect(
      pieces("a\nb\nc", pace(line: 50, prompt: true), promptAfter: 30).map(\.0) == [0, 50, 100])
    #expect(pieces("a\nb", pace(prompt: true)).map(\.1) == ["a\n"])
  }

  @Test("a CRLF is one end of a line, also byte by byte")
  func lineEnds() {
    let delayed = pieces("a\r\nb", pace(byte: 5, line: 50))
    #expect(delayed.map(\.0) == [0, 5, 10, 60])
    let prompted = pieces("a\r\nb", pace(byte: 5, prompt: true), promptAfter: 30)
    #expect(prompted.map(\.0) == [0, 5, 10, 40])
    #expect(prompted.map(\.1) == ["a", "\r", "\n", "b"])
  }

  @Test("the line feed of a split CRLF belongs to the line before")
  func cutLine() {
    var pace = pace(prompt: true)
    _ = ([0x61, 0x0D] as [UInt8]).withUnsafeBytes { pace.sent($0, at: start) }
    #expect(pace.isAwaitingPrompt)
    pace.promptCame()
    #expect(Array("\nb\nc".utf8).withUnsafeBytes { pace.allowance(for: $0, at: start) } == 3)
    _ = ([0x0A] as [UInt8]).withUnsafeBytes { pace.sent($0, at: start) }
    #expect(!pace.isAwaitingPrompt)
  }

  @Test("the line that waits for its prompt is known, however it was sent", arguments: [0, 1])
  func awaitedLine(_ delay: Int) {
    var pace = pace(byte: delay, prompt: true)
    func send(_ text: String) {
      for byte in text.utf8 { [byte].withUnsafeBytes { _ = pace.sent($0, at: start) } }
    }
    send("G28 X")
    #expect(pace.awaitedLine == nil)
    send("\r\n")
    #expect(pace.awaitedLine == Pace.SentLine(number: 1, text: Array("G28 X".utf8)))
    pace.promptCame()
    send("\n")
    #expect(pace.awaitedLine == Pace.SentLine(number: 2, text: []))
    pace.promptCame()
    send(String(repeating: "x", count: 5_000) + "\n")
    #expect(pace.awaitedLine?.text.count == Pace.lineLimit)
  }

  @Test("a line that is given up is known until more is sent, and holds nothing back")
  func givenUpLine() {
    var pace = pace(prompt: true)
    Array("a\n".utf8).withUnsafeBytes { _ = pace.sent($0, at: start) }
    #expect(pace.isAwaitingPrompt)
    pace.giveUp()
    #expect(!pace.isAwaitingPrompt)
    #expect(pace.awaitedLine?.text == [0x61])
    Array("b".utf8).withUnsafeBytes {
      #expect(pace.allowance(for: $0, at: start) == 1)
      _ = pace.sent($0, at: start)
    }
    #expect(pace.awaitedLine == nil)
  }

  @Test("after lines that the device does not answer, the next one is sent at once")
  func unanswered() throws {
    let pace = Pace(
      byteDelay: .zero, lineDelay: .zero, awaitsPrompt: true,
      exceptAfter: try Pattern(parsing: #"^\s*(;.*)?$"#))
    let pieces = pieces("; one\n\n  \r\nG1\n;two\nG2\nend", pace, promptAfter: 40)
    #expect(pieces.map(\.1) == ["; one\n", "\n", "  \r\n", "G1\n", ";two\n", "G2\n", "end"])
    #expect(pieces.map(\.0) == [0, 0, 0, 0, 40, 40, 80])
  }
}
