import Patterns

extension Highlight {
  /// The name of the preset ``levels``.
  public static let presetName = "levels"

  /// Colours for the levels of log messages, as firmware writes them.
  ///
  /// The whole line where the level begins it: `E (123) tag:` (ESP-IDF), `<3>` (kernel, syslog). From
  /// the level to the end of the line for Zephyr's `<err>`. Elsewhere the word alone, in capitals.
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
