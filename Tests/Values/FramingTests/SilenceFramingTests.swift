import Framing
import Testing

@Suite("Frames that end with a silence", .timeLimit(.minutes(30))) struct SilenceFramingTests {
  @Test("nothing else ends a frame")
  func frames() {
    var buffer = FrameBuffer(.silence(.milliseconds(4)))
    #expect(buffer.framing.silence == .milliseconds(4))
    #expect(buffer.next(isEnd: true) == nil)
    buffer.append([1, 2])
    #expect(buffer.next() == nil)
    buffer.append([0, 10])
    #expect(buffer.next(isEnd: true) == .success([1, 2, 0, 10]))
    #expect(buffer.next(isEnd: true) == nil)
  }

  @Test(
    "a frame that is too long is reported once, and the silence ends it", arguments: [1, 8, 100])
  func limit(_ pieceLength: Int) {
    var buffer = FrameBuffer(.silence(.milliseconds(4), limit: 8))
    var found: Results<SilenceFraming> = []
    for _ in 0..<(200 / pieceLength) {
      buffer.append(repeatElement(1, count: pieceLength))
      while let result = buffer.next() { found.append(result) }
      #expect((1...8).contains(buffer.count), "bounded, and something for the silence to end")
    }
    #expect(found == [.failure(.tooLong(limit: 8))])
    #expect(buffer.next(isEnd: true) == nil)
    buffer.append([2, 3])
    #expect(buffer.next(isEnd: true) == .success([2, 3]))
  }

  @Test(
    "the gap of Modbus RTU",
    arguments: [
      (1_200, 32_083_333), (9_600, 4_010_416), (19_200, 2_005_208), (19_201, 1_750_000),
      (115_200, 1_750_000),
    ])
  func modbus(_ baudRate: Int, _ nanoseconds: Int) {
    let framing: SilenceFraming = .modbusRTU(baudRate: baudRate)
    #expect(framing.silence == .nanoseconds(nanoseconds))
    #expect(framing.limit == 256)
  }
}
