import Framing
import Testing

@Suite("Frames of a fixed length", .timeLimit(.minutes(30))) struct FixedLengthFramingTests {
  @Test("they follow each other, and an incomplete one at the end is damage")
  func frames() {
    #expect(
      results(of: FixedLengthFraming(3), for: [[1], [2, 3, 4], [5, 6, 7]])
        == [.success([1, 2, 3]), .success([4, 5, 6]), .failure(.unfinished)])
  }

  @Test("after a silence, a new frame begins")
  func silence() {
    var buffer = FrameBuffer(.fixedLength(3, silence: .milliseconds(5)))
    #expect(buffer.framing.silence == .milliseconds(5))
    buffer.append([1, 2, 3, 4])
    #expect(buffer.next() == .success([1, 2, 3]))
    #expect(buffer.next(isEnd: true) == .failure(.unfinished))
    buffer.append([5, 6, 7])
    #expect(buffer.next() == .success([5, 6, 7]))
    #expect(buffer.next(isEnd: true) == nil)
  }
}

@Suite("Frames with a length field", .timeLimit(.minutes(30))) struct LengthPrefixFramingTests {
  @Test(
    "each form of a length",
    arguments: [
      (.length(UInt8.self), [2, 7, 8], [7, 8]), (.length(UInt16.self), [0, 2, 7, 8], [7, 8]),
      (.length(UInt16.self, .littleEndian), [2, 0, 7, 8], [7, 8]),
      (.length(UInt32.self), [0, 0, 0, 1, 7], [7]), (.length(UInt8.self), [0], []),
      (.length(UInt32.self, .littleEndian), [1, 0, 0, 0, 7], [7]),
      // The length counts itself.
      (.length(UInt16.self, adjustment: -2), [0, 4, 7, 8], [7, 8]),
      // A checksum that the length does not count.
      (.length(UInt8.self, adjustment: 2), [1, 7, 8, 9], [7, 8, 9]),
      // UBX-MON-VER, polled, of u-blox receivers: two bytes of synchronization, class,
      // message, length, checksum.
      (
        .length(UInt16.self, .littleEndian, adjustment: 2, headerLength: 4),
        [0xB5, 0x62, 0x0A, 0x04, 0, 0, 0x0E, 0x34], [0xB5, 0x62, 0x0A, 0x04, 0, 0, 0x0E, 0x34]
      ),
      // TPKT of RFC 1006: the length counts the whole packet.
      (.length(UInt16.self, adjustment: -4, headerLength: 2), [3, 0, 0, 5, 9], [3, 0, 0, 5, 9]),
    ] as [(LengthPrefixFraming, [UInt8], [UInt8])])
  func forms(_ framing: LengthPrefixFraming, _ bytes: [UInt8], _ frame: [UInt8]) throws {
    #expect(try framing.encode(frame) == bytes)
    for pieces in [[bytes + bytes], (bytes + bytes).map { [$0] }] {
      #expect(results(of: framing, for: pieces) == [.success(frame), .success(frame)])
    }
  }

  @Test("a frame that is not complete at the end is damage", arguments: [1, 2, 4])
  func unfinished(_ count: Int) {
    let bytes = Array(([0, 3, 1, 2, 3] as [UInt8]).prefix(count))
    #expect(results(of: LengthPrefixFraming(UInt16.self), for: [bytes]) == [.failure(.unfinished)])
  }

  @Test("a frame that is too long is reported once, and skipped by its length")
  func limit() {
    let bytes: [UInt8] = [4, 1, 2, 3, 4, 5, 1, 1, 1, 1, 1, 2, 8, 9, 0xFF, 1]
    for pieces in [[bytes], bytes.map { [$0] }] {
      #expect(
        results(of: LengthPrefixFraming(UInt8.self, limit: 4), for: pieces) == [
          .success([1, 2, 3, 4]), .failure(.tooLong(limit: 4)), .success([8, 9]),
          .failure(.tooLong(limit: 4)),
        ])
    }
  }

  @Test("a length of 32 bits may be any number")
  func large() {
    let bytes: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3]
    #expect(
      results(of: LengthPrefixFraming(UInt32.self, adjustment: 4), for: [bytes])
        == [.failure(.tooLong(limit: 65_536))])
  }

  @Test("a length that is too small is damage")
  func invalid() {
    let bytes: [UInt8] = [1, 3, 8]
    #expect(
      results(of: LengthPrefixFraming(UInt8.self, adjustment: -2), for: [bytes])
        == [.failure(.invalidLength(1)), .success([8])])
  }

  @Test(
    "after a silence, a new frame begins",
    arguments: [
      ([9, 1, 2], [.failure(.tooLong(limit: 4))]), ([9], [.failure(.tooLong(limit: 4))]),
      ([4, 1, 2], [.failure(.unfinished)]), ([0, 2, 1, 1], [.failure(.invalidLength(0))]),
      ([2, 1], [.success([1])]), ([], []),
    ] as [([UInt8], Results<LengthPrefixFraming>)])
  func silence(_ before: [UInt8], _ expected: Results<LengthPrefixFraming>) {
    let framing = LengthPrefixFraming(
      UInt8.self, adjustment: -1, limit: 4, silence: .milliseconds(5))
    for pieces in [[before], before.map { [$0] }] {
      var buffer = FrameBuffer(framing)
      var found: Results<LengthPrefixFraming> = []
      for piece in pieces {
        buffer.append(piece)
        while let result = buffer.next() { found.append(result) }
        // Without bytes there is no silence to wait for.
        if buffer.count == 0 { #expect(buffer.framing == framing) }
      }
      while let result = buffer.next(isEnd: true) {
        found.append(result)
        if buffer.count == 0 { #expect(buffer.framing == framing) }
      }
      #expect(found == expected)
      #expect(buffer.count == 0)
      buffer.append([3, 8, 9])
      #expect(buffer.next() == .success([8, 9]))
    }
  }

  @Test("a frame that is too long for the length field is not sent")
  func encoding() {
    #expect(throws: FrameDamage.tooLong(limit: 255)) {
      try LengthPrefixFraming(UInt8.self).encode(Array(repeating: 0, count: 256))
    }
    #expect(throws: FrameDamage.tooLong(limit: 254)) {
      try LengthPrefixFraming(UInt8.self, adjustment: -1).encode(Array(repeating: 0, count: 255))
    }
    #expect(throws: FrameDamage.invalidLength(-1)) {
      try LengthPrefixFraming(UInt8.self, adjustment: 2).encode([1])
    }
    #expect(throws: FrameDamage.unfinished) {
      try LengthPrefixFraming(UInt8.self, headerLength: 2).encode([1, 2])
    }
  }
}
