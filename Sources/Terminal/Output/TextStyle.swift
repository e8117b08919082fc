import Glibc
import Posix
import SystemPackage
package import TerminalWidgets
import TextTools

/// Whether text is printed with colours and other attributes.
package struct TextStyle: Sendable {
  /// Whether escape sequences are used at all.
  package let isColoured: Bool

  package static let plain = TextStyle(isColoured: false)

  /// Whether the terminal has the palette of 256 colours, according to TERM and COLORTERM.
  package static let hasPalette: Bool = {
    let term = getenv("TERM").map { String(cString: $0) } ?? ""
    let names = ["256color", "direct", "kitty", "alacritty", "foot", "ghostty", "wezterm"]
    return getenv("COLORTERM") != nil || names.contains { term.firstRange(ofText: $0) != nil }
  }()

  /// The style for a descriptor: coloured on a terminal, unless NO_COLOR or TERM=dumb is
  /// set. See https://no-color.org.
  package init(for descriptor: CInt) {
    let refusal = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    isColoured = FileDescriptor(rawValue: descriptor).isTerminal && !refusal && !Self.isDumb
  }

  /// Whether the terminal can only print, according to TERM.
  static let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true

  /// Whether the terminal has an alternate screen (mode 1049), according to TERM. Old terminals and
  /// the console of Linux have none.
  static let hasAlternateScreen: Bool = {
    let term = getenv("TERM").map { String(cString: $0) } ?? ""
    let without = ["ansi", "cons25", "linux", "vt100", "vt102", "vt220", "vt320", "vt420", "vt52"]
    return !without.contains { term == $0 || term.hasPrefix("\($0)-") }
  }()

  package init(isColoured: Bool) { self.isColoured = isColoured }

  /// A line as text. Of its styles, only dimmed text is kept.
  package func text(of line: StyledLine) -> String {
    line.runs.map { $0.style.contains(.dimmed) ? dimmed($0.text) : $0.text }.joined()
  }

  /// The text with less emphasis.
  package func dimmed(_ text: String) -> String { isColoured ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}
