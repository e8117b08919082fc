import Glibc

/// The time at the beginning of a line, as text logs and `--timestamps` write
/// it: `[2026-11-21T07:31:00.123456+01:00] `,
/// `[07:31:00.123] `, `[1795242660.123] `, `[    0.123] ` or `[+    0.123] `.
public struct LineTimestamp: Hashable, Sendable {
  /// What the seconds count from.
  public enum Origin: Hashable, Sendable {
    /// 1970-01-01 UTC.
    case epoch
    /// Midnight of local time.
    case midnight
    /// The start of the session.
    case start
    /// The line before.
    case line
  }

  /// The time in seconds.
  public let seconds: Double
  /// What the seconds count from.
  public let origin: Origin
  /// The number of bytes of the timestamp, with its brackets and the space after them.
  public let length: Int

  /// The maximum length of a timestamp in bytes.
  private static let maximalLength = 48
  /// The least number of seconds that counts from 1970, in the year 2001. A session is shorter.
  public static let leastEpoch = 1e9

  /// Reads the timestamp of a line.
  ///
  /// - Parameter line: the line. Its first bytes are the timestamp.
  /// - Returns: nil if the line has none.
  public init?(of line: UnsafeRawBufferPointer) {
    guard line.first == UInt8(ascii: "["),
      let end = line.prefix(Self.maximalLength).firstIndex(of: UInt8(ascii: "]")),
      end + 1 < line.count, line[end + 1] == UInt8(ascii: " ")
    else { return nil }
    let isDifference = line[1] == UInt8(ascii: "+")
    let text = Text(
      line[(isDifference ? 2 : 1)..<end].drop { $0 == UInt8(ascii: " ") })
    length = end + 2
    if isDifference {
      guard let time = text.decimal else { return nil }
      (seconds, origin) = (time, .line)
    } else if let time = text.date {
      (seconds, origin) = (time, .epoch)
    } else if let time = text.clock {
      (seconds, origin) = (time, .midnight)
    } else if let time = text.decimal {
      (seconds, origin) = (time, time < Self.leastEpoch ? .start : .epoch)
    } else {
      return nil
    }
  }

  /// The text between the brackets.
  private struct Text {
    let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// A date, local time and its offset from UTC.
    var date: Double? {
      guard bytes.count > 19, bytes[10] == UInt8(ascii: "T"),
        let sign = bytes.lastIndex(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }),
        let offset = Self.numbers(bytes[(sign + 1)...], UInt8(ascii: ":")), offset.count == 2,
        let day = Self.numbers(bytes[..<10], UInt8(ascii: "-")), day.count == 3,
        let time = Text(bytes[11..<max(11, sign)]).clock
      else { return nil }
      var fields = tm()
      fields.tm_year = CInt(day[0] - 1_900)
      fields.tm_mon = CInt(day[1] - 1)
      fields.tm_mday = CInt(day[2])
      let east = Double(offset[0] * 3_600 + offset[1] * 60)
      return Double(timegm(&fields)) + time - (bytes[sign] == UInt8(ascii: "-") ? -east : east)
    }

    /// Hours, minutes, and seconds with a fraction.
    var clock: Double? {
      guard bytes.count > 8, bytes[5] == UInt8(ascii: ":"),
        let parts = Self.numbers(bytes[..<5], UInt8(ascii: ":")), parts.count == 2,
        let seconds = Text(bytes[6...]).decimal
      else { return nil }
      return Double(parts[0] * 3_600 + parts[1] * 60) + seconds
    }

    /// Digits, a point, and digits.
    var decimal: Double? {
      var (value, scale) = (0, 0)
      guard bytes.count < 18 else { return nil }
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
          value = value * 10 + Int(byte - UInt8(ascii: "0"))
          scale *= 10
        case UInt8(ascii: ".") where scale == 0: scale = 1
        default: return nil
        }
      }
      return scale > 1 ? Double(value) / Double(scale) : nil
    }

    /// Numbers of up to four digits.
    private static func numbers(_ bytes: ArraySlice<UInt8>, _ separator: UInt8) -> [Int]? {
      let parts = bytes.split(separator: separator, omittingEmptySubsequences: false)
      let numbers = parts.compactMap { part in
        part.count <= 4 && part.allSatisfy { (0x30...0x39).contains($0) }
          ? Int(String(decoding: part, as: UTF8.self)) : nil
      }
      return numbers.count == parts.count ? numbers : nil
    }
  }
}
