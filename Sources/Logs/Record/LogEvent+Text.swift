extension LogEvent: CustomStringConvertible {
  /// In words: `opened /dev/ttyUSB0 at 115200 8N1`.
  public var description: String {
    "\(kind.rawValue) \(path)" + (settings.map { " at \($0)" } ?? "")
  }

  /// A gap in words.
  static func gapText(_ count: Int) -> String { "gap: \(count) bytes not logged" }
}
