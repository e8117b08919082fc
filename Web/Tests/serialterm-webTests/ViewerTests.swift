import NIOCore
import Subprocess
import Testing

@testable import serialterm_web

struct ViewerTests {
  private func end(_ status: TerminationStatus, _ reason: String? = nil) -> Viewer.End {
    Viewer.End(reason: reason, status: status)
  }

  @Test func theReasonIsTheSessionsOrAFixedText() {
    #expect(end(.exited(0), "the device is gone") == .ended("the device is gone"))
    #expect(end(.exited(6), "the device is gone") == .ended("the device is gone"))
    #expect(end(.exited(0)) == .ended("the session has ended"))
    #expect(end(.exited(3)) == .missing)
    #expect(end(.exited(6)) == .killed)
    for status in [TerminationStatus.exited(1), .exited(127), .signaled(9)] {
      #expect(end(status) == .failed)
    }
  }
}

struct SessionEventTests {
  private func parse(_ text: String) -> SessionEvent? { SessionEvent(ByteBuffer(string: text)) }

  @Test func answersAndTheEndAreNoted() {
    #expect(parse(#"{"event":"done","id":7}"#) == .answered(id: .number(7)))
    #expect(
      parse(#"{"event":"failed","id":"a","reason":"x"}"#) == .answered(id: .text("a")))
    #expect(parse(#"{"event":"ended","reason":"x"}"#) == .ended(reason: "x"))
  }

  @Test(arguments: [
    "", "{}", #"{"event":"done"}"#, #"{"event":"done","id":null}"#, #"{"event":"ended"}"#,
    #"{"event":"received","text":"{\"event\":\"ended\",\"reason\":\"x\"}"}"#, #"{"event":"done","#,
    #"{"event":"donee","id":1}"#,
  ])
  func nothingElseIs(line: String) { #expect(parse(line) == nil) }
}

struct LogTests {
  @Test func aLineOfTheLogIsPlainText() {
    #expect(Log.cleaned("a\u{1b}[2Jb\r\nc\u{202e}µ") == "a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}c\u{FFFD}µ")
    #expect(Log.cleaned(String(repeating: "x", count: 1_000)).count == Log.longestLine + 1)
  }
}
