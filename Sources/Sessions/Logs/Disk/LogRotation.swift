import TextTools

/// When a log starts a new file, and the number of old files that are kept.
public struct LogRotation: Hashable, Sendable {
  /// The maximum size of a file in bytes, at least 1. A larger record gets a separate file.
  public var size: Int?
  /// The maximum time for which a file is written to; positive.
  public var interval: Duration?
  /// The number of old files to keep, at least 1; nil for all.
  public var keep: Int?

  /// Creates a rule. Without limits there is one file.
  public init(size: Int? = nil, interval: Duration? = nil, keep: Int? = nil) {
    self.size = size
    self.interval = interval
    self.keep = keep
  }

  /// The number of bytes for which a file has room.
  func room(after count: Int) -> Int { size.map { max($0 - count, 0) } ?? .max }
}

extension LogRotation {
  /// Parses a size: a whole number of bytes, or of units of 1,024 (k or K), 1,024² (M) or
  /// 1,024³ (G) bytes.
  ///
  /// - Throws: ``ParsingError``.
  public static func size(parsing text: String) throws(ParsingError) -> Int {
    let units = ["k": 1 << 10, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    guard let size = number(in: text, units: units) else {
      throw ParsingError(text: text, expected: "a size above zero, as 500k, 10M or 1G")
    }
    return size
  }

  /// Parses a time of at least a second: a number of seconds, or a number with a unit (s, min or
  /// m, h, d).
  ///
  /// - Throws: ``ParsingError``.
  public static func interval(parsing text: String) throws(ParsingError) -> Duration {
    // Some hundred years: a longer time in nanoseconds does not fit into 64 bits.
    guard let time = WrittenTime(text), (1...4_294_967_296).contains(time.seconds) else {
      throw ParsingError(text: text, expected: "a time of a second or more: 30s, 10min, 6h or 1d")
    }
    return .seconds(time.seconds)
  }

  /// An error in a text that is not a size or time.
  public struct ParsingError: Error, Hashable, Sendable, CustomStringConvertible {
    let text: String
    let expected: String

    /// A description of the problem, and the valid forms.
    public var description: String { "'\(text)': expected \(expected)" }
  }

  private static func number(in text: String, units: [String: Int]) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = String(text.dropFirst(digits.count))
    guard let number = Int(digits), number > 0,
      let factor = unit.isEmpty ? 1 : units[unit]
    else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: factor)
    return overflow ? nil : product
  }
}
