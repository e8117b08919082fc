package import TextStages
import TextTools

/// Frames of Modbus ASCII: a colon, the message and its LRC as hexadecimal digits, CR LF.
///
/// Source: "MODBUS over Serial Line Specification and Implementation Guide V1.02", 2.5.2.
package struct ModbusASCIIFraming: Framing, Hashable {
  private var turns: ModbusTurns

  /// The most bytes of a frame: a colon, 2 × 255 digits, CR LF.
  private static let limit = 513
  private static let colon = UInt8(ascii: ":")
  private static let lineFeed: UInt8 = 0x0A

  /// - Parameter direction: the direction of the bytes; nil if both directions are mixed.
  package init(_ direction: Direction? = nil) {
    turns = ModbusTurns(direction)
  }

  /// 1 s: the longest time between two characters of a frame.
  package var silence: Duration? { .seconds(1) }

  package mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<DecodedFrame> {
    let window = bytes.window(of: Self.limit)
    return search(window, searched: searched, isEnd: isEnd && window.count == bytes.byteCount)
  }

  private mutating func search(
    _ bytes: ArraySlice<UInt8>, searched: Int, isEnd: Bool
  ) -> FrameSearch<DecodedFrame> {
    guard bytes.first == Self.colon else {
      return .frame(.stray, length: bytes.firstIndex(of: Self.colon) ?? bytes.count)
    }
    // A colon begins a frame, wherever it stands.
    let next = bytes.dropFirst(max(1, searched))
      .firstIndex { $0 == Self.lineFeed || $0 == Self.colon }
    if let next {
      let length = bytes[next] == Self.lineFeed ? next + 1 : next
      return .frame(decoded(bytes.prefix(length)), length: length)
    }
    guard isEnd || bytes.count == Self.limit else { return .incomplete }
    return .frame(
      DecodedFrame(check: .bad(isEnd ? "no CR LF" : "longer than \(Self.limit) bytes")),
      length: bytes.count)
  }

  private mutating func decoded(_ frame: ArraySlice<UInt8>) -> DecodedFrame {
    guard frame.suffix(2).elementsEqual("\r\n".utf8) else {
      return DecodedFrame(check: .bad("no CR LF"))
    }
    guard let bytes = Self.bytes(of: frame.dropFirst().dropLast(2)), bytes.count >= 3 else {
      return DecodedFrame(check: .bad("not pairs of hexadecimal digits"))
    }
    let (content, found) = (bytes.dropLast(), bytes[bytes.count - 1])
    let expected = Checksum.lrc.bytes(for: content)
    guard expected == [found] else {
      return DecodedFrame(
        content: bytes,
        check: .bad("LRC \(HexText.spaced(bytes.suffix(1))), expected \(HexText.spaced(expected))"))
    }
    guard let sender = sender(of: content) else {
      return DecodedFrame(content: bytes, check: .good)
    }
    turns.add(content, from: sender)
    return DecodedFrame(
      content: bytes, check: .good, meaning: ModbusMessage(content).meaning(from: sender),
      isRequest: sender == .client)
  }

  /// The sender of a message, by its length, then by the direction or the request before it; nil if
  /// no message has this length.
  private func sender(of content: ArraySlice<UInt8>) -> ModbusMessage.Sender? {
    let message = ModbusMessage(content)
    let isRequest = message.requestLength == .known(content.count)
    let isAnswer = message.answerLength == .known(content.count)
    if !isRequest && !isAnswer { return nil }
    if isRequest != isAnswer { return isRequest ? .client : .server }
    return turns.likelySender(of: content)
  }

  private static func bytes(of digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
      guard let high = Character(Unicode.Scalar(digits[start])).hexDigitValue,
        let low = Character(Unicode.Scalar(digits[start + 1])).hexDigitValue
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}

extension Framing where Self == CheckedFraming {
  /// Messages of Modbus ASCII, of a bus with one pair of wires.
  public static var modbusASCII: Self { CheckedFraming(ModbusASCIIFraming(nil)) }
}
