import TestSupport
import Testing

@testable import TextStages

/// The cells of a screen of 4 rows and 10 columns.
struct ScreenCellsTests {
  private static func cells(_ text: String, frame: Range<Int> = 0..<4) -> ScreenCells {
    var cells = ScreenCells(frame: frame, rows: 4, columns: 10)
    cells.write(Array(text.utf8))
    return cells
  }

  /// The rows without blanks at their ends, and the cursor.
  private static func look(_ cells: ScreenCells) -> String {
    let rows = cells.screen.map { row in
      var text = row.cells.map { $0.text ?? " " }.joined()
      while text.last == " " { text.removeLast() }
      return text
    }
    return rows.joined(separator: "|") + " \(cells.place.row),\(cells.place.column)"
  }

  private static let clear = "\u{1B}[H\u{1B}[2J"

  @Test(arguments: [
    ("one\r\ntwo", "one|two|| 1,3"), ("a\tb\u{8}c", "a       c||| 0,9"),
    ("0123456789", "0123456789|||| 0,10"), ("0123456789x", "0123456789|x|| 1,1"),
    ("0123456789\r\nx", "0123456789|x|| 1,1"), ("12345678\u{1B}[?7lxyz", "12345678xz||| 0,10"),
    ("世界a\u{1B}[3D|", "世 |a||| 0,3"), ("12345678 世", "12345678|世|| 1,2"),
    ("e\u{301}x", "e\u{301}x||| 0,2"), ("ab\u{1B}[3b", "abbbb||| 0,5"),
    ("abcdef\u{1B}[3G\u{1B}[2P", "abef||| 0,2"), ("abcdef\u{1B}[3G\u{1B}[2@", "ab  cdef||| 0,2"),
    ("abcdef\u{1B}[3G\u{1B}[2X", "ab  ef||| 0,2"), ("abcdef\u{1B}[3G\u{1B}[K", "ab||| 0,2"),
    ("abcdef\u{1B}[3G\u{1B}[1K", "   def||| 0,2"), ("ab\u{1B}[4h\u{1B}[GX", "Xab||| 0,1"),
    ("1\r\n2\r\n3\r\n4\u{1B}[2;3r\u{1B}[3;1H\nx", "1|3|x|4 2,1"),
    ("1\r\n2\r\n3\r\n4\u{1B}[2;3r\u{1B}[2;1H\u{1B}Mx", "1|x|2|4 1,1"),
    ("1\r\n2\r\n3\r\n4\u{1B}[2;1H\u{1B}[L", "1||2|3 1,0"),
    ("1\r\n2\r\n3\r\n4\u{1B}[2;1H\u{1B}[M", "1|3|4| 1,0"),
    ("1\r\n2\r\n3\r\n4\u{1B}[2S", "3|4|| 3,1"), ("1\r\n2\r\n3\r\n4\u{1B}[T", "|1|2|3 3,1"),
    ("1\r\n2\r\n3\r\n4\u{1B}[2;3r\u{1B}[?6h\u{1B}[9;1Hx", "1|2|x|4 2,1"),
    ("a\u{1B}7b\u{1B}[3;3Hc\u{1B}8d", "ad||c... 0,2"), ("a\u{1B}[3;3Hb\u{1B}[1J", "||| 2,3"),
    ("a\r\n\nb\u{1B}[2;1H\u{1B}[J", "a||| 1,0"), ("\u{1B}#8\u{1B}[2;2H\u{1B}[K", "E"),
    ("main\u{1B}[?1049halt\u{1B}[?1049l!", "main!||| 0,5"),
    ("main\u{1B}[?47hx\u{1B}[?47l!", "main !||| 0,6"),
    ("\u{1B}[3g\u{1B}[5G\u{1B}H\r\tx", "    x||| 0,5"), ("abc\u{1B}[9;9H\u{1B}[2Zx", "abc|||x 3,1"),
    ("ab\u{1B}[5Bc\u{1B}[9Ad\u{1B}[2Ee\u{1B}[Ff", "ab d|f|e|  c 1,1"),
    ("0123456789\u{1B}[3dx", "0123456789||" + "         x 2,10"),
    ("1\u{1B}[9ex", "1|||" + " x 3,2"), ("世\u{1B}[G\u{1B}[P", "|||" + " 0,0"),
  ])
  func `Text and sequences have their places`(text: String, picture: String) {
    let look = Self.look(Self.cells(Self.clear + text))
    switch picture {
    case "E": #expect(look == "EEEEEEEEEE|E|EEEEEEEEEE|EEEEEEEEEE 1,1")
    case let part where part.contains("..."): #expect(look == "ad||  c| 0,2")
    default: #expect(look.filter { $0 != "|" } == picture.filter { $0 != "|" })
    }
  }

