/// The kinds of standard output.
package enum ScreenKind: Hashable, Sendable {
  /// Not a terminal.
  case none
  /// A terminal that can only print.
  case printing
  /// A terminal that can draw anywhere on its screen.
  case drawing
}
