import Framing

extension TransferProtocol {
  /// Sends without waiting, and continues after errors and interruptions.
  package static let zmodem = TransferProtocol(
    "zmodem", "ZMODEM", detail: "fast, continues; rz", sendsSeveralFiles: true, sendsNames: true,
    resumes: true, avoidsFlowControl: true,
    senderSign: header(of: .zrqinit), receiverSign: header(of: .zrinit),
    sender: { ZmodemSender(conditions: $0) },
    receiver: { ZmodemReceiver(conditions: $0) })

  /// A complete hexadecimal header with the right CRC, and its line end.
  private static func header(of frame: ZmodemFrame) -> OfferSign {
    let digits = String(frame.rawValue, radix: 16)
    let start = "**\u{18}B\(digits.count == 1 ? "0" : "")\(digits)"
    return .header(
      OfferSign.Header(start: Array(start.utf8), rareByte: ZmodemCharacter.escape, length: 20) {
        hasRightCRC($0.dropFirst(4).prefix(14))
      })
  }

  /// Whether digits are those of a type, four bytes and their CRC.
  private static func hasRightCRC(_ digits: ArraySlice<UInt8>) -> Bool {
    var bytes: [UInt8] = []
    var rest = digits
    while rest.count >= 2 {
      guard let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return false
      }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    // The CRC of a header followed by its own CRC is 0.
    return bytes.count == 7 && CRC16(of: bytes).value == 0
  }
}
