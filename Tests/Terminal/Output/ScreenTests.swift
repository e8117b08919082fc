import EventLoop
import Observing
import SystemPackage
import TerminalWidgets
import TextStages
import TestSupport
import Testing

@testable import Terminal

/// The user's screen: text, panels, the status line.
@Suite(.timeLimit(.minutes(30))) struct ScreenTests {
  /// The text of a device whose state can be set.
  private final class DeviceText: ScreenDelegate {
    var deviceState: [UInt8] = []
    func cursorDidMove(toMargin isAtMargin: Bool) {}
  }

  private final class Bench {
    let loop: IOLoop
    let terminal: FakeTerminal
    let screen: Screen
    private(set) var focuses: [Bool] = []
    private let output: OutputChannel
    private var cursor: ObservationToken<Change<Screen.CursorPlace>>?
    let text = DeviceText()

    init(_ size: ScreenSize = ScreenSize(rows: 8, columns: 40), draws: Bool = true) throws {
      loop = try IOLoop()
      terminal = try FakeTerminal(draws ? .drawing : .printing, size: size)
      output = try OutputChannel(terminal.streams.output, on: loop, whenFull: .leaveOut)
      screen = Screen(output, draws: draws, size: terminal.streams.screenSize)
      cursor = screen.$cursorPlace.observe { [unowned self] in focuses.append($0.new != .text) }
      screen.delegate = text
    }

    /// The rows of the text.
    var lines: [String] {
      terminal.look()
      return terminal.lines
    }

    /// All rows, from the top.
    var rows: [String] {
      terminal.look()
      return terminal.screen.grid.map { ScreenModel.text(of: $0) }
    }

    static func content(_ lines: String..., cursor: Int? = nil) -> Screen.Content {
      { _ in PanelContent(lines.map { StyledLine($0) }, cursorColumn: cursor) }
    }
  }

  @Test func `A footer stays below the text, and disappears`() throws {
    let bench = try Bench()
    bench.screen.setFooter(Bench.content("> line"))
    bench.screen.show("one\r\n")
    bench.screen.say("two\r\n")
    #expect(bench.rows.filter { !$0.isEmpty } == ["one", "two", "> line"])
    bench.screen.setFooter(nil)
    #expect(bench.rows.filter { !$0.isEmpty } == ["one", "two"])
  }

  @Test func `A cover keeps text and messages back, and shows them in their order`() throws {
    let bench = try Bench()
    bench.screen.show("before\r\n")
    bench.screen.cover(with: Bench.content("question:", "  answer", cursor: 10))
    bench.screen.show("text\r\n")
    bench.screen.say("message\r\n")
    bench.screen.show("more\r\n")
    #expect(bench.rows.filter { !$0.isEmpty } == ["before", "question:", "  answer"])
    bench.screen.uncover()
    #expect(bench.rows.filter { !$0.isEmpty } == ["before", "text", "message", "more"])
  }

  @Test func `A cover that is shown again keeps the same text back`() throws {
    let bench = try Bench()
    bench.screen.cover(with: Bench.content("first"))
    bench.screen.show("text\r\n")
    bench.screen.cover(with: Bench.content("second"))
    bench.screen.uncover()
    bench.screen.uncover()
    #expect(bench.lines == ["text"])
  }

  @Test func `Text beyond the limit of a cover is counted, and messages are not lost`() throws {
    let bench = try Bench()
    bench.screen.cover(with: Bench.content("question"))
    let piece = String(repeating: "x", count: 1_022) + "\r\n"
    for _ in 0..<600 { bench.screen.show(piece) }
    bench.screen.say("message\r\n")
    bench.screen.uncover()
    for _ in 0..<50 {
      bench.terminal.look()
      try bench.loop.turn(waitingAtMost: .zero)
    }
    let text = String(decoding: bench.terminal.written, as: UTF8.self)
    let notice = try #require(text.firstMatch(of: /\[([\d,]+) bytes not shown\]/))
    let missing = try #require(Int(notice.1.replacing(",", with: "")))
    #expect(text.count { $0 == "x" } + missing >= 600 * 1_022)
    #expect(text[notice.range.upperBound...].contains("message"))
  }

  @Test func `The cursor is in the panel that the user types in, and is reported before`() throws {
    let bench = try Bench()
    bench.screen.show("text")
    bench.screen.setFooter(Bench.content("> ", cursor: 2))
    #expect(bench.focuses == [true])
    bench.terminal.look()
    #expect(bench.terminal.screen.place.column == 2)
    bench.screen.setFooter(nil)
    #expect(bench.focuses == [true, false])
    bench.terminal.look()
    #expect(bench.terminal.screen.place.column == 4)
  }

  @Test func `The status line keeps the last row while text scrolls`() throws {
    let bench = try Bench()
    bench.screen.setStatus(StatusParts("status"))
    for number in 0..<20 { bench.screen.show("\(number)\r\n") }
    #expect(bench.rows.last?.contains("status") == true)
    #expect(bench.screen.textSize.rows == 7)
    bench.screen.setStatus(StatusParts("changed"))
    #expect(bench.rows.last?.contains("changed") == true)
    bench.screen.setStatus(nil)
    #expect(bench.rows.allSatisfy { !$0.contains("changed") })
    #expect(bench.terminal.screen.region == 0..<8)
  }

  @Test func `After a resize the status line is in the new last row`() throws {
    let bench = try Bench()
    bench.screen.setStatus(StatusParts("status"))
    bench.screen.setFooter(Bench.content("> "))
    bench.screen.show("text\r\n")
    bench.terminal.look()
    bench.terminal.resize(ScreenSize(rows: 6, columns: 30))
    bench.screen.sizeDidChange()
    #expect(bench.rows.last?.contains("status") == true)
    #expect(bench.rows.filter { $0 == ">" }.count == 1)
    #expect(bench.terminal.screen.region == 0..<5)
  }

  // MARK: Pages

  /// A page, and the bytes of a device whose state is known.
  private static func cover(_ bench: Bench, _ lines: String...) {
    bench.text.deviceState = Array("\u{1B}[0m".utf8)
    bench.screen.coverWhole { _ in PanelContent(lines.map { StyledLine($0) }) }
  }

  @Test func `A page hides the text, which is then as it was`() throws {
    let bench = try Bench()
    bench.screen.setStatus(StatusParts("status"))
    bench.screen.setTop(Self.top(3))
    bench.screen.show("one\r\ntwo")
    let before = bench.rows
    let place = bench.terminal.screen.place
    Self.cover(bench, "page", "end")
    #expect(bench.rows == ["page", "end"] + Array(repeating: "", count: 6))
    #expect(bench.terminal.screen.isAlternate)
    // Nothing of this is drawn on the page.
    bench.screen.setStatus(StatusParts("changed"))
    bench.screen.refreshTop()
    bench.screen.show(" more")
    bench.screen.refresh()
    #expect(bench.rows.prefix(3) == ["page", "end", ""])
    bench.screen.uncover()
    let after = bench.rows.map { $0.replacing("changed", with: "status") }
    #expect(!bench.terminal.screen.isAlternate)
    #expect(after == before.map { $0 == "two" ? "two more" : $0 })
    #expect(bench.terminal.screen.place.row == place.row)
    #expect(bench.terminal.screen.region == 3..<7)
  }

  @Test func `The cursor on a page is reported first, and its return last`() throws {
    let bench = try Bench()
    bench.screen.show("text")
    Self.cover(bench, "page")
    #expect(bench.focuses == [true])
    bench.screen.uncover()
    #expect(bench.focuses == [true, false])
    #expect(bench.lines == ["text"])
    #expect(bench.terminal.screen.place.column == 4)
  }

  @Test func `Changes of the text's screen find it while a page is shown`() throws {
    let bench = try Bench()
    bench.screen.show("text\r\n")
    Self.cover(bench, "page")
    bench.screen.setStatus(StatusParts("status"))
    #expect(bench.rows.prefix(2) == ["page", ""])
    bench.terminal.resize(ScreenSize(rows: 6, columns: 30))
    bench.screen.sizeDidChange()
    #expect(bench.rows == ["page", "", "", "", "", ""])
    bench.screen.uncover()
    #expect(bench.rows.first == "text")
    #expect(bench.rows.last?.contains("status") == true)
    #expect(bench.terminal.screen.region == 0..<5)
  }

  @Test func `The end of the program leaves the page`() throws {
    let bench = try Bench()
    bench.screen.show("text\r\n")
    Self.cover(bench, "page")
    _ = bench.rows
    bench.screen.finish()
    #expect(bench.lines.first == "text")
    #expect(!bench.terminal.screen.isAlternate)
  }

  @Test func `Where the device's state is unknown, the page is a cover`() throws {
    let bench = try Bench()
    bench.screen.show("text\r\n")
    bench.screen.coverWhole(with: Bench.content("page"))
    #expect(bench.rows.filter { !$0.isEmpty } == ["text", "page"])
    #expect(!bench.terminal.screen.isAlternate)
    bench.screen.uncover()
    #expect(bench.rows.filter { !$0.isEmpty } == ["text"])
  }

  /// A panel at the top that shows its size, and how often it was drawn.
  private static func top(_ height: Int, _ word: String = "top") -> Screen.Top {
    Screen.Top(height: { min(height, $0.rows - 2) }) { size in
      (0..<size.rows).map { StyledLine("\(word) \($0)") }
    }
  }

  @Test func `A panel at the top stays while text, messages and a status line come and go`() throws
  {
    let bench = try Bench()
    bench.screen.show("before\r\n")
    bench.screen.setTop(Self.top(2))
    #expect(bench.rows.prefix(3) == ["top 0", "top 1", "before"])
    for number in 0..<20 { bench.screen.show("\(number)\r\n") }
    bench.screen.setStatus(StatusParts("status"))
    bench.screen.setFooter(Bench.content("> "))
    #expect(bench.screen.textSize.rows == 5)
    bench.screen.say("message\r\n")
    #expect(
      bench.rows.map { $0.prefix(6) }
        == ["top 0", "top 1", "18", "19", "messag", "", ">", "status"])
    bench.screen.setStatus(nil)
    bench.screen.setFooter(nil)
    #expect(bench.rows.prefix(3) == ["top 0", "top 1", "18"])
    bench.screen.setTop(nil)
    #expect(bench.rows.prefix(3) == ["18", "19", "message"])
    #expect(bench.terminal.screen.region == 0..<8 && bench.screen.textSize.rows == 8)
  }

  @Test func `The text below a panel at the top can be cleared`() throws {
    let bench = try Bench()
    bench.screen.setTop(Self.top(2))
    bench.screen.setStatus(StatusParts("status"))
    bench.screen.show("gone\r\n")
    bench.screen.clear()
    bench.screen.show("text")
    #expect(
      bench.rows.map { $0.prefix(6) } == ["top 0", "top 1", "text", "", "", "", "", "status"])
  }

  @Test func `A panel at the top is drawn again after a resize, a stop and a gap`() throws {
    let bench = try Bench()
    bench.screen.setTop(Self.top(3))
    bench.screen.setStatus(StatusParts("status"))
    bench.screen.show("text\r\n")
    bench.terminal.look()
    bench.terminal.resize(ScreenSize(rows: 6, columns: 30))
    bench.screen.sizeDidChange()
    #expect(bench.rows.map { $0.prefix(6) } == ["top 0", "top 1", "top 2", "", "", "status"])
    bench.terminal.resize(ScreenSize(rows: 10, columns: 30))
    bench.screen.sizeDidChange()
    bench.screen.show("text")
    #expect(bench.rows.prefix(4) == ["top 0", "top 1", "top 2", "text"])
    bench.screen.suspend()
    #expect(bench.rows.filter { !$0.isEmpty } == ["text"])
    bench.screen.resume()
    #expect(bench.rows.prefix(4) == ["top 0", "top 1", "top 2", "text"])
    bench.screen.rewrite()
    bench.screen.show("more")
    #expect(bench.rows.prefix(3) == ["top 0", "top 1", "top 2"])
    #expect(bench.rows.contains("more") && bench.rows.last?.contains("status") == true)
    bench.screen.finish()
    #expect(!bench.rows.contains { $0.hasPrefix("top") })
    #expect(bench.terminal.screen.region == 0..<10)
  }

  // MARK: Full-screen programs

  /// What a full-screen program has drawn: on a coloured ground, in a scroll region, with a saved
  /// cursor, in insert mode, with the cursor behind the last column.
  private static func draw(_ bench: Bench, after first: String = "\u{1B}[?1049h") {
    bench.text.deviceState = Array("\u{1B}[0m".utf8)
    bench.screen.show(
      first + "\u{1B}[2J\u{1B}[2;7r\u{1B}[1;3H\u{1B}[32mtitle\u{1B}7\u{1B}[0m"
        + (2...7).map { "\u{1B}[\($0);1Hrow \($0)\u{1B}[44m\u{1B}[5X\u{1B}[0m" }.joined()
        + "\u{1B}[8;1H\u{1B}[7mend\u{1B}[0m\u{1B}[4h\u{1B}[5;40H\u{1B}[31m|")
    bench.terminal.look()
  }

  /// Everything that a panel must give back.
  private struct Picture: Equatable {
    let rows: [String]
    let cells: [[ScreenModel.Cell]]
    let place: ScreenModel.Place
    let modes: [Bool]
    let region: Range<Int>
    /// Where DECRC goes, and with which colours.
    let saved: ScreenModel.Place?

    init(_ bench: Bench, hasSaved: Bool = true) {
      bench.terminal.look()
      var screen = bench.terminal.screen
      (rows, cells) = (screen.grid.map { ScreenModel.text(of: $0) }, screen.grid)
      (place, region) = (screen.place, screen.region)
      modes = [screen.wraps, screen.inserts, screen.isCursorShown, screen.isAlternate]
      screen.write("\u{1B}8")
      saved = hasSaved ? screen.place : nil
    }
  }

  private static let panels: [(String, @Sendable (Screen) -> Void, @Sendable (Screen) -> Void)] = [
    (
      "cover", { $0.cover(with: Bench.content("a", "b", "c", "d", "e", cursor: 2)) },
      { $0.uncover() }
    ),
    ("page", { $0.coverWhole(with: Bench.content("a", "b", cursor: 2)) }, { $0.uncover() }),
    ("footer", { $0.setFooter(Bench.content("> ", cursor: 2)) }, { $0.setFooter(nil) }),
    ("top", { $0.setTop(Self.top(3)) }, { $0.setTop(nil) }),
    (
      "message", { _ = $0.note([StyledLine("message")], as: "message") },
      { $0.removeNotices() }
    ),
    (
      "cover over a footer",
      {
        $0.setFooter(Bench.content("> "))
        $0.cover(with: Bench.content("a", "b", cursor: 1))
      },
      {
        $0.uncover()
        $0.setFooter(nil)
      }
    ),
    ("gap", { $0.gapDidBegin() }, { $0.rewrite() }),
    (
      "stop",
      {
        $0.keep()
        $0.restore(Array("\u{1B}[r\u{1B}[4l\u{1B}[?1049l".utf8))
        $0.suspend()
      }, { $0.resume() }
    ),
  ]

  @Test(arguments: Array(panels.indices))
  func `A panel leaves no trace over a full-screen program`(index: Int) throws {
    let (name, open, close) = Self.panels[index]
    for first in ["\u{1B}[?1049h", "\u{1B}[H"] {
      let bench = try Bench()
      bench.screen.show("text\r\n")
      Self.draw(bench, after: first)
      if first.contains("1049") {
        bench.screen.deviceModes = .alternateScreen
        bench.text.deviceState = Array("\u{1B}[?1047l\u{1B}[?1049h".utf8)
      }
      let before = Picture(bench)
      #expect(before.rows.first == "  title", "\(name)")
      open(bench.screen)
      if !["gap", "stop"].contains(name) { #expect(Picture(bench) != before, "\(name)") }
      close(bench.screen)
      #expect(Picture(bench) == before, "\(name)")
      #expect(bench.terminal.screen.unknown.allSatisfy { $0.contains("2004") }, "\(name)")
    }
  }

  @Test func `What the program draws beside a panel is there when the panel is gone`() throws {
    let (bench, other) = (try Bench(), try Bench())
    for bench in [bench, other] { Self.draw(bench) }
    bench.screen.setFooter(Bench.content("> ", "help", cursor: 2))
    bench.screen.setTop(Self.top(2))
    #expect(bench.screen.isTopFree)
    for bench in [bench, other] {
      bench.screen.show("\u{1B}[4l\u{1B}[1;1Hchanged\u{1B}[6;1Hbelow\u{1B}[3;3H")
    }
    #expect(bench.rows.prefix(2) == ["top 0", "top 1"])
    #expect(bench.rows.contains(">"))
    bench.screen.setFooter(nil)
    bench.screen.setTop(nil)
    #expect(Picture(bench) == Picture(other))
  }

  @Test func `A panel at the top gets rows of its own when the program has ended`() throws {
    let bench = try Bench()
    bench.screen.show("text\r\n")
    Self.draw(bench)
    bench.screen.setTop(Self.top(2))
    bench.screen.show("\u{1B}[r\u{1B}[4l\u{1B}[?1049l")
    for number in 0..<20 { bench.screen.show("\(number)\r\n") }
    #expect(!bench.screen.isTopFree)
    #expect(bench.rows.prefix(3) == ["top 0", "top 1", "15"])
    bench.screen.cover(with: Bench.content("a", "b", cursor: 1))
    bench.screen.uncover()
    #expect(bench.rows.prefix(2) == ["top 0", "top 1"])
  }

  @Test func `A message that nobody has seen is text when the program has ended`() throws {
    let bench = try Bench()
    bench.screen.show("text\r\n")
    Self.draw(bench)
    #expect(bench.screen.note([StyledLine("message")], as: "message\r\n"))
    #expect(bench.rows.last == "message")
    bench.screen.show("\u{1B}[r\u{1B}[4l\u{1B}[?1049l")
    #expect(bench.rows.filter { !$0.isEmpty } == ["text", "message"])
    #expect(!bench.screen.note([StyledLine("other")], as: "other\r\n"))
  }

  @Test func `A program that ends under a page or a question leaves its text and the messages`()
    throws
  {
    for open in Self.panels.prefix(2).map(\.1) {
      let bench = try Bench()
      bench.screen.show("\u{1B}[H\u{1B}[2Jmain\r\n")
      Self.draw(bench)
      bench.screen.deviceModes = .alternateScreen
      open(bench.screen)
      bench.screen.show("\u{1B}[r\u{1B}[4l\u{1B}[?1049l\u{1B}[0mafter ")
      bench.screen.deviceModes = []
      #expect(bench.screen.note([StyledLine("message")], as: "message\r\n"))
      bench.screen.refresh()
      bench.screen.removeNotices()
      bench.screen.uncover()
      #expect(bench.rows.filter { !$0.isEmpty } == ["main", "after", "message"])
      #expect(!bench.terminal.screen.isAlternate)
    }
  }

  @Test func `After a stop, nothing is known of the screen that another program has used`() throws {
    let bench = try Bench()
    bench.screen.show("\u{1B}[H\u{1B}[2Jmain\r\n")
    Self.draw(bench)
    bench.text.deviceState = Array("\u{1B}[?1049h".utf8)
    bench.screen.keep()
    bench.screen.restore(Array("\u{1B}[r\u{1B}[4l\u{1B}[?1049l".utf8))
    bench.screen.suspend()
    bench.terminal.look()
    // The shell.
    bench.terminal.show("$ ls\r\nfile\r\n$ fg\r\n")
    bench.screen.resume()
    bench.screen.show("\u{1B}[r\u{1B}[4l\u{1B}[?1049lafter")
    let before = bench.rows
    bench.screen.cover(with: Bench.content("a", "b", cursor: 1))
    bench.screen.uncover()
    #expect(bench.rows == before)
    #expect(before.contains("file"), "\(before)")
  }

  @Test func `After a resize, the program's screen is whole`() throws {
    let bench = try Bench()
    Self.draw(bench)
    bench.screen.cover(with: Bench.content("a", "b", cursor: 1))
    bench.terminal.look()
    bench.terminal.resize(ScreenSize(rows: 10, columns: 50))
    bench.screen.sizeDidChange()
    bench.screen.uncover()
    #expect(bench.rows.prefix(2) == ["  title", "row 2"])
    #expect(bench.rows.suffix(3) == ["end", "", ""])
    #expect(bench.terminal.screen.place.row == 4)
  }

  @Test func `Where lines have filled the screen, a cover gives back every row`() throws {
    let bench = try Bench()
    bench.text.deviceState = Array("\u{1B}[0m".utf8)
    for number in 0..<20 { bench.screen.show("line \(number)\r\n") }
    bench.screen.show("prompt$ ")
    let (before, above) = (Picture(bench, hasSaved: false), bench.terminal.screen.scrollback.count)
    bench.screen.cover(with: Bench.content("a", "b", "c", cursor: 1))
    #expect(bench.rows.suffix(4) == ["prompt$", "a", "b", "c"])
    bench.screen.uncover()
    #expect(Picture(bench, hasSaved: false) == before)
    // Nothing of it is in the terminal's scrollback.
    #expect(bench.terminal.screen.scrollback.count == above)
  }

  @Test func `A long stream of lines is dropped, and its end is known`() throws {
    let bench = try Bench()
    bench.screen.show("\u{1B}[31m")
    bench.text.deviceState = Array("\u{1B}[0m\u{1B}[31m".utf8)
    for number in 0..<30_000 {
      bench.screen.show("line \(number)\r\n")
      if number.isMultiple(of: 1_000) { bench.terminal.look() }
    }
    let before = Picture(bench, hasSaved: false)
    bench.screen.cover(with: Bench.content("a", "b", "c", cursor: 1))
    #expect(bench.rows.suffix(3) == ["a", "b", "c"])
    bench.screen.uncover()
    #expect(Picture(bench, hasSaved: false) == before)
  }

  @Test func `Suspending the screen leaves only the text, until it is resumed`() throws {
    let bench = try Bench()
    bench.screen.setStatus(StatusParts("status"))
    bench.screen.marksPastes = true
    bench.screen.cover(with: Bench.content("question", cursor: 3))
    bench.screen.show("text\r\n")
    bench.screen.suspend()
    #expect(bench.rows.filter { !$0.isEmpty } == ["text"])
    #expect(bench.terminal.screen.region == 0..<8 && !bench.terminal.marksPastes)
    bench.screen.resume()
    #expect(bench.rows.last?.contains("status") == true)
    #expect(bench.terminal.marksPastes)
  }

  @Test func `The end removes everything but the text`() throws {
    let bench = try Bench()
    bench.screen.marksPastes = true
    bench.screen.deviceModes = .hiddenCursor
    bench.screen.setStatus(StatusParts("status"))
    bench.screen.setFooter(Bench.content("> "))
    bench.screen.cover(with: Bench.content("question"))
    bench.screen.show("text\r\n")
    bench.screen.deviceModes = []
    bench.screen.finish()
    #expect(bench.rows.filter { !$0.isEmpty } == ["text"])
    #expect(bench.terminal.screen.isCursorShown && !bench.terminal.marksPastes)
    #expect(bench.terminal.screen.region == 0..<8)
  }

  @Test func `A terminal that only prints gets no sequences`() throws {
    let bench = try Bench(draws: false)
    bench.screen.show("text\r\n")
    bench.screen.sizeDidChange()
    bench.screen.rewrite()
    bench.screen.finish()
    bench.terminal.look()
    #expect(bench.terminal.written == Array("text\r\n".utf8))
  }
}
