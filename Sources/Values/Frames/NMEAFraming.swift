public import Framing
import TextTools

/// Sentences of NMEA 0183: `$` or `!`, fields with commas between them, and `*` with the exclusive
/// or of the characters between.
public struct NMEAFraming: Framing, Hashable {
  /// The most bytes of a sentence. The standard says 82; receivers send longer ones.
  private static let limit = 1_024

  public init() {}

  public mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<DecodedFrame> {
    let window = bytes.window(of: Self.limit)
    return Self.search(window, searched: searched, isEnd: isEnd && window.count == bytes.byteCount)
  }

  private static func search(
    _ bytes: ArraySlice<UInt8>, searched: Int, isEnd: Bool
  ) -> FrameSearch<DecodedFrame> {
    guard let first = bytes.first, isStart(first) else {
      return .frame(.stray, length: bytes.firstIndex(where: isStart) ?? bytes.count)
    }
    // The start of the next sentence ends one that was cut off.
    let next = bytes.dropFirst(max(1, searched)).firstIndex { $0 == 0x0A || isStart($0) }
    if let next {
      let length = bytes[next] == 0x0A ? next + 1 : next
      return .frame(decoded(bytes.prefix(length)), length: length)
    }
    if isEnd { return .frame(decoded(bytes), length: bytes.count) }
    return bytes.count < limit
      ? .incomplete : .frame(DecodedFrame(check: .bad("longer than \(limit) bytes")), length: limit)
  }

  private static func isStart(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "$") || byte == UInt8(ascii: "!")
  }

  private static func decoded(_ frame: ArraySlice<UInt8>) -> DecodedFrame {
    let line = frame.prefix { $0 != 0x0D && $0 != 0x0A }
    let star = line.lastIndex(of: UInt8(ascii: "*"))
    let body = line[(line.startIndex + 1)..<(star ?? line.endIndex)]
    var decoded = DecodedFrame(meaning: meaning(of: body))
    if let star {
      let digits = String(decoding: line[(star + 1)...], as: UTF8.self)
      let sum = body.reduce(0, ^)
      let isRight =
        digits.utf8.count == 2 && digits.allSatisfy(\.isHexDigit) && UInt8(digits, radix: 16) == sum
      decoded.check =
        isRight ? .good : .bad("checksum \(digits.harmless), expected \(HexText.spaced([sum]))")
      if !isRight { decoded.meaning = nil }
    }
    return decoded
  }

  /// The fields with their names; nil for a kind of sentence that is not known.
  private static func meaning(of body: ArraySlice<UInt8>) -> String? {
    let fields = String(decoding: body, as: UTF8.self).harmless
      .split(separator: ",", omittingEmptySubsequences: false)
    guard let kind = fields.first, kind.count == 5, let names = names[String(kind.suffix(3))] else {
      return nil
    }
    var words = ["\(kind)"]
    for (name, field) in zip(names, fields.dropFirst()) where !field.isEmpty {
      // A letter of a hemisphere or a unit belongs to the number before it.
      if name.isEmpty { words[words.count - 1] += field } else { words.append("\(name) \(field)") }
    }
    return words.joined(separator: " ")
  }

  /// The names of the fields, by the kind of sentence. An empty name continues the field before it.
  private static let names: [String: [String]] = [
    "GGA": [
      "time", "latitude", "", "longitude", "", "quality", "satellites", "HDOP", "altitude", "",
      "geoid", "", "age", "station",
    ],
    "GLL": ["latitude", "", "longitude", "", "time", "status", "mode"],
    "GNS": [
      "time", "latitude", "", "longitude", "", "mode", "satellites", "HDOP", "altitude", "geoid",
      "age", "station",
    ],
    "GSA": ["mode", "fix"] + Array(repeating: "satellite", count: 12) + ["PDOP", "HDOP", "VDOP"],
    "GSV": ["messages", "number", "satellites"]
      + Array(repeating: ["satellite", "elevation", "azimuth", "SNR"], count: 4).joined(),
    "HDT": ["heading", ""],
    "RMC": [
      "time", "status", "latitude", "", "longitude", "", "speed", "course", "date", "variation", "",
      "mode",
    ],
    "VTG": ["course", "", "magnetic", "", "speed", "", "speed", "", "mode"],
    "ZDA": ["time", "day", "month", "year", "zone", "minutes"],
  ]
}

extension Framing where Self == CheckedFraming {
  /// Sentences of NMEA 0183.
  public static var nmea: Self { CheckedFraming(NMEAFraming()) }
}
