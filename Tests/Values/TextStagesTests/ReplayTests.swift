import TestSupport
import Testing
import Time

@testable import TextStages

/// What shows a device's screen on another terminal.
struct ReplayTests {
  /// A terminal of 4 rows and 10 columns behind a filter.
  private struct Terminal {
    var filter = EscapeFilter(size: { (10, 4) })
    var cells = ScreenCells(frame: 0..<4, rows: 4, columns: 10)

    init(_ text: String = "") { receive(Array("\u{1B}[H\u{1B}[2J\(text)".utf8)) }

    mutating func receive(_ bytes: [UInt8]) {
      var text: [UInt8] = []
      let result = bytes.withUnsafeBytes {
        filter.transform($0, at: Moment(wallClock: 0, monotonic: 0), into: &text)
      }
      cells.write(result == .unchanged ? bytes : text)
    }

    mutating func receive(_ text: String) { receive(Array(text.utf8)) }

    var picture: ScreenCellsTests.Picture { ScreenCellsTests.Picture(cells) }

    /// Whether the cursor can be set, and what it is relative to.
    var isReplayed: Bool {
      cells.isComplete && !(cells.place.isOrigin && !cells.region.contains(cells.place.row))
    }

    var rows: [String] {
      cells.screen.map { $0.cells.map { $0.text ?? " " }.joined() }
    }
  }

  private static let pieces =
    ScreenCellsTests.pieces + [
      "\u{1B}(0", "\u{1B}(B", "\u{1B})0", "\u{E}", "\u{F}", "\u{1B}*0", "\u{1B}n", "\u{1B}N",
      "qqx~",
      "#", "\u{1B}(A", "\u{1B}[11m", "\u{1B}[10m", "\u{1B}H", "\u{1B}[3g", "\u{1B}[g",
      "\u{1B}[?2004h", "\u{1B}[?25l", "\u{1B}[?1h", "\u{1B}=", "\u{1B}[3",
    ]

  @Test func `Another terminal shows the same, and goes on as the first`() {
    var random = SplitMix64(seed: 50)
    func stream() -> String {
      (0..<Int.random(in: 0...25, using: &random))
        .map { _ in Self.pieces.randomElement(using: &random)! }.joined()
    }
    var count = 0
    for _ in 0..<5_000 {
      let text = stream()
      var first = Terminal("\u{1B}7\(text)")
      guard first.isReplayed else { continue }
      var other = Terminal(stream() + "\u{18}x")
      other.receive(first.filter.replay(first.cells, withMain: true))
      let difference = other.picture.difference(first.picture)
      #expect(difference == "", "\(text.debugDescription)")
      #expect(other.cells.isAlternate == first.cells.isAlternate)
      // Whether rows count from the region can be in doubt.
      let switched = [other, first].map { $0.filter.switched.subtracting([.tabs, .origin]) }
      #expect(switched[0] == switched[1])
      // What REP repeats does not count: the bell comes between.
      let more = "\u{7}" + stream()
      // What DECRC restores must be known.
      if first.cells.saved == nil, more.contains("\u{1B}8") || more.contains("1049l") { continue }
      // And the screen that is shown then.
      if more.contains("1049h") || more.contains("1049l") && first.cells.main == nil { continue }
      first.receive(more)
      other.receive(more)
      guard first.isReplayed, other.cells.isComplete else { continue }
      count += 1
      let later = other.picture.difference(first.picture)
      #expect(later == "", "\(text.debugDescription) \(more.debugDescription)")
    }
    #expect(count > 1_000)
  }

  @Test func `The main screen is there when the program ends`() {
    for hasMain in [false, true] {
      var first = Terminal("one\r\ntwo\u{1B}[?1049h\u{1B}[2Jprogram")
      var other = Terminal()
      other.receive(first.filter.replay(first.cells, withMain: hasMain))
      #expect(other.rows == first.rows)
      for text in ["\u{1B}[?1049l", "!"] {
        first.receive(text)
        other.receive(text)
      }
      #expect((other.rows == first.rows) == hasMain)
      #expect(first.rows[1].hasPrefix("two!"))
    }
  }
}
