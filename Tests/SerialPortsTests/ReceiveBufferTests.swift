import TestSupport
import Testing
import Time

@testable import SerialPorts

@Suite(.timeLimit(.minutes(30))) struct ReceiveBufferTests {
  private var buffer = ReceiveBuffer()

  private static func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  private mutating func append(_ bytes: [UInt8], at milliseconds: Int64) {
    bytes.withUnsafeBytes { buffer.append($0, at: Self.time(milliseconds)) }
  }

  private func front(_ silence: Duration? = nil) -> [Int] {
    let (count, isEnded) = buffer.front(endedBy: silence)
    return [count, isEnded ? 1 : 0]
  }

  @Test mutating func silence_endsTheFront() {
    append([1, 2], at: 0)
    append([3], at: 5)
    append([4], at: 25)
    #expect(front() == [4, 0])
    #expect(front(.milliseconds(10)) == [3, 1])
    #expect(front(.milliseconds(5)) == [2, 1])
    #expect(front(.milliseconds(21)) == [4, 0])
    buffer.removeFirst(1)
    #expect(front(.milliseconds(10)) == [2, 1])
    buffer.removeFirst(2)
    #expect(front(.milliseconds(10)) == [1, 0])
    #expect(buffer.lastArrival == Self.time(25))
  }

  @Test mutating func piecesWithoutASilence_areOne() {
    for number in 0..<100 {
      [UInt8(number)].withUnsafeBytes {
        buffer.append($0, at: MonotonicTime(nanoseconds: Int64(number) * 249_999))
      }
    }
    #expect(front(.nanoseconds(1)) == [100, 0])
  }

  @Test mutating func cut_endsTheFront_whateverFollows() {
    buffer.cut()
    append([1], at: 0)
    buffer.cut()
    #expect(front() == [1, 1])
    append([2, 3], at: 0)
    #expect(front() == [1, 1])
    buffer.removeFirst(1)
    #expect(front() == [2, 0])
  }

  @Test mutating func bytes_areThoseThatWereAppended_inOrder() {
    var random = SplitMix64(seed: 1)
    var (appended, taken): (UInt64, UInt64) = (0, 0)
    for step in 0..<10_000 {
      let piece = (0..<Int.random(in: 0...20, using: &random)).map { offset in
        UInt8(truncatingIfNeeded: appended + UInt64(offset))
      }
      append(piece, at: Int64(step))
      appended += UInt64(piece.count)
      let count = Int.random(in: 0...min(buffer.count, 25), using: &random)
      buffer.withFirst(count) { bytes in
        for offset in 0..<count {
          let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
          #expect(byte == UInt8(truncatingIfNeeded: taken + UInt64(offset)))
        }
      }
      buffer.removeFirst(count)
      taken += UInt64(count)
      #expect(buffer.count == Int(appended - taken))
    }
  }
}