  @Test(arguments: [
    ("", false), ("text", false), ("\u{1B}[2J", false), ("\u{1B}[2J\u{1B}[2d", false),
    ("\u{1B}[2J\u{1B}[H", true),
    ("\u{1B}[H\u{1B}[J", true), ("\u{1B}[H\u{1B}[Jtext\r\n", true), ("\u{1B}[3H\u{1B}[J", false),
    ("1\r\n2\r\n3\r\n", false), ("1\r\n2\r\n3\r\n4\r\n5", false),
    ("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8", true),
    ("\r\u{1B}[2K\u{1B}[J1\r\n2\r\n3\r\n4", true), ("\u{1B}[?1049h", false),
    ("\u{1B}[?1049h\u{1B}[H", true),
    ("\r1\n2\n3\n4\n5\n6\n7\n8\u{1B}7\r\n6\u{1B}8", true),
    ("\u{1B}7\u{1B}[H\u{1B}[J\u{1B}8", false),
    ("\r\u{1B}[J1\r\n2\u{1B}[A\r\n3\r\n4\r\n5\r\n6", true),
    ("\r\u{1B}[J1\r\n2\u{1B}[2A\r\n3\r\n4\r\n5\r\n", false),
    ("\u{1B}[H\u{1B}[Ja\u{1B}[10b", true), ("\u{1B}[H\u{1B}[Ja\u{1B}[11b", false),
    ("\u{1B}[H\u{1B}[J\u{1B}8", false), ("\u{1B}[H\u{1B}[J\u{1B}[ @", false),
    ("\u{1B}[?1049h\u{1B}[H\u{1B}[?1049l", false), ("\u{1B}#8", true),
    ("\r\u{1B}[2K\u{1B}[J1\r\n\u{1B}[?1049h\u{1B}[9H\n\u{1B}[?1049l2\r\n3\r\n4", true),
    ("\r\u{1B}[J1\r\n2\u{1B}[A\u{1B}[?1049h\r1\n2\n3\n", true),
    ("\r\u{1B}[2K\u{1B}[J1\r\n\u{1B}[?47h\u{1B}[9H\n\u{1B}[?47l2\r\n3\r\n4", false),
  ])
  func `Cells are known when everything before is gone`(text: String, isComplete: Bool) {
    #expect(Self.cells(text).isComplete == isComplete)
  }

  @Test(arguments: [
    ("\u{1B}[H\u{1B}[2Jtext\r\n", false), ("\u{1B}[H\u{1B}[2J\u{1B}[2;2Hx", true),
    ("\u{1B}[2;2Hx\r\n\n\n\n\n\n", false), ("\u{1B}[?1049h", true), ("\u{1B}[1;3r", true),
    ("1\r\n2\r\n3\r\n4\r\n5\r\n", false), ("\u{1B}[1;4r", false),
    ("\u{1B}[?1049h\u{1B}[3;3Hx\u{1B}[?1049l", false),
  ])
  func `A full-screen program is known by the moves of the cursor`(text: String, isDrawn: Bool) {
    #expect(Self.cells(text).isDrawn == isDrawn)
  }

  /// What a user sees, and what a device can find out.
  struct Picture: Equatable {
    let screen: [[ScreenCells.Cell]]
    let place, saved: ScreenCells.Place?
    let modes: [Bool]
    let region: Range<Int>

