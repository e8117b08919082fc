import TestSupport
import Testing
import TextTools

@testable import Sessions

/// Any lines at the control socket: a value that is parsed from them is safe to show, and can be
/// written and parsed again.
@Suite(.timeLimit(.minutes(30))) struct SessionLineInputTests {
  private static let lines = [
    "sessions", "join", "join /dev/ttyUSB0", "join %2Fdev%2FttyUSB0", "join a%20b", "join %",
    "session /dev/ttyUSB0 1764000000 connect max%20on%20pts%2F3",
    "session %2Fdev%2FttyUSB0 1764000000 serve  +127.0.0.1:4711 @127.0.0.1:4000",
    "session a 0 b c +d +e @f ?g", "release 188:0 esptool.py", "wait", "\u{1B}[2J", "",
  ]

  @Test func `Requests`() {
    var count = 0
    for line in Self.inputs(20_000) {
      guard let request = SessionRequest(line: line) else { continue }
      count += 1
      #expect(SessionRequest(line: request.line) == request, "\(line.debugDescription)")
      #expect(!request.line.utf8.contains { $0 < 0x20 }, "\(line.debugDescription)")
    }
    #expect(count > 1_000)
  }

  @Test func `Summaries`() {
    var count = 0
    for line in Self.inputs(20_000) {
      guard let summary = SessionSummary(line: line) else { continue }
      count += 1
      let texts =
        [summary.port, summary.command, summary.holder ?? ""] + summary.others + summary.addresses
      for text in texts { #expect(text == text.harmless, "\(line.debugDescription)") }
      #expect(SessionSummary(line: summary.line) == summary, "\(line.debugDescription)")
      #expect(!summary.line.utf8.contains { $0 < 0x20 }, "\(line.debugDescription)")
    }
    #expect(count > 1_000)
  }

  /// Valid lines with random faults.
  private static func inputs(_ count: Int) -> [String] {
    var random = SplitMix64(seed: 54)
    return (0..<count).map { number in
      var bytes = Array(lines[number % lines.count].utf8)
      if number % 5 == 0 { bytes += lines.randomElement(using: &random)!.utf8 }
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let byte = UInt8.random(in: 0...255, using: &random)
        let place = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes.insert(byte, at: place)
        case 1: bytes.insert(contentsOf: "%1B%0A% +@".utf8.prefix(3 * (Int(byte) % 4)), at: place)
        default: if place < bytes.count { bytes[place] = byte }
        }
      }
      return String(decoding: bytes.filter { $0 != 0x0A }, as: UTF8.self)
    }
  }
}
