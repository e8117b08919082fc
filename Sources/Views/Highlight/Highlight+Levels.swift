extension Highlight {
  /// What ``levels`` is called.
  public static let presetName = "levels"

  /// How grave a line is, as firmware says it.
  ///
  /// The whole line in the forms that begin it: `E (123) tag:` of ESP-IDF, `<3>` of the kernel
  /// (printk, syslog). Zephyr's `<err>` to the line's end. Elsewhere the word alone, in capitals.
  public static let levels: [Highlight] = [
    level(#"^(?:D|V) \(\d+\).*|^<7>.*|<dbg>.*|\b(?:DEBUG|TRACE|VERBOSE)\b"#, "cyan"),
    level(#"^I \(\d+\).*|^<[56]>.*|<inf>.*|\b(?:INFO|NOTICE)\b"#, "green"),
    level(#"^W \(\d+\).*|^<4>.*|<wrn>.*|\bWARN(?:ING)?\b"#, "yellow"),
    level(#"^E \(\d+\).*|^<[0-3]>.*|<err>.*|\b(?:ERROR|FATAL|CRITICAL|PANIC|ASSERT)\b"#, "red"),
  ]

  private static func level(_ regex: String, _ name: String) -> Highlight {
    guard let pattern = try? Pattern(parsing: regex), let colour = HighlightColour(parsing: name)
    else { preconditionFailure(regex) }
    return Highlight(pattern, colour)
  }
}