    init(_ cells: ScreenCells) {
      screen = cells.screen.map { $0.cells.map(Self.visible) }
      (place, saved, region) = (cells.place, cells.saved, cells.region)
      modes = [cells.wraps, cells.inserts]
    }

    private static func visible(_ cell: ScreenCells.Cell) -> ScreenCells.Cell {
      ScreenCells.Cell(text: cell.text ?? " ", rendition: cell.rendition)
    }

    func difference(_ other: Self) -> String {
      if place != other.place { return "place \(place!) \(other.place!)" }
      // What was saved before the text is unknown.
      if other.saved != nil, saved != other.saved {
        return "saved \(String(describing: saved)) \(other.saved!)"
      }
      if modes != other.modes || region != other.region { return "modes" }
      for (row, (one, two)) in zip(screen, other.screen).enumerated() {
        for (column, (a, b)) in zip(one, two).enumerated() where a != b {
          return "\(row),\(column): \(a) \(b)"
        }
      }
      return ""
    }
  }

  /// Text and sequences of all kinds.
  static let pieces = [
    "a", "bc", "世", "e\u{301}", "0123456789", "\r", "\n", "\t", "\u{8}", "\u{1B}[2;3H",
    "\u{1B}[4;10Hx", "\u{1B}[K", "\u{1B}[1K", "\u{1B}[J", "\u{1B}[1J", "\u{1B}[L", "\u{1B}[M",
    "\u{1B}[2@", "\u{1B}[P", "\u{1B}[3X", "\u{1B}[2;3r", "\u{1B}[r", "\u{1B}[?6h", "\u{1B}[?6l",
    "\u{1B}[?7l", "\u{1B}[?7h", "\u{1B}[4h", "\u{1B}[4l", "\u{1B}7", "\u{1B}8", "\u{1B}M",
    "\u{1B}D", "\u{1B}[S", "\u{1B}[T", "\u{1B}[1;31m", "\u{1B}[44m", "\u{1B}[0m",
    "\u{1B}[38;2;1;2;3m", "\u{1B}[4:3;58:5:9m", "\u{1B}[7m", "\u{1B}[A", "\u{1B}[2B",
    "\u{1B}[3C", "\u{1B}[D", "\u{1B}[b", "\u{1B}[?1049h\u{1B}[2J\u{1B}[H", "\u{1B}[?1049l",
    "\u{1B}#8", "\u{1B}[Z", "\u{1B}[I", "\u{1B}[d", "\u{1B}[e", "\u{1B}[F", "\u{1B}[E",
  ]

  @Test func `Random text is painted as it was, from any state`() {
    var random = SplitMix64(seed: 48)
    var complete = 0
    func stream() -> String {
      (0..<Int.random(in: 0...25, using: &random))
        .map { _ in Self.pieces.randomElement(using: &random)! }.joined()
    }
    for _ in 0..<5_000 {
      var cells = Self.cells(Self.clear + "\u{1B}7" + stream())
      let text = stream()
      cells.write(Array(text.utf8))
      guard cells.isComplete else { continue }
      // A cursor outside of the region in which rows count cannot be set.
      if cells.place.isOrigin, !cells.region.contains(cells.place.row) { continue }
      complete += 1
      var other = Self.cells(Self.clear + "\u{1B}7" + stream())
      // They show the same screen.
      other.write(Array((cells.isAlternate ? "\u{1B}[?1049h" : "\u{1B}[?1047l").utf8))
      other.write(cells.redrawn)
      #expect(Picture(other).difference(Picture(cells)) == "", "\(text.debugDescription)")
      // Rows that a panel has covered, and everything that it has changed.
      var covered = cells
      let panel = ScreenCells.beforePainting + "\u{1B}[2;1H\u{1B}[Kpanel\u{1B}[3;1H\u{1B}[Kpanel"
      covered.write(Array((panel + ScreenCells.beforePainting).utf8))
      covered.write(cells.painted(1..<3) + cells.placed)
      #expect(Picture(covered).difference(Picture(cells)) == "", "\(text.debugDescription)")
    }
    #expect(complete > 2_000)
  }

