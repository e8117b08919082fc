import TestSupport
import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct ErrorMarkDecoderTests {
  /// The events of an observer; each byte is a separate event.
  private enum Heard: Hashable {
    case byte(UInt8)
    case error(LineError)
  }

  /// Decodes the bytes of several reads, as a session does.
  private func decode(_ reads: [ArraySlice<UInt8>]) -> (heard: [Heard], unfinished: [UInt8]) {
    var heard: [Heard] = []
    var buffer: [UInt8] = []
    for read in reads {
      buffer += read
      buffer = buffer.withUnsafeMutableBytes { bytes in
        var decoder = ErrorMarkDecoder(bytes)
        while let piece = decoder.next() {
          switch piece {
          case .bytes(let range): heard += bytes[range].map(Heard.byte)
          case .error(let error): heard.append(.error(error))
          }
        }
        return Array(bytes[decoder.unfinished])
      }
    }
    return (heard, buffer)
  }

  private static let examples: [([UInt8], [Heard])] = [
    ([], []),
    ([1, 2, 3], [.byte(1), .byte(2), .byte(3)]),
    ([0xFF, 0xFF], [.byte(0xFF)]),
    ([0xFF, 0xFF, 0, 5], [.byte(0xFF), .byte(0), .byte(5)]),
    ([0xFF, 0xFF, 0xFF, 0xFF], [.byte(0xFF), .byte(0xFF)]),
    ([0xFF, 0, 0x41], [.error(.damaged(0x41)), .byte(0x41)]),
    ([0xFF, 0, 0], [.error(.breakOrDamagedZero), .byte(0)]),
    // The byte with the error is not doubled, and does not begin a mark.
    ([0xFF, 0, 0xFF, 1], [.error(.damaged(0xFF)), .byte(0xFF), .byte(1)]),
    (
      [1, 0xFF, 0, 0, 0xFF, 0xFF, 0xFF, 0, 7, 2],
      [
        .byte(1), .error(.breakOrDamagedZero), .byte(0), .byte(0xFF), .error(.damaged(7)), .byte(7),
        .byte(2),
      ]
    ),
    // Received before marks were enabled.
    ([0xFF, 7, 8], [.byte(0xFF), .byte(7), .byte(8)]),
  ]

  @Test(arguments: examples.indices) func marks_areTakenOut_overEverySplit(index: Int) {
    let (bytes, expected) = Self.examples[index]
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let (heard, unfinished) = decode([bytes[..<first], bytes[first..<second], bytes[second...]])
        #expect(heard == expected)
        #expect(unfinished.isEmpty)
      }
    }
    let singly = decode(bytes.indices.map { bytes[$0...$0] })
    #expect(singly.heard == expected)
  }

  @Test(arguments: [[0xFF], [0xFF, 0]] as [[UInt8]])
  func beginningOfAMark_isLeft(bytes: [UInt8]) {
    let (heard, unfinished) = decode([[1] + bytes])
    #expect(heard == [.byte(1)])
    #expect(unfinished == bytes)
  }

  @Test func marksOfTheKernel_areReadBackExactly() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<500 {
      var marked: [UInt8] = []
      var expected: [Heard] = []
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        let byte: UInt8 = [0, 0xFF, 1, .random(in: 0...255, using: &random)]
          .randomElement(using: &random)!
        if Bool.random(using: &random) {
          marked += [0xFF, 0, byte]
          expected += [.error(byte == 0 ? .breakOrDamagedZero : .damaged(byte)), .byte(byte)]
        } else {
          marked += byte == 0xFF ? [0xFF, 0xFF] : [byte]
          expected.append(.byte(byte))
        }
      }
      let split = Int.random(in: 0...marked.count, using: &random)
      #expect(decode([marked[..<split], marked[split...]]).heard == expected)
    }
  }
}
