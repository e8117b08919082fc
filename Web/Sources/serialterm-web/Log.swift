import Glibc
import SystemPackage

/// The log of the server, on standard error. Pages get nothing of it.
enum Log {
  /// Writes a line. It does not begin as the reason of an end does, which serialterm reports.
  static func write(_ text: String) {
    // A log that nobody reads does not matter.
    _ = try? FileDescriptor.standardError.writeAll("serialterm-web log: \(cleaned(text))\n".utf8)
  }

  /// The longest line, in Unicode scalars. A refusal with the longest names is shorter.
  static let longestLine = 640

  /// A text without what a terminal could take for something else. A long one ends with ….
  ///
  /// - Parameter limit: the most Unicode scalars of the text.
  static func cleaned(_ text: String, upTo limit: Int = longestLine) -> String {
    let rest = text.unicodeScalars.dropFirst(limit)
    let scalars = text.unicodeScalars.prefix(limit).map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse,
        .surrogate:
        "\u{FFFD}"
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars)) + (rest.isEmpty ? "" : "…")
  }
}
