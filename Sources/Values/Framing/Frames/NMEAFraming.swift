import TextTools

/// Sentences of NMEA 0183: `$` or `!`, an address, fields with commas between them, `*` with the
/// exclusive or of the characters between, and CR LF.
///
/// As for gpsd, LF alone and CR CR LF end a sentence, too, and blanks may precede them. CR alone
/// does if the next sentence or the end of the stream follows. A sentence without an end was cut
/// off.
package struct NMEAFraming: Framing, Hashable {
  /// The most bytes of a sentence. The standard says 82; receivers send longer ones.
  private static let limit = 1_024

  /// 50 ms after a CR, if no LF follows; otherwise a sentence may take any time.
  package var silence: Duration? { endsWithReturn ? .milliseconds(50) : nil }
  private var endsWithReturn = false

  package init() {}

  package mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<DecodedFrame> {
    let window = bytes.window(of: Self.limit)
    endsWithReturn = window.last == UInt8(ascii: "\r")
    return Self.search(window, searched: searched, isEnd: isEnd && window.count == bytes.byteCount)
  }

  private static func search(
    _ bytes: ArraySlice<UInt8>, searched: Int, isEnd: Bool
  ) -> FrameSearch<DecodedFrame> {
    // A letter may still follow the last byte.
    let first = bytes.indices.first {
      isStart(bytes[$0...]) || !isEnd && isDelimiter(bytes[$0]) && $0 + 1 == bytes.endIndex
    }
    guard first == bytes.startIndex else {
      return .frame(.stray, length: first ?? bytes.count)
    }
    // The start of the next sentence ends one that was cut off. Its letter may be new.
    let next = bytes.indices.dropFirst(max(1, searched - 1))
      .first { bytes[$0] == UInt8(ascii: "\n") || isStart(bytes[$0...]) }
    if let next {
      let length = bytes[next] == UInt8(ascii: "\n") ? next + 1 : next
      return .frame(decoded(bytes.prefix(length)), length: length)
    }
    if isEnd { return .frame(decoded(bytes), length: bytes.count) }
    return bytes.count < limit
      ? .incomplete : .frame(DecodedFrame(check: .bad("longer than \(limit) bytes")), length: limit)
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!")
  }

  /// Whether bytes begin with a delimiter and a letter: other bytes may be delimiters, too.
  private static func isStart(_ bytes: ArraySlice<UInt8>) -> Bool {
    isDelimiter(bytes[bytes.startIndex])
      && bytes.dropFirst().first.map { ($0 | 0x20) &- 0x61 < 26 } ?? false
  }

  private static func decoded(_ frame: ArraySlice<UInt8>) -> DecodedFrame {
    guard frame.last == UInt8(ascii: "\r") || frame.last == UInt8(ascii: "\n") else {
      return DecodedFrame(check: .bad("cut off"))
    }
    let end = frame.lastIndex { !" \t\r\n".utf8.contains($0) } ?? frame.startIndex
    let line = frame[...end].dropFirst()
    let star = line.lastIndex(of: UInt8(ascii: "*"))
    let body = line[..<(star ?? line.endIndex)]
    let reason =
      star.map { fault(inChecksum: line[($0 + 1)...], of: body) }
      ?? (hasForm(body) ? nil : "not a sentence")
    if let reason { return DecodedFrame(check: .bad(reason)) }
    return DecodedFrame(check: star == nil ? .none : .good, meaning: NMEAFields.meaning(of: body))
  }

  /// What is wrong with the text after the `*`; nil if it is the checksum.
  private static func fault(
    inChecksum text: ArraySlice<UInt8>, of body: ArraySlice<UInt8>
  ) -> String? {
    let digits = String(decoding: text.prefix(2), as: UTF8.self)
    let expected = body.reduce(0, ^)
    guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit) else {
      return "no two digits after *, expected \(HexText.spaced([expected]))"
    }
    guard UInt8(digits, radix: 16) == expected else {
      return "checksum \(digits), expected \(HexText.spaced([expected]))"
    }
    return text.count == 2 ? nil : "text after the checksum"
  }

  /// Whether a text without a checksum can be a sentence: an address of at least three letters
  /// and digits, and fields of printable ASCII.
  private static func hasForm(_ body: ArraySlice<UInt8>) -> Bool {
    let address = body.prefix { $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 }
    return address.count >= 3 && body[address.endIndex...].first == UInt8(ascii: ",")
      && body.allSatisfy { (0x20..<0x7F).contains($0) }
  }
}

extension Framing where Self == CheckedFraming {
  /// Sentences of NMEA 0183.
  public static var nmea: Self { CheckedFraming(NMEAFraming()) }
}
