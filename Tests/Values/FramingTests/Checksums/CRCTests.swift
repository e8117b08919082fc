import Framing
import Testing

/// The check values are those of the catalogue of parametrised CRC algorithms: the
/// CRC of "123456789".
@Suite struct CRCTests {
  private let digits = Array("123456789".utf8)

  @Test func crc16() {
    #expect(CRC16(of: digits).value == 0x31C3)
    #expect(CRC16().value == 0)
    #expect(CRC16(of: digits, initial: 0xFFFF).value == 0x29B1)
  }

  @Test func crc32() {
    #expect(CRC32(of: digits).value == 0xCBF4_3926)
    #expect(CRC32().value == 0)
  }
}
