import Glibc
import Posix
import SystemPackage
package import TerminalUI

/// Whether text is printed with colours and other attributes.
package struct TextStyle: Sendable {
  /// Whether escape sequences are used at all.
  package let isColoured: Bool

  package static let plain = TextStyle(isColoured: false)

  /// The style for a descriptor: coloured on a terminal, unless NO_COLOR or TERM=dumb is set. See
  /// https://no-color.org.
  package init(for descriptor: CInt) {
    let refusal = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    isColoured = FileDescriptor(rawValue: descriptor).isTerminal && !refusal && !Self.isDumb
  }

  /// Whether the terminal can only print, according to TERM.
  static let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true

  package init(isColoured: Bool) { self.isColoured = isColoured }

  /// A line as text. Of its styles, only dimmed text is kept.
  package func text(of line: StyledLine) -> String {
    line.runs.map { $0.style.contains(.dimmed) ? dimmed($0.text) : $0.text }.joined()
  }

  /// The text with less emphasis.
  package func dimmed(_ text: String) -> String { isColoured ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}
