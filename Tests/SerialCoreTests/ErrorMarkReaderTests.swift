import Posix
import SystemPackage
import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(5))) struct ErrorMarkReaderTests {
  private enum Heard: Equatable {
    case bytes([UInt8])
    case error(LineError)
  }

  private static let marked: [UInt8] = [1, 0xFF, 0, 0x41, 2, 0xFF, 0xFF, 0xFF, 0, 0]

  /// Reads pieces, and then nothing more, for the last time.
  private func read(_ pieces: [[UInt8]], stoppingAfter limit: Int = .max) throws -> [Heard] {
    var reader = ErrorMarkReader()
    var heard: [Heard] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
    defer { buffer.deallocate() }
    for piece in pieces + [[]] {
      _ = try reader.read(
        into: buffer, isLast: piece.isEmpty,
        from: { room throws(SerialError) in
          room.copyBytes(from: piece)
          return piece.isEmpty ? .wouldBlock : .bytes(piece.count)
        },
        {
          switch $0 {
          case .bytes(let bytes): heard.append(.bytes(Array(bytes)))
          case .error(let error): heard.append(.error(error))
          }
          return heard.count < limit
        })
    }
    return heard
  }

  @Test func marks_areRead_overEverySplit() throws {
    for first in 0...Self.marked.count {
      for second in first...Self.marked.count {
        let pieces = [Self.marked[..<first], Self.marked[first..<second], Self.marked[second...]]
        var (bytes, errors): ([UInt8], [Int: LineError]) = ([], [:])
        for item in try read(pieces.map(Array.init).filter { !$0.isEmpty }) {
          switch item {
          case .bytes(let more): bytes += more
          case .error(let error): errors[bytes.count] = error
          }
        }
        #expect(bytes == [1, 0x41, 2, 0xFF, 0])
        #expect(errors == [1: .damaged(0x41), 4: .breakOrDamagedZero])
      }
    }
  }

  @Test func beginningOfAMark_isData_whenNothingFollows() throws {
    #expect(try read([[1, 0xFF]]) == [.bytes([1]), .bytes([0xFF])])
    #expect(try read([[1, 0xFF], [0]]) == [.bytes([1]), .bytes([0xFF, 0])])
  }

  @Test func beginningOfAMark_isData_whenTheLastReadFails() throws {
    var reader = ErrorMarkReader()
    var heard: [UInt8] = []
    let failure = SerialError(.lost, in: "read", at: .tty("/dev/ttyTEST"))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
    defer { buffer.deallocate() }
    func take(_ input: LinkInput) -> Bool {
      if case .bytes(let bytes) = input { heard += bytes }
      return true
    }
    _ = try reader.read(
      into: buffer, isLast: false,
      from: { room throws(SerialError) in
        room[0] = 0xFF
        return .bytes(1)
      }, take)
    for isLast in [false, true] {
      #expect(throws: failure) {
        _ = try reader.read(
          into: buffer, isLast: isLast, from: { _ throws(SerialError) in throw failure }, take)
      }
      #expect(heard == (isLast ? [0xFF] : []))
    }
  }

  @Test func readerThatStops_getsNoMoreOfThePiece() throws {
    #expect(try read([Self.marked], stoppingAfter: 2) == [.bytes([1]), .error(.damaged(0x41))])
  }
}
