import Options
import Sessions
import Terminal

/// Shows the progress of file transfers for `send`, `receive` and `run`, on standard error alone.
final class ProgressDisplay {
  /// The value of `--progress`.
  enum Style: String, CaseIterable {
    /// Drawn on a terminal; lines on a terminal that cannot draw; nothing elsewhere.
    case auto
    /// Lines, also in a file or a pipe.
    case plain
    case none
  }

  static let parameter = Parameter<Style>.choice(
    "progress", "STYLE",
    "The progress of a transfer: auto draws it on a terminal; plain, a line every 10 %; none.",
    standard: .auto)

  /// The style. A profile may change it before the port is open.
  var style: Style
  private let console: Console
  private var lines = PlainProgress()

  init(_ style: Style, on console: Console) { (self.style, self.console) = (style, console) }

  func show(_ status: TransferStatus) {
    guard !console.isQuiet else { return }
    switch (style, console.progressKind) {
    case (.auto, .drawing): console.setProgress(status.line)
    case (.auto, .printing), (.plain, _):
      if let line = lines.line(of: status) { console.say(line) }
    case (.auto, .none), (.none, _): break
    }
  }

  /// Removes what is drawn.
  func end() { console.setProgress(nil) }
}

/// The progress of transfers as lines: one for each tenth of a file. If the size of a file is
/// unknown, one at 64 KiB, and one whenever the number of bytes has doubled.
struct PlainProgress {
  private static let firstCount = 65_536

  private var number = -1
  private var shownTenths = 0
  private var nextCount = firstCount

  /// The next line; nil for none.
  mutating func line(of status: TransferStatus) -> String? {
    if status.number != number {
      (number, shownTenths, nextCount) = (status.number, 0, Self.firstCount)
      if number == 0 { return status.plainLine }
    }
    guard let percent = status.percent else {
      guard status.position >= nextCount else { return nil }
      while nextCount <= status.position, nextCount < Int.max / 2 { nextCount *= 2 }
      return status.plainLine
    }
    // The end of a file has a line of its own.
    let tenths = percent / 10
    guard tenths > shownTenths, tenths < 10 else { return nil }
    shownTenths = tenths
    return status.plainLine
  }
}
