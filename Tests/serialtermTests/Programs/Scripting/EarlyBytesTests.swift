import Testing

@testable import serialterm

struct EarlyBytesTests {
  @Test func `The last bytes are kept, and memory is bounded`() {
    var early = EarlyBytes()
    var most = 0
    for number in 0..<100 {
      early.add([UInt8](repeating: UInt8(number), count: 65_536))
      most = max(most, early.bytes.count)
    }
    #expect(most <= 2 * EarlyBytes.capacity)
    #expect(early.bytes.count >= EarlyBytes.capacity)
    #expect(early.bytes.suffix(65_536) == [UInt8](repeating: 99, count: 65_536)[...])
  }
}
