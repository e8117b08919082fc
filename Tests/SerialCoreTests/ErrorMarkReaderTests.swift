import Posix
import SystemPackage
import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct ErrorMarkReaderTests {
  private static let marked: [UInt8] = [1, 0xFF, 0, 0x41, 2, 0xFF, 0xFF, 0xFF, 0, 0]

  /// The bytes and the errors of reads that return these pieces. The last read returns nothing.
  private func read(_ pieces: [[UInt8]]) throws -> (bytes: [UInt8], errors: [Int: LineError]) {
    var reader = ErrorMarkReader()
    var (bytes, errors): ([UInt8], [Int: LineError]) = ([], [:])
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
    defer { buffer.deallocate() }
    for piece in pieces + [[], []] {
      let input = try reader.read(into: buffer, isLast: piece.isEmpty) { room throws(SerialError) in
        room.copyBytes(from: piece)
        return piece.isEmpty ? .wouldBlock : .bytes(piece.count)
      }
      guard case .bytes(let count, let marked) = input else { continue }
      for error in marked { errors[bytes.count + error.offset] = error.error }
      bytes += buffer[..<count]
    }
    return (bytes, errors)
  }

  @Test func marks_areRead_overEverySplit() throws {
    for first in 0...Self.marked.count {
      for second in first...Self.marked.count {
        let pieces = [Self.marked[..<first], Self.marked[first..<second], Self.marked[second...]]
        let (bytes, errors) = try read(pieces.map(Array.init).filter { !$0.isEmpty })
        #expect(bytes == [1, 0x41, 2, 0xFF, 0])
        #expect(errors == [1: .damaged(0x41), 4: .breakOrDamagedZero])
      }
    }
  }

  @Test func beginningOfAMark_isData_whenNothingFollows() throws {
    #expect(try read([[1, 0xFF]]).bytes == [1, 0xFF])
    #expect(try read([[1, 0xFF], [0]]).bytes == [1, 0xFF, 0])
  }

  @Test func beginningOfAMark_isData_whenTheLastReadFails() throws {
    var reader = ErrorMarkReader()
    let failure = SerialError(.lost, in: "read", at: .tty("/dev/ttyTEST"))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
    defer { buffer.deallocate() }
    func fail(isLast: Bool) throws(SerialError) -> LinkInput {
      try reader.read(into: buffer, isLast: isLast) { _ throws(SerialError) in throw failure }
    }
    let first = try reader.read(into: buffer, isLast: false) { room throws(SerialError) in
      room[0] = 0xFF
      return .bytes(1)
    }
    #expect(first == .bytes(0))
    #expect(throws: failure) { _ = try fail(isLast: false) }
    #expect(try fail(isLast: true) == .bytes(1) && buffer[0] == 0xFF)
    #expect(throws: failure) { _ = try fail(isLast: true) }
  }
}
