import Testing
import Time

@testable import Loopback

@Suite(.timeLimit(.minutes(30))) struct DeviceOutputTests {
  @Test func limit_isSoft_andReported() {
    var output = DeviceOutput(capacity: 4)
    #expect(output.isEmpty && !output.isFull && output.room == 4)
    output.append("abc")
    #expect(!output.isEmpty && !output.isFull && output.room == 1)
    output.append("def")
    #expect(output.isFull && output.room == 0)
    #expect(output.bytes == Array("abcdef".utf8))
  }

  @Test func take_bringsTheBytesInOrder_inAnyPieces() {
    var output = DeviceOutput()
    output.append("abcdefg")
    var buffer = [UInt8](repeating: 0, count: 3)
    var taken: [[UInt8]] = []
    while !output.isEmpty {
      let count = buffer.withUnsafeMutableBytes { output.read(into: $0) }
      taken.append(Array(buffer[..<count]))
    }
    #expect(taken == [Array("abc".utf8), Array("def".utf8), Array("g".utf8)])
  }

  @Test func echo_takesNoMoreThanItCanSendBack() {
    var (device, output) = (EchoDevice(), DeviceOutput(capacity: 4))
    let bytes: [UInt8] = [1, 2, 3]
    let now = MonotonicTime(nanoseconds: 0)
    #expect(device.receive(bytes.span, at: now, output: &output) == 3)
    #expect(device.receive(bytes.span, at: now, output: &output) == 1)
    #expect(output.bytes == [1, 2, 3, 1])
    #expect(device.receive(bytes.span, at: now, output: &output) == 0)
  }
}
