import SystemPackage
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct ControlReplyTests {
  @Test(arguments: [
    (ControlReply.wait, "wait"), (.other, "other"),
    (.released("/dev/ttyUSB0"), "released /dev/ttyUSB0"),
    (.no("it is busy"), "no it is busy"), (.back("/dev/my board"), "back /dev/my board"),
    (.waiting("/dev/ttyUSB0"), "waiting /dev/ttyUSB0"),
  ])
  func reply_isRead_asItWasWritten(reply: ControlReply, line: String) {
    #expect(reply.line == line)
    #expect(ControlReply(line: line) == reply)
  }

  @Test(arguments: ["", "released", "no", "back", "waiting ", "wait a while", "other x", "hello"])
  func otherLine_isNoReply(line: String) {
    #expect(ControlReply(line: line) == nil)
  }

  @Test func path_cannotEndALine_norCommandATerminal() {
    #expect(ControlReply.back("/tmp/a\nb\u{1B}").line == "back /tmp/a\u{FFFD}b\u{FFFD}")
    #expect(ControlReply(line: "no \u{1B}[2J") == .no("\u{FFFD}[2J"))
  }
}
