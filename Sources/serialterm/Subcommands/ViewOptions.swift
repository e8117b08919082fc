import ArgumentParser
import Views

/// How what the device sends is shown.
struct ViewOptions: ParsableArguments {
  @Flag(name: [.customShort("x"), .long], help: "Show bytes as hexadecimal numbers.")
  var hex = false

  @Option(help: "Milliseconds of silence that end a line of numbers.")
  var hexGap = 50

  @Option(
    name: [.customShort("t"), .long],
    help: .init(
      "Show when each line came: time (if nothing follows), iso, delta, start or epoch; with :us "
        + "to the microsecond.", valueName: "format"),
    transform: { try TimestampFormat(parsing: $0) })
  var timestamps: TimestampFormat?

  @Option(
    name: [.short, .long],
    help: .init(
      "Change characters: from-device:cr=lf, to-device:lf=crlf and others, with commas between; or "
        + "tio's names, as ICRNL.", valueName: "list"),
    transform: { try MapList(parsing: $0) })
  var map = MapList()

  @Option(
    help: .init(
      "Set off what a regular expression fits: 'REGEX=red'; or levels, for the lines of firmware. "
        + "May be given more than once.", valueName: "regex=colour"),
    transform: { try Highlight.parsing($0) })
  var highlight: [[Highlight]] = []

  @Option(
    help: .init(
      "Show what a command makes of what the device sends: the bytes pass through it. The log has "
        + "them as they came.", valueName: "command"))
  var filter: String?

  @Flag(help: "Let every escape sequence of the device through to the terminal.")
  var raw = false

  @Flag(help: "Show the state in the last line of the screen.")
  var status = false

  @Flag(help: "Print lists once, with numbers, instead of drawing them: for screen readers.")
  var plain = false

  func validate() throws {
    guard (1...60_000).contains(hexGap) else {
      throw ValidationError("'--hex-gap \(hexGap)': expected milliseconds from 1 to 60000")
    }
  }

  var settings: ViewSettings {
    ViewSettings(
      isHex: hex, hexGap: .milliseconds(hexGap), timestamps: timestamps, map: map,
      highlights: highlight.flatMap { $0 }, isHighlighting: !highlight.isEmpty, isRaw: raw)
  }
}
