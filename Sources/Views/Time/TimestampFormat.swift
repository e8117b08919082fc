/// How the time in front of a line is written.
public struct TimestampFormat: Hashable, Sendable {
  /// What is written.
  public let kind: Kind
  /// How exactly.
  public let precision: Precision

  /// What can be written.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The time of day where the user is: `07:31:00.123`.
    case time
    /// Date, time and distance from universal time: `2026-11-21T07:31:00.123+01:00`.
    case iso
    /// Seconds since the line before, or since the start for the first: `+    0.123`.
    case delta
    /// Seconds since the start: `    0.123`.
    case start
    /// Seconds since 1970 in universal time: `1795242660.123`.
    case epoch
  }

  /// How many digits a second has.
  public enum Precision: Hashable, Sendable, CaseIterable {
    case milliseconds
    case microseconds

    /// Digits behind the point.
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
}

extension TimestampFormat: CustomStringConvertible {
  private static let microsecondsSuffix = ":us"

  /// Reads the name of a format, `:us` behind it for microseconds.
  ///
  /// - Throws: an error that names the formats there are.
  public init(parsing text: String) throws(TimestampFormatError) {
    let isExact = text.hasSuffix(Self.microsecondsSuffix)
    let name = isExact ? String(text.dropLast(Self.microsecondsSuffix.count)) : text
    guard let kind = Kind(rawValue: name) else { throw TimestampFormatError(text: text) }
    self.init(kind, isExact ? .microseconds : .milliseconds)
  }

  /// The text that it is read from.
  public var description: String {
    switch precision {
    case .milliseconds: kind.rawValue
    case .microseconds: kind.rawValue + Self.microsecondsSuffix
    }
  }
}

/// A text that names no format of timestamps.
public struct TimestampFormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  public let text: String

  /// What is wrong, and what there is.
  public var description: String {
    let names = TimestampFormat.Kind.allCases.map(\.rawValue).joined(separator: ", ")
    return "'\(text)': expected one of \(names); with :us behind it for microseconds, as in time:us"
  }
}
