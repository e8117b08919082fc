/// The format of the time at the beginning of a line.
public struct TimestampFormat: Hashable, Sendable {
  /// The kind of time.
  public let kind: Kind
  /// The number of digits of the seconds.
  public let precision: Precision

  /// A kind of time.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The local time of day: `07:31:00.123`.
    case time
    /// Date, local time and offset from UTC: `2026-11-21T07:31:00.123+01:00`.
    case iso
    /// Seconds since the previous line; for the first line, since the start: `+    0.123`.
    case delta
    /// Seconds since the start: `    0.123`.
    case start
    /// Seconds since 1970-01-01 UTC: `1795242660.123`.
    case epoch
  }

  /// The number of digits of the seconds.
  public enum Precision: Hashable, Sendable, CaseIterable {
    case milliseconds
    case microseconds

    /// The number of digits after the decimal point.
    var digits: Int {
      switch self {
      case .milliseconds: 3
      case .microseconds: 6
      }
    }

    /// The number of nanoseconds in a unit of the last digit.
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

  /// The width of a timestamp in columns, with its brackets and the space after them. A timestamp
  /// of `delta` or `start` becomes wider when its seconds have more than five digits.
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

  /// Parses the name of a format, optionally followed by `:us` for microseconds.
  ///
  /// - Throws: an error that lists the formats.
  public init(parsing text: String) throws(TimestampFormatError) {
    let isExact = text.hasSuffix(Self.microsecondsSuffix)
    let name = isExact ? String(text.dropLast(Self.microsecondsSuffix.count)) : text
    guard let kind = Kind(rawValue: name) else { throw TimestampFormatError(text: text) }
    self.init(kind, isExact ? .microseconds : .milliseconds)
  }

  /// All texts that ``init(parsing:)`` accepts.
  public static var names: [String] {
    Kind.allCases.flatMap { kind in
      ["\(TimestampFormat(kind, .milliseconds))", "\(TimestampFormat(kind, .microseconds))"]
    }
  }

  /// The text in the form of ``init(parsing:)``.
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

  /// The mistake, and the valid formats.
  public var description: String {
    let names = TimestampFormat.Kind.allCases.map(\.rawValue).joined(separator: ", ")
    return
      "'\(text)' is not a timestamp format. Formats: \(names); add :us for microseconds (time:us)"
  }
}
