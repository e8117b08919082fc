import Framing
import Testing

@Suite struct ChecksumTests {
  /// The check values of the catalogue: the checksums of "123456789", in the order of the line.
  @Test(
    arguments: [
      ("crc16-modbus", [0x37, 0x4B]), ("crc16-ccitt-false", [0x29, 0xB1]), ("crc8", [0xF4]),
      ("xor", [0x31]), ("sum8", [0xDD]), ("lrc", [0x23]),
      ("crc32", [0x26, 0x39, 0xF4, 0xCB]),
    ] as [(String, [UInt8])])
  func checkValues(_ name: String, _ expected: [UInt8]) throws {
    let checksum = try Checksum(parsing: name)
    #expect(checksum.name == name)
    #expect(checksum.bytes(for: "123456789".utf8) == expected)
    #expect(checksum.bytes(for: Array("123456789".utf8)) == expected)
  }

  @Test func everyChecksumHasACheckValue() { #expect(Checksum.allCases.count == 7) }

  @Test(
    arguments: [
      ("crc16-modbus", [0xFF, 0xFF]), ("crc16-ccitt-false", [0xFF, 0xFF]), ("crc8", [0]),
      ("xor", [0]), ("sum8", [0]), ("lrc", [0]), ("crc32", [0, 0, 0, 0]),
    ] as [(String, [UInt8])])
  func noBytes(_ name: String, _ expected: [UInt8]) throws {
    #expect(try Checksum(parsing: name).bytes(for: []) == expected)
  }

  /// Reading holding register 108 of slave 17: the example of the Modbus Application Protocol, as
  /// it is sent by RTU and by ASCII.
  @Test func modbusRequests() {
    let request: [UInt8] = [0x11, 0x03, 0x00, 0x6B, 0x00, 0x03]
    #expect(Checksum.crc16Modbus.bytes(for: request) == [0x76, 0x87])
    #expect(Checksum.lrc.bytes(for: request) == [0x7E])
  }

  @Test func sumsWrapAround() {
    let bytes = [UInt8](repeating: 0xFF, count: 1_000)
    #expect(Checksum.sum8.bytes(for: bytes) == [0x18])
    #expect(Checksum.lrc.bytes(for: bytes) == [0xE8])
    #expect(Checksum.xor.bytes(for: bytes) == [0])
  }

  @Test(arguments: ["", "crc", "CRC8", "crc16", "crc16-modbus "])
  func anErrorListsTheNames(_ text: String) throws {
    let error = try #require(throws: ChecksumError.self) { try Checksum(parsing: text) }
    #expect(
      "\(error)" == "'\(text)' is not a checksum; expected crc16-modbus, crc16-ccitt-false, crc8, "
        + "xor, sum8, lrc or crc32")
  }
}
