import Testing

@testable import Telnet

@Suite(.timeLimit(.minutes(30))) struct SearchTests {
  @Test func `The first of two bytes is found at every place, among every other byte`() {
    for length in 0...40 {
      for place in 0..<length {
        for start in 0...place {
          for (found, other) in [(UInt8(0xFF), UInt8(0x0D)), (0x0D, 0xFF), (0xFF, 0xFF)] {
            var bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 0x80) }
            for index in bytes.indices where bytes[index] == 0xFF || bytes[index] == 0x0D {
              bytes[index] = 0xFE
            }
            bytes[place] = found
            if place > 0, start == place { bytes[place - 1] = found }
            let answer = bytes.withUnsafeBytes { $0.firstPlace(of: found, other, from: start) }
            #expect(answer == place)
          }
        }
      }
    }
    let none = [UInt8](0...0xFE).filter { $0 != 0x0D }
    #expect(none.withUnsafeBytes { $0.firstPlace(of: 0xFF, 0x0D, from: 3) } == none.count)
  }
}