  @Test func `Text that was moved up is painted there`() {
    let cells = Self.cells(Self.clear + "1\r\n2\r\n3\r\n4")
    var other = Self.cells(Self.clear)
    other.write(cells.painted(0..<2, movedUpBy: 2))
    #expect(Self.look(other).hasPrefix("3|4||"))
  }

  @Test func `Text below the cursor is painted wherever the cursor is`() {
    let text = "$ a\r\nlong\r\nend\u{1B}[A\r"
    var cells = ScreenCells(frame: 0..<4, rows: 4, columns: 10)
    cells.beginRow()
    cells.write(Array(text.utf8))
    let painted = cells.paintedBelow
    cells.write(Array("\u{1B}[J".utf8))
    cells.write(painted)
    #expect(Self.look(cells) == "|$ a||end 2,0")
    #expect(Self.cells("$ a\r\n").paintedBelow.isEmpty)
  }

  @Test func `A changed size keeps what was drawn at its distance from the top`() {
    var cells = Self.cells("\u{1B}[?1049h\u{1B}[Htitle\u{1B}[4;1Hend 世")
    cells.resize(frame: 0..<6, rows: 6, columns: 5)
    #expect(Self.look(cells) == "title|||end|| 3,4" && cells.isComplete)
    cells.resize(frame: 0..<2, rows: 3, columns: 8)
    #expect(cells.row == 1 && cells.region == 0..<2 && cells.isComplete)
    // Terminals break lines again.
    var lines = Self.cells("\r\u{1B}[J1\r\n2\r\n3\r\n4\r\n5\r\n")
    var kept = lines
    lines.resize(frame: 0..<6, rows: 6, columns: 5)
    kept.resize(frame: 0..<6, rows: 6, columns: 5, keepsLines: true)
    #expect(!lines.isComplete && kept.isComplete)
    // But no text is below the last row.
    lines.write(Array("\r\u{1B}[K6\r\n7\r\n8\r\n9\r\n10\r\n11".utf8))
    #expect(lines.isComplete)
  }

  @Test func `Without an alternate screen, nothing is known when the device shows it`() {
    var cells = ScreenCells(frame: 0..<4, rows: 4, columns: 10, hasAlternateScreen: false)
    cells.write(Array("\u{1B}[H\u{1B}[Jtext".utf8))
    #expect(cells.isComplete)
    cells.write(Array("\u{1B}[?1049h".utf8))
    #expect(!cells.isComplete && !cells.isAlternate)
  }

  @Test(arguments: [
    ("\u{1B}[2;1H", true), ("\u{1B}[H", true), ("text\u{1B}[31m\u{1B}[K\r\n", false),
    ("\u{1B}[?25h\u{1B}[?7h", false), ("\u{1B}[?1;1049h", true), ("\u{1B}[2;3r", true),
    ("\u{1B}", false), ("\u{1B}7\u{1B}8", false),
  ])
  func `Text that may draw is found`(text: String, mayDraw: Bool) {
    let bytes = Array("line\r\n\(text)line\r\n".utf8)
    #expect(bytes.withUnsafeBytes { ScreenCells.mayBeDrawn(by: $0) } == mayDraw)
  }

  @Test func `Rows of the program itself need not be known`() {
    let cells = Self.cells("\r\u{1B}[J1\r\n2\r\n3\r\n4\r\n5", frame: 1..<3)
    #expect(cells.isComplete)
    #expect(Self.look(cells) == "|4|5| 2,1")
  }

  @Test func `Numbers of any size are harmless`() {
    for final in "@ABCDEFGHIJKLMPSTXZ`abdefgr".unicodeScalars {
      for number in [0, 1, 4, 9_999] {
        let cells = Self.cells(
          Self.clear
            + "text\u{1B}[3;8H世\u{1B}[\(number);\(number)\(final)x世\u{1B}[\(number)\(final)y")
        #expect(cells.screen.count == 4 && cells.screen.allSatisfy { $0.cells.count == 10 })
      }
    }
  }
}
