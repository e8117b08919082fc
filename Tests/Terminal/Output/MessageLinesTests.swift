import TerminalWidgets
import Testing
import TextTools

@testable import Terminal

@Suite(.timeLimit(.minutes(30))) struct MessageLinesTests {
  private static let message =
    "serialterm: /tmp/serial/by-id/board 115200 8N1 is gone. Waiting for it to come back; ctrl-t q quits."

  @Test(arguments: [40, 80])
  func message_isBrokenAtSpaces(width: Int) {
    let lines = Self.message.messageLines(width: width)
    #expect(lines.allSatisfy { $0.displayWidth <= width })
    let words = lines.flatMap { $0.split(separator: " ") }
    #expect(words == Self.message.split(separator: " "))
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  ") && !$0.hasPrefix("   ") })
  }

  @Test func message_takesAsFewLinesAsFit() {
    #expect(
      Self.message.messageLines(width: 40) == [
        "serialterm: /tmp/serial/by-id/board",
        "  115200 8N1 is gone. Waiting for it to",
        "  come back; ctrl-t q quits.",
      ])
    #expect(Self.message.messageLines(width: 80).count == 2)
    #expect("short".messageLines(width: 40) == ["short"])
    #expect("".messageLines(width: 40) == [""])
  }

  @Test func commandInQuotes_andKeyAfterItsPrefix_areNotBroken() {
    #expect(
      "the device's port: 'kill -USR1 4711' takes it back".messageLines(width: 26) == [
        "the device's port:", "  'kill -USR1 4711' takes", "  it back",
      ])
    #expect(
      "it is lent. ctrl-t r takes it back".messageLines(width: 19) == [
        "it is lent.", "  ctrl-t r takes it", "  back",
      ])
  }

  @Test func quotationMarkThatStandsAlone_joinsNothing() {
    #expect("'twas one two".messageLines(width: 9) == ["'twas one", "  two"])
  }

  @Test func secondLineOfAMessage_keepsItsIndentation() {
    #expect("  one two three".messageLines(width: 10) == ["  one two", "    three"])
  }

  @Test func wordThatIsTooLong_isBrokenAtTheEdge() {
    #expect("abcdefgh".messageLines(width: 5) == ["abcde", "  fgh"])
  }

  @Test func fileOrPipe_getsTheMessageInOneLine() {
    #expect(Self.message.messageLines(width: nil) == [Self.message])
  }

  @Test func textToCopy_staysInOneLine() {
    let line = "    serialterm connect /dev/ttyUSB0 -b 9600 -p even --line-ending crlf"
    #expect(line.messageLines(width: 40) == [line])
  }
}
