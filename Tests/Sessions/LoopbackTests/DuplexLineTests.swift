import EventLoop
import func TestSupport.difference
import Testing

@testable import Loopback

@Suite(.timeLimit(.minutes(30))) struct DuplexLineTests {
  private let loop: IOLoop
  private let left = MemoryEnd()

  init() throws { loop = try IOLoop() }

  /// Connects the end in memory to another end.
  private func line(to right: any WireEnd) -> DuplexLine {
    DuplexLine(from: left, to: right, options: LoopbackOptions(), on: loop) { _ in }
  }

  @Test func deviceThatHasSentALot_isReadCompletely_thoughNoEventReportsIt() throws {
    let line = line(to: DeviceEnd(Chatterbox(count: 50_000, atOnce: true)))
    try run(loop) { left.written.count >= 200_000 }
    #expect(difference(left.written, from: Chatterbox.words(0..<50_000)) == nil)
    try runUntilIdle(loop)
    withExtendedLifetime(line) {}
  }

  @Test func inputThatTheDeviceHadNoRoomFor_isHandedOver_thoughNoEventTellsOfIt() throws {
    let bytes = pattern(300_000)
    left.unread = bytes[...]
    let line = line(to: DeviceEnd(EchoDevice()))
    try run(loop) { left.written.count >= bytes.count }
    #expect(difference(left.written, from: bytes) == nil)
    try runUntilIdle(loop)
    withExtendedLifetime(line) {}
  }

  @Test func lineWithNothingToDo_isIdle() throws {
    let line = line(to: MemoryEnd())
    try runUntilIdle(loop)
    #expect(line.bufferedByteCount == 0)
  }
}
