import Glibc
import TerminalWidgets

/// The characters that the user's terminal can show, according to the locale.
package enum TerminalCharacters {
  /// Whether the terminal can only show ASCII: in the locale `C` or `POSIX`, or in one with a
  /// character set other than UTF-8. See locale(7).
  package static let areASCII: Bool = {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    let values = names.compactMap { getenv($0).map { String(cString: $0) } }
    return isASCII(locale: values.first { !$0.isEmpty })
  }()

  /// - Parameter locale: the locale; nil if the environment names none. Modern terminals
  ///   then support UTF-8.
  package static func isASCII(locale: String?) -> Bool {
    guard let locale else { return false }
    if locale == "C" || locale == "POSIX" { return true }
    let parts = locale.split(separator: "@")[0].split(separator: ".")
    guard parts.count > 1 else { return false }
    return parts[1].filter { $0 != "-" }.lowercased() != "utf8"
  }
}

extension String {
  /// The text in a form that the user's terminal can show. Without UTF-8, other characters are
  /// shown by their code points: `<e9>`.
  package var forTerminal: String { TerminalCharacters.areASCII ? inASCII : self }

  /// The text in ASCII.
  var inASCII: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\u{0}"..."\u{7F}": text.unicodeScalars.append(scalar)
      case "…": text += "..."
      case "\u{FFFD}": text += "?"
      default:
        let digits = String(scalar.value, radix: 16)
        text += "<" + String(repeating: "0", count: digits.count == 3 ? 1 : 0) + digits + ">"
      }
    }
  }
}
