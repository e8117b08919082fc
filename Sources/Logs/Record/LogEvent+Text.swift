extension LogEvent: CustomStringConvertible {
  /// In words: `opened /dev/ttyUSB0 at 115200 8N1`.
  public var description: String {
    "\(kind.rawValue) \(path)" + (detail.map(Self.words) ?? "")
  }

  private static func words(for detail: Detail) -> String {
    switch detail {
    case .settings(let settings): " at \(settings)"
    case .lines(let old, let new): ": \(new), before: \(old)"
    case .errors(let counts):
      ": " + counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    }
  }

  /// A gap in words.
  static func gapText(_ count: Int) -> String { "gap: \(count) bytes not logged" }
}
