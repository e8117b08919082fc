/// The format of the time in front of a line.
public struct TimestampFormat: Hashable, Sendable {
  /// Which time is written.
  public let kind: Kind
  /// How many digits the seconds have.
  public let precision: Precision

  /// Which time is written.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The local time of day: `07:31:00.123`.
    case time
    /// Date, local time and offset from UTC: `2026-11-21T07:31:00.123+01:00`.
    case iso
    /// Seconds since the line before; for the first line, since the start: `+    0.123`.
    case delta
    /// Seconds since the start: `    0.123`.
    case start
    /// Seconds since 1970-01-01 UTC: `1795242660.123`.
    case epoch
  }

  /// How many digits the seconds have.
  public enum Precision: Hashable, Sendable, CaseIterable {
    case milliseconds
    case microseconds

    /// Digits after the point.
    var digits: Int {
      switch self {
      case .milliseconds: 3
      case .microseconds: 6
      }
    }

    /// Nanoseconds in the last digit.
    var unit: UInt64 {
      switch self {
      case .milliseconds: 1_000_000
      case .microseconds: 1_000
      }
    }
  }

  /// Creates a format.
  public init(_ kind: Kind, _ precision: Precision = .milliseconds) {
    self.kind = kind
    self.precision = precision
  }

  /// How many columns a stamp takes, with its brackets and the space after them. A stamp of `delta`
  /// or `start` is wider once its seconds have more than five digits.
  public var width: Int {
    let seconds =
      switch kind {
      case .time: "07:31:00".count
      case .iso: "2026-11-21T07:31:00+01:00".count
      case .delta: "+    0".count
      case .start: "    0".count
      case .epoch: "1795242660".count
      }
    return "[".count + seconds + ".".count + precision.digits + "] ".count
  }
}

extension TimestampFormat: CustomStringConvertible {
  private static let microsecondsSuffix = ":us"

  /// Reads the name of a format, followed by `:us` for microseconds.
  ///
  /// - Throws: an error that lists the formats.
  public init(parsing text: String) throws(TimestampFormatError) {
    let isExact = text.hasSuffix(Self.microsecondsSuffix)
    let name = isExact ? String(text.dropLast(Self.microsecondsSuffix.count)) : text
    guard let kind = Kind(rawValue: name) else { throw TimestampFormatError(text: text) }
    self.init(kind, isExact ? .microseconds : .milliseconds)
  }

  /// All texts that ``init(parsing:)`` reads.
  public static var names: [String] {
    Kind.allCases.flatMap { kind in
      ["\(TimestampFormat(kind, .milliseconds))", "\(TimestampFormat(kind, .microseconds))"]
    }
  }

  /// The text that ``init(parsing:)`` reads.
  public var description: String {
    switch precision {
    case .milliseconds: kind.rawValue
    case .microseconds: kind.rawValue + Self.microsecondsSuffix
    }
  }
}

/// A text that is not the name of a timestamp format.
public struct TimestampFormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  public let text: String

  /// What is wrong, and which formats there are.
  public var description: String {
    let names = TimestampFormat.Kind.allCases.map(\.rawValue).joined(separator: ", ")
    return
      "'\(text)' is not a timestamp format. Formats: \(names); add :us for microseconds (time:us)"
  }
}
