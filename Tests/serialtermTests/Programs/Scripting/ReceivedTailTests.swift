import Framing
import Testing
import TextStages
import Time

@testable import serialterm

/// What a device sent last, as a message shows it.
@Suite struct ReceivedTailTests {
  private func tail(_ bytes: [UInt8]) -> ReceivedTail {
    var tail = ReceivedTail()
    for byte in bytes { [byte].withUnsafeBytes { tail.add($0) } }
    return tail
  }

  private func message(_ bytes: [UInt8]) -> String { tail(bytes).message("no answer.") }

  @Test func `Nothing is said only if there was nothing`() {
    #expect(message([]) == "no answer. Nothing was received.")
    #expect(message([0x15]) == "no answer. 1 byte was received:\n  | \\x15")
    #expect(message([0x0D, 0x0A]) == "no answer. 2 bytes were received:\n  | \\x0d\\x0a")
  }

  @Test func `Text is lines, and bytes that are no text are shown as they are`() {
    #expect(
      message(Array("one\r\n\u{1B}[1mtwo\u{1B}[0m\r\n".utf8))
        == "no answer. The last lines received:\n  | one\n  | two")
    // ACK and an answer; an exception of Modbus.
    #expect(
      message([0x06] + Array("OK\r\n".utf8))
        == "no answer. 5 bytes were received:\n  | \\x06OK\\x0d\\x0a")
    #expect(
      message([0x01, 0x83, 0x02, 0xC0, 0xF1])
        == "no answer. 5 bytes were received:\n  | \\x01\\x83\\x02\\xc0\\xf1")
    #expect(message(Array("Grüße\n".utf8)) == "no answer. The last lines received:\n  | Grüße")
  }

  @Test func `Of many bytes, the last ones are shown, and all are counted`() {
    let shown = message([UInt8](repeating: 0xFF, count: 10_000))
    #expect(
      shown
        == "no answer. 10,000 bytes were received:\n  | …"
        + String(repeating: "\\xff", count: 64))
    // A little noise does not hide a text.
    let text = Array(String(repeating: "a line of a log\n", count: 20).utf8)
    #expect(message([0x00, 0xFF] + text).contains("The last lines received:"))
  }

  @Test func `Frames are shown as frames, except what was sent`() throws {
    var tail = tail([0x01, 0x83, 0x02, 0xC0, 0xF1])
    var frames: [Frame] = []
    var reader = LineFrames(try ChosenFrameForm(parsing: "modbus-rtu"), knowsDirection: true)
    let now = Moment.now
    reader.receive([0x01, 0x03, 0, 0x6B, 0, 3, 0x74, 0x17], .toDevice, at: now, into: &frames)
    reader.receive([0x01, 0x83, 0x02, 0xC0, 0xF1], .fromDevice, at: now, into: &frames)
    reader.end(into: &frames)
    #expect(frames.count == 2)
    for frame in frames { tail.add(frame, isText: false) }
    let message = tail.message("no answer.")
    #expect(message.hasPrefix("no answer. The last frames received:\n  | ←"))
    #expect(message.contains("exception"))
    #expect(tail.lines.count == 1)
  }
}
