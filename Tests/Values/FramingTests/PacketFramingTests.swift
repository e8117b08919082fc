import Framing
import Testing

@Suite("Packets of SLIP", .timeLimit(.minutes(30))) struct SLIPFramingTests {
  @Test(
    "packets as in RFC 1055",
    arguments: [
      ([], [0xC0, 0xC0]), ([0x01], [0xC0, 0x01, 0xC0]),
      ([0xC0], [0xC0, 0xDB, 0xDC, 0xC0]), ([0xDB], [0xC0, 0xDB, 0xDD, 0xC0]),
      ([0xDC, 0xDD], [0xC0, 0xDC, 0xDD, 0xC0]),
      ([0xDB, 0xDC, 0xC0], [0xC0, 0xDB, 0xDD, 0xDC, 0xDB, 0xDC, 0xC0]),
    ] as [([UInt8], [UInt8])])
  func encoding(_ packet: [UInt8], _ bytes: [UInt8]) {
    #expect(SLIPFraming().encode(packet) == bytes)
    #expect(results(of: SLIPFraming(), for: [bytes]) == (packet.isEmpty ? [] : [.success(packet)]))
  }

  @Test("END alone also ends a packet, and noise before END is a separate packet")
  func ends() {
    let bytes: [UInt8] = [0x01, 0xC0, 0x02, 0xC0, 0xC0, 0xC0, 0x7F, 0x7E, 0xC0, 0x03, 0xC0]
    #expect(
      results(of: SLIPFraming(), for: [bytes])
        == [[1], [2], [0x7F, 0x7E], [3]].map { .success($0) })
  }

  @Test("an invalid escape costs one packet")
  func damage() {
    let bytes: [UInt8] = [
      0xDB, 0x01, 0x02, 0xC0, 0x03, 0xC0, 0x04, 0xDB, 0xC0, 0xDB, 0xDB, 0xC0, 5, 0xC0, 6,
    ]
    #expect(
      results(of: SLIPFraming(), for: [bytes]) == [
        .failure(.invalidEscape), .success([3]), .failure(.invalidEscape),
        .failure(.invalidEscape), .success([5]), .failure(.unfinished),
      ])
  }

  @Test("a packet that is too long on the line is reported once")
  func limit() {
    let long = SLIPFraming().encode(Array(repeating: 0xC0, count: 3))
    let bytes = long + SLIPFraming().encode([1, 2, 3, 4, 5]) + [0xC0, 0xC0]
    #expect(
      results(of: SLIPFraming(limit: 5), for: bytes.map { [$0] })
        == [.failure(.tooLong(limit: 5)), .success([1, 2, 3, 4, 5])])
  }

  @Test("a line that is idle with END keeps nothing waiting")
  func idle() {
    var framing = SLIPFraming()
    #expect(search(&framing, [0xC0, 0xC0, 0xC0]) == .skip(length: 3))
    #expect(search(&framing, [0xC0, 0x01]) == .skip(length: 1))
  }
}

@Suite("Packets with Consistent Overhead Byte Stuffing", .timeLimit(.minutes(30)))
struct COBSFramingTests {
  private static let oneTo254 = Array(1...254) as [UInt8]

  @Test(
    "the example of the paper, and those of Wikipedia",
    arguments: [
      (
        [0x45, 0, 0, 0x2C, 0x4C, 0x79, 0, 0, 0x40, 0x06, 0x4F, 0x37],
        [2, 0x45, 1, 4, 0x2C, 0x4C, 0x79, 1, 5, 0x40, 0x06, 0x4F, 0x37]
      ),
      ([], [1]), ([0], [1, 1]), ([0, 0], [1, 1, 1]), ([0, 0x11, 0], [1, 2, 0x11, 1]),
      ([0x11, 0x22, 0, 0x33], [3, 0x11, 0x22, 2, 0x33]),
      ([0x11, 0x22, 0x33, 0x44], [5, 0x11, 0x22, 0x33, 0x44]),
      ([0x11, 0, 0, 0], [2, 0x11, 1, 1, 1]), (oneTo254, [0xFF] + oneTo254),
      ([0] + oneTo254, [1, 0xFF] + oneTo254), (oneTo254 + [0xFF], [0xFF] + oneTo254 + [2, 0xFF]),
      (Array(2...255) + [0], [0xFF] + Array(2...255) + [1, 1]),
      (Array(3...255) + [0, 1], [0xFE] + Array(3...255) + [2, 1]),
    ] as [([UInt8], [UInt8])])
  func encoding(_ packet: [UInt8], _ bytes: [UInt8]) {
    #expect(COBSFraming().encode(packet) == bytes + [0])
    #expect(results(of: COBSFraming(), for: [bytes + [0]]) == [.success(packet)])
  }

  @Test("254 bytes may also be followed by the code of an empty rest, as in the paper's algorithm")
  func phantomZero() {
    #expect(
      results(of: COBSFraming(), for: [[0xFF] + Self.oneTo254 + [1, 0]]) == [
        .success(Self.oneTo254)
      ])
  }

  @Test("a code that points beyond the end costs one packet")
  func damage() {
    let bytes: [UInt8] = [0, 0, 5, 1, 2, 3, 0, 2, 9, 0, 3, 1, 0, 1, 0, 2]
    #expect(
      results(of: COBSFraming(), for: [bytes]) == [
        .failure(.codeBeyondEnd), .success([9]), .failure(.codeBeyondEnd), .success([]),
        .failure(.unfinished),
      ])
  }

  @Test("a packet that is too long on the line is reported once")
  func limit() {
    let bytes: [UInt8] = [7, 1, 1, 1, 1, 1, 1, 0, 4, 1, 2, 3, 0, 0, 5, 1, 2, 3, 4, 0]
    #expect(
      results(of: COBSFraming(limit: 4), for: bytes.map { [$0] }) == [
        .failure(.tooLong(limit: 4)), .success([1, 2, 3]), .failure(.tooLong(limit: 4)),
      ])
  }

  @Test("a line that is idle with zeros keeps nothing waiting")
  func idle() {
    var framing = COBSFraming()
    #expect(search(&framing, [0, 0, 0]) == .skip(length: 3))
  }
}
