import ArgumentParser
import TerminalFrontEnd
import Views

/// How what the device sends is shown.
struct ViewOptions: ParsableArguments {
  @Flag(name: [.customShort("x"), .long], help: "Show bytes as hexadecimal numbers.")
  var hex = false

  @Option(help: "Milliseconds of silence that end a row of the hex view.")
  var hexGap = 50

  @Option(
    name: [.customShort("t"), .long],
    help: .init(
      "Show the time of each line: time (the default), iso, delta, start or epoch; with :us "
        + "in microseconds.", valueName: "format"),
    transform: { try TimestampFormat(parsing: $0) })
  var timestamps: TimestampFormat?

  @Option(
    name: [.short, .long],
    help: .init(
      "Change characters: from-device:cr=lf, to-device:lf=crlf and others, with commas between; or "
        + "tio's names, such as ICRNL.", valueName: "list"),
    transform: { try MapList(parsing: $0) })
  var map = MapList()

  @Option(
    help: .init(
      "Colour text that matches a regular expression: 'REGEX=red'; or levels: lines of firmware by "
        + "severity. Can be repeated.", valueName: "regex=colour"),
    transform: { try Highlight.parsing($0) })
  var highlight: [[Highlight]] = []

  @Option(
    help: .init(
      "Show the output of a command that reads the device's bytes. The log has the bytes as the "
        + "device sent them.", valueName: "command"))
  var filter: String?

  @Flag(help: "Pass all escape sequences of the device to the terminal.")
  var raw = false

  @Flag(help: "Show a status line at the bottom of the screen.")
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
