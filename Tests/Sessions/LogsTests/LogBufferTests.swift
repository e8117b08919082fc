import SystemPackage
import Testing
import TextStages
import Time

@testable import Logs

@Suite(.timeLimit(.minutes(30))) struct LogBufferTests {
  private let bytes = [UInt8](repeating: 0x78, count: 1_000)
  private let place = LogSnapshot.Place(path: "log", file: nil)

  /// Appends a number of records of 1,000 bytes, and returns how many were taken.
  private func fill(_ buffer: LogBuffer, _ count: Int, part: Double = 1) -> Int {
    (0..<count).filter { _ in
      bytes.withUnsafeBytes {
        buffer.append(
          LogRecord(moment: sampleMoment, content: .bytes(.fromDevice, $0, by: nil)), part: part)
      }
    }.count
  }

  @Test func noMoreIsTaken_thanTheBoundAllows() throws {
    let size = 1_000 + RecordBatch.recordSize
    let buffer = try LogBuffer(at: place, capacity: 10 * size)
    #expect(fill(buffer, 20, part: 0.5) == 5)
    #expect(fill(buffer, 20) == 5)
    #expect(buffer.unwrittenCount == 10_000)
  }

  @Test func removedBytes_occupyTheirRoomUntilTheyAreWritten() throws {
    let size = 1_000 + RecordBatch.recordSize
    let buffer = try LogBuffer(at: place, capacity: 2 * size)
    #expect(fill(buffer, 3) == 2)
    var batch = RecordBatch()
    #expect(buffer.take(into: &batch, until: nil))
    #expect(fill(buffer, 1) == 0)
    buffer.didWrite(1_000, freeing: size)
    #expect(fill(buffer, 2) == 1)
    #expect(buffer.unwrittenCount == 2_000)
  }

  @Test func takingEnds_whenItIsClosedAndEmpty() throws {
    let buffer = try LogBuffer(at: place, capacity: 1 << 20)
    var batch = RecordBatch()
    #expect(buffer.take(into: &batch, until: .now + .milliseconds(1)))
    #expect(batch.isEmpty)
    buffer.close(with: [LogRecord(moment: sampleMoment, content: .gap(7))])
    #expect(buffer.take(into: &batch, until: nil))
    var gaps: [Int] = []
    batch.forEach {
      if case .gap(let count) = $0.content { gaps.append(count) }
      return true
    }
    #expect(gaps == [7])
    batch.removeAll()
    #expect(!buffer.take(into: &batch, until: nil))
  }

  @Test func finishing_isWaitedForNoLongerThanWished() throws {
    let buffer = try LogBuffer(at: place, capacity: 1)
    #expect(!buffer.waitForFinish(until: .now + .milliseconds(1)))
    buffer.finish()
    #expect(buffer.waitForFinish(until: .now))
  }
}
