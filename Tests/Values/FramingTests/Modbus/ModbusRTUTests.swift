import Framing
import Testing
import TextStages
import Time

@Suite struct ModbusRTUTests {
  private static func frame(_ bytes: [UInt8]) -> [UInt8] {
    bytes + Checksum.crc16Modbus.bytes(for: bytes)
  }

  private static let request = frame([0x01, 0x03, 0x00, 0x6B, 0x00, 0x03])
  private static let answer = frame([0x01, 0x03, 0x06, 0x02, 0x2B, 0x00, 0x00, 0x00, 0x64])
  private static let exception = frame([0x01, 0x83, 0x02])

  @Test func theRequestOfTheSpecification() throws {
    #expect(Self.request == [0x01, 0x03, 0x00, 0x6B, 0x00, 0x03, 0x74, 0x17])
    #expect(
      frames(of: Self.request, "modbus-rtu").map(\.decoded.meaning)
        == ["slave 1 read holding 0x006b ×3"])
  }

  @Test func requestsAndAnswersOnOnePairOfWires() throws {
    let found = frames(of: Self.request + Self.answer + Self.request + Self.exception, "modbus-rtu")
    #expect(
      found.map(\.decoded.meaning) == [
        "slave 1 read holding 0x006b ×3", "slave 1 → 022b 0000 0064",
        "slave 1 read holding 0x006b ×3", "slave 1 exception 2 illegal data address",
      ])
    #expect(found.allSatisfy { $0.decoded.check == .good })
  }

  @Test(
    "Every function, its request and its answer",
    arguments: [
      ([1, 1, 0, 0x13, 0, 0x25], "read coils 0x0013 ×37"),
      ([1, 2, 0, 0xC4, 0, 0x16], "read discrete inputs 0x00c4 ×22"),
      ([1, 4, 0, 8, 0, 1], "read input 0x0008 ×1"),
      ([1, 5, 0, 0xAC, 0xFF, 0], "write coil 0x00ac = on"),
      ([1, 6, 0, 1, 0, 3], "write register 0x0001 = 0003"),
      ([1, 7], "read exception status"),
      ([1, 8, 0, 0, 0xA5, 0x37], "diagnostics 0000a537"),
      ([1, 15, 0, 0x13, 0, 0x0A, 2, 0xCD, 1], "write coils 0x0013 ×10 = cd01"),
      ([1, 16, 0, 1, 0, 2, 4, 0, 0x0A, 1, 2], "write registers 0x0001 ×2 = 000a 0102"),
      ([1, 17], "server ID"),
      ([1, 22, 0, 4, 0, 0xF2, 0, 0x25], "mask register 0x0004 and 00f2 or 0025"),
      (
        [1, 23, 0, 3, 0, 6, 0, 14, 0, 1, 2, 0, 0xFF],
        "read holding 0x0003 ×6, write 0x000e ×1 = 00ff"
      ),
      ([1, 24, 4, 0xDE], "read queue 0x04de"),
      ([1, 43, 14, 1, 0], "device identification 0e0100"),
    ] as [([UInt8], String)])
  func functions(_ message: [UInt8], _ meaning: String) {
    let found = frames(of: Self.frame(message), "modbus-rtu")
    #expect(found.map(\.decoded.meaning) == ["slave 1 \(meaning)"])
    #expect(found.map(\.decoded.check) == [.good])
  }

  @Test func theDirectionTellsRequestsFromAnswersOfTheSameForm() {
    let message = Self.frame([1, 6, 0, 1, 0, 3])
    #expect(
      frames(of: message, "modbus-rtu", .toDevice).map(\.decoded.meaning)
        == ["slave 1 write register 0x0001 = 0003"])
    #expect(
      frames(of: message, "modbus-rtu", .fromDevice).map(\.decoded.meaning)
        == ["slave 1 → register 0x0001 = 0003"])
  }

  @Test func anEchoedWriteIsTheAnswer() {
    let message = Self.frame([1, 6, 0, 1, 0, 3])
    #expect(
      frames(of: message + message, "modbus-rtu").map(\.decoded.meaning)
        == ["slave 1 write register 0x0001 = 0003", "slave 1 → register 0x0001 = 0003"])
  }

  @Test func aWrongChecksumIsNamedAndTheNextFrameIsFound() {
    var damaged = Self.request
    damaged[6] ^= 0xFF
    let found = frames(of: damaged + Self.answer, "modbus-rtu")
    #expect(
      found.map(\.decoded.check) == [.bad("CRC 8b 17, expected 74 17"), .good])
    #expect(found.map(\.bytes) == [damaged, Self.answer])
  }

  @Test func noiseBetweenFramesIsStray() {
    let found = frames(of: Self.request + [0xFF, 0x00, 0xFF] + Self.answer, "modbus-rtu")
    #expect(found.map(\.decoded.check) == [.good, .stray, .good])
    #expect(found[1].bytes == [0xFF, 0x00, 0xFF])
  }

  @Test func strayBytesOfSeveralReadsAreTogether() {
    var reader = reader("modbus-rtu")
    var found: [Frame] = []
    for byte in UInt8(0xF0)...0xF4 { reader.receive([byte], at: .at(0), into: &found) }
    #expect(found.isEmpty && reader.waitingCount == 5)
    reader.receive(Self.request, at: .at(1), into: &found)
    #expect(found.map(\.bytes) == [[0xF0, 0xF1, 0xF2, 0xF3, 0xF4], Self.request])
    // A wrong baud rate sends nothing else: the silence ends them.
    reader.receive([0xFF, 0xFF], at: .at(10), into: &found)
    #expect(reader.deadline == MonotonicTime(nanoseconds: 60_000_000))
    // The beginning of a frame is waited for longer.
    reader.receive([0xFE, 0x01, 0x03], at: .at(70), into: &found)
    #expect(found.map(\.bytes.count) == [5, 8, 2])
    #expect(reader.deadline == MonotonicTime(nanoseconds: 1_070_000_000))
    reader.receive([0xFE], at: .at(1_070), into: &found)
    #expect(found.map(\.bytes.count) == [5, 8, 2, 3])
  }

  @Test func strayBytesWithoutEndAreDivided() {
    var reader = reader("modbus-rtu")
    var found: [Frame] = []
    let piece = [UInt8](repeating: 0xFF, count: 1_000)
    for _ in 0..<10 { reader.receive(piece, at: .at(0), into: &found) }
    #expect(found.map(\.bytes.count) == [4_096, 4_096])
    #expect(reader.waitingCount == 10_000 - 2 * 4_096)
  }

  @Test func anUnfinishedFrameEndsWithTheSilence() {
    var reader = reader("modbus-rtu")
    var found: [Frame] = []
    reader.receive(Self.answer.prefix(5), at: .at(0), into: &found)
    #expect(found.isEmpty && reader.waitingCount > 0)
    // The parts of a frame that an adapter divides are 16 ms apart.
    reader.receive(Self.answer.dropFirst(5), at: .at(16), into: &found)
    #expect(found.map(\.decoded.check) == [.good])
    reader.receive(Self.answer.prefix(5), at: .at(100), into: &found)
    reader.receive(Self.request, at: .at(200), into: &found)
    #expect(found.map(\.decoded.check) == [.good, .stray, .good])
    #expect(found.map(\.moment) == [.at(0), .at(100), .at(200)])
  }

  @Test(arguments: [60, 400, 5_000])
  func thePartsOfAFrameMayBeFarApart(_ pause: UInt64) {
    for cut in Self.answer.indices.dropFirst() {
      var reader = reader("modbus-rtu")
      var found: [Frame] = []
      reader.receive(Self.answer[..<cut], at: .at(0), into: &found)
      reader.receive(Self.answer[cut...], at: .at(pause), into: &found)
      #expect(found.map(\.bytes) == [Self.answer], "cut at \(cut)")
      #expect(found.map(\.decoded.check) == [.good])
    }
  }

  @Test func aFrameAfterASilenceIsNotHeldUpByNoiseBeforeIt() {
    // As the start of an answer, the noise would need 229 more bytes.
    let noise: [UInt8] = [1, 3, 224]
    var reader = reader("modbus-rtu")
    var found: [Frame] = []
    reader.receive(noise, at: .at(0), into: &found)
    for (index, byte) in Self.request.enumerated() {
      reader.receive([byte], at: .at(60 + UInt64(index)), into: &found)
    }
    #expect(found.map(\.bytes) == [noise, Self.request])
    #expect(found.map(\.decoded.check) == [.stray, .good])
    #expect(found.map(\.moment) == [.at(0), .at(60)])
    #expect(reader.waitingCount == 0)
  }

  @Test func aFunctionOfAManufacturerEndsAtASilence() {
    let (request, answer) = (Self.frame([1, 0x41, 9, 8, 7]), Self.frame([1, 0x41, 0, 1, 2, 3, 4]))
    let refusal = Self.frame([1, 0xC1, 1])
    var reader = reader("modbus-rtu")
    var found: [Frame] = []
    reader.receive(request, at: .at(0), into: &found)
    #expect(found.isEmpty && reader.deadline == MonotonicTime(nanoseconds: 50_000_000))
    // Another frame shows the end, too.
    reader.receive(answer + refusal + request, at: .at(20), into: &found)
    reader.end(into: &found)
    #expect(found.map(\.bytes) == [request, answer, refusal, request])
    #expect(found.allSatisfy { $0.decoded.check == .good })
    #expect(
      found.map(\.decoded.meaning) == [
        "slave 1 function 65 090807", "slave 1 → function 65 0001020304",
        "slave 1 exception 1 illegal function", "slave 1 function 65 090807",
      ])
    #expect(frames(of: Array(request.dropLast()), "modbus-rtu").map(\.decoded.check) == [.stray])
  }

  @Test(arguments: [20, 60, 900])
  func thePartsOfAFrameOfUnknownLengthMayBeFarApart(_ pause: UInt64) {
    let frame = Self.frame([1, 0x41, 9, 8, 7])
    for cut in frame.indices.dropFirst() {
      var (reader, found) = (reader("modbus-rtu"), [Frame]())
      reader.receive(frame[..<cut], at: .at(0), into: &found)
      reader.receive(frame[cut...], at: .at(pause), into: &found)
      reader.end(into: &found)
      #expect(found.map(\.decoded.check) == [.good], "cut at \(cut)")
    }
  }

  @Test func aFrameOfUnknownLengthIsReadAtTheNextOne() {
    let frame = Self.frame([1, 0x41, 9, 8, 7])
    var (reader, found) = (reader("modbus-rtu"), [Frame]())
    for poll in 0..<4 as Range<UInt64> { reader.receive(frame, at: .at(100 * poll), into: &found) }
    #expect(found.map(\.bytes) == [frame, frame, frame])
  }

  @Test func textIsNoFrameOfUnknownLength() {
    var (reader, found, seed) = (reader("modbus-rtu"), [Frame](), 1 as UInt32)
    for read in 0..<1_000 as Range<UInt64> {
      let text = (0..<64).map { _ in
        seed = seed &* 1_664_525 &+ 1_013_904_223
        return UInt8(ascii: "A") + UInt8(seed >> 24) % 48
      }
      reader.receive(text, at: .at(read * (read & 31) / 16), into: &found)
    }
    #expect(!found.contains { $0.decoded.check == .good })
  }

  @Test func noiseBeforeASlaveWithTheNumberOfAFunctionHoldsNothingUp() {
    let request = Self.frame([0x41, 0x03, 0x00, 0x6B, 0x00, 0x03])
    var (reader, found) = (reader("modbus-rtu"), [Frame]())
    reader.receive([0xFF] + request, at: .at(0), into: &found)
    #expect(found.map(\.bytes) == [[0xFF], request])
  }

  @Test func aCutFrameDoesNotSwallowTheNextOnes() {
    let found = frames(
      of: Array(Self.answer.prefix(7)) + Self.request + Self.answer + Self.request, "modbus-rtu")
    #expect(found.map(\.decoded.check) == [.stray, .good, .good, .good])
  }
}
