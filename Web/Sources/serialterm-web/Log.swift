import Glibc
import SystemPackage

/// The log of the server, on standard error. Pages get nothing of it.
enum Log {
  /// Writes a line. It does not begin as the reason of an end does, which serialterm reports.
  static func write(_ text: String) {
    // A log that nobody reads does not matter.
    _ = try? FileDescriptor.standardError.writeAll("serialterm-web log: \(cleaned(text))\n".utf8)
  }

  /// A text without what a terminal could take for something else, at most 300 characters long.
  static func cleaned(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(300).map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse,
        .surrogate:
        "\u{FFFD}"
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
