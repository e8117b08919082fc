import Plotting
import TerminalWidgets
import TestSupport
import Testing
import TextTools

@testable import Terminal

@Suite(.timeLimit(.minutes(30))) struct PlotPanelTests {
  private let size = ScreenSize(rows: 15, columns: 80)

  private func source(
    coloured: Bool = true, key: String? = "ctrl-t y", kind: ChartView.TimeKind = .seconds
  ) -> PlotPanel.Source {
    PlotPanel.Source(
      reading: "CSV, 1 series", timeKind: kind, key: key, isColoured: coloured)
  }

  private func text(
    _ panel: PlotPanel, _ recording: Recording, on size: ScreenSize? = nil,
    _ source: PlotPanel.Source? = nil
  ) -> [String] {
    panel.lines(of: recording, on: size ?? self.size, source ?? self.source()).map(\.text)
  }

  @discardableResult
  private func press(
    _ keys: String, _ panel: inout PlotPanel, _ recording: Recording = .ramp(101)
  ) -> PlotPanel.Outcome? {
    keys.unicodeScalars.map { panel.handle(.character($0), of: recording) }.last
  }

  // MARK: Keys

  @Test(arguments: [
    (Key.character("q"), PlotPanel.Outcome.closed), (.control("c"), .closed),
    (.control("g"), .closed), (.named(.escape, []), .left), (.named(.enter, []), .left),
    (.character("s"), .save), (.character("?"), .changed), (.character("f"), .resized),
    (.character(" "), .changed), (.named(.left, []), .changed),
    (.character("h"), .unchanged), (.named(.right, []), .changed), (.named(.pageUp, []), .changed),
    (.named(.pageDown, []), .changed), (.named(.home, []), .changed), (.named(.end, []), .changed),
    (.character("+"), .changed), (.character("="), .changed), (.named(.up, []), .changed),
    (.character("-"), .changed), (.named(.down, []), .changed), (.character("a"), .changed),
    (.character("c"), .changed), (.character("l"), .changed), (.character("r"), .changed),
    (.character("0"), .changed), (.character("1"), .changed), (.character("2"), .unchanged),
    (.character("9"), .unchanged), (.named(.tab, []), .changed), (.character("x"), .unchanged),
    (.character("z"), .unchanged), (.character("Q"), .unchanged), (.control("z"), .unchanged),
    (.alt("q"), .unchanged), (.named(.delete, []), .unchanged), (.paste([0x71]), .unchanged),
  ])
  func `Each key has one effect`(_ key: Key, _ outcome: PlotPanel.Outcome) {
    var panel = PlotPanel()
    #expect(panel.handle(key, of: .ramp(101)) == outcome)
  }

  @Test func `A length and a range are only asked for where that is possible`() {
    for (key, outcome) in [("w", PlotPanel.Outcome.askWindow), ("v", .askRange)] {
      var panel = PlotPanel(asks: true)
      #expect(press(key, &panel) == outcome)
      panel = PlotPanel()
      #expect(press(key, &panel) == .unchanged)
    }
    for asks in [false, true] {
      var panel = PlotPanel(asks: asks)
      press("?", &panel)
      let help = text(panel, .ramp(9), on: ScreenSize(rows: 20, columns: 80))
      #expect(help.contains { $0.hasPrefix(" w ") } == asks)
      #expect(help.contains { $0.hasPrefix(" v ") } == asks)
    }
  }

  @Test func `Without a device, escape closes, and nothing is said of typing`() {
    var panel = PlotPanel(hasDevice: false)
    #expect(panel.handle(.named(.escape, []), of: .ramp(9)) == .closed)
    #expect(panel.handle(.named(.enter, []), of: .ramp(9)) == .unchanged)
    panel.hasKeys = true
    #expect(text(panel, .ramp(9)).last?.contains("?: keys  escape, q: close") == true)
    press("?", &panel)
    #expect(!text(panel, .ramp(9)).contains { $0.contains("type to the device") })
  }

  @Test(arguments: [(24, 80), (15, 80), (15, 40), (8, 40), (21, 40), (15, 20)])
  func `The list of keys has pages where it does not fit, and nothing is cut off`(
    _ rows: Int, _ columns: Int
  ) {
    let size = ScreenSize(rows: rows, columns: columns)
    var panel = PlotPanel(asks: true)
    panel.size = size
    panel.hasKeys = true
    var seen: [String] = []
    for _ in 0..<20 {
      press("?", &panel)
      let lines = text(panel, .ramp(9), on: size)
      #expect(lines.count == rows && lines.allSatisfy { $0.displayWidth <= columns })
      if lines[0].hasPrefix("1 ") { break }
      seen += lines.dropLast()
    }
    let all = seen.joined(separator: "\n")
    guard columns >= 40 else { return }
    for effect in ["pause, and go on", "scroll, or move the cursor", "type the window's length"] {
      #expect(all.contains(effect), "\(effect)")
    }
    #expect(all.split(whereSeparator: \.isNewline).count > 7)
  }

  @Test func `Of the palette, only colours that can be read on black and white are used`() {
    let recording = Recording([(0, Array(repeating: 1.0, count: 6)), (1, [1, 2, 3, 4, 5, 6])])
    func colours(palette: Bool) -> [StyledLine.Style.Colour] {
      var source = source()
      source.hasPalette = palette
      let runs = PlotPanel().lines(
        of: recording, on: ScreenSize(rows: 24, columns: 200), source)[0].runs
      return runs.compactMap(\.style.colour)
    }
    #expect(colours(palette: true).allSatisfy { $0.rawValue >= 8 })
    #expect(Set(colours(palette: true)).count == 6)
    // Yellow and cyan come last: they cannot be read on white.
    #expect(colours(palette: false).prefix(4).allSatisfy { $0 != .yellow && $0 != .cyan })
  }

  @Test func `Without points, the panel says what can be plotted`() {
    let lines = text(PlotPanel(), Recording())
    #expect(lines.contains { $0.contains("No numbers yet.") })
    #expect(
      !text(PlotPanel(), .ramp(9), on: ScreenSize(rows: 3, columns: 80)).contains {
        $0.contains("No numbers yet.")
      })
  }

  @Test func `Keys pause, scroll and zoom`() {
    let recording = Recording.ramp(101)
    var panel = PlotPanel(PlotSettings(window: .seconds(20)))
    func times() -> ClosedRange<Double>? { panel.settings.times(of: recording) }
    func press(_ name: Key.Name) { _ = panel.handle(.named(name, []), of: recording) }
    press(.left)
    #expect(times() == 75...95)
    press(.pageUp)
    #expect(times() == 55...75)
    press(.right)
    #expect(times() == 60...80)
    press(.pageDown)
    #expect(panel.settings.isPaused == false)
    press(.home)
    #expect(times() == 0...20)
    press(.end)
    #expect(times() == 80...100)
    press(.up)
    #expect(times() == 90...100)
    press(.down)
    press(.down)
    #expect(times() == 60...100)
    press(.home)
    _ = panel.handle(.character("a"), of: recording)
    #expect(times() == 0...100 && !panel.settings.isPaused)
    _ = panel.handle(.character(" "), of: recording)
    #expect(panel.settings.isPaused)
  }

  @Test func `With a cursor, the arrows move it by a hundredth of the shown times`() {
    let recording = Recording.ramp(101)
    var panel = PlotPanel()
    _ = panel.handle(.character("c"), of: recording)
    _ = panel.handle(.named(.left, []), of: recording)
    _ = panel.handle(.named(.left, []), of: recording)
    #expect(panel.settings.cursor == 98)
    _ = panel.handle(.named(.right, []), of: recording)
    #expect(panel.settings.cursor == 99)
    #expect(panel.settings.times(of: recording) == 0...100)
    let lines = text(panel, recording)
    #expect(lines[0].hasPrefix("1 a 99 "))
    #expect(lines.last?.contains("at 99 s") == true)
  }

  @Test func `A scale without a place for the fixed range follows the curves`() {
    let recording = Recording([(0, [-1]), (1, [100])])
    var panel = PlotPanel()
    press("r", &panel, recording)
    #expect(panel.settings.range != nil)
    press("l", &panel, recording)
    #expect(panel.settings.range == nil && panel.settings.isLogarithmic)
    press("r", &panel, recording)
    press("l", &panel, recording)
    #expect(panel.settings.range != nil && !panel.settings.isLogarithmic)
  }

  @Test func `Curves are switched by their digits, and beyond 9 by selecting them`() {
    let recording = Recording([(0, (0..<11).map(Double.init)), (1, (0..<11).map(Double.init))])
    var panel = PlotPanel()
    press("19", &panel, recording)
    #expect(panel.settings.hidden == [0, 8])
    press("1", &panel, recording)
    #expect(panel.settings.hidden == [8])
    for _ in 0..<11 { _ = panel.handle(.named(.tab, []), of: recording) }
    press("x", &panel, recording)
    #expect(panel.settings.hidden == [8, 10])
    // Behind the last curve, none is selected.
    _ = panel.handle(.named(.tab, []), of: recording)
    #expect(press("x", &panel, recording) == .unchanged)
    press("0", &panel, recording)
    #expect(panel.settings.hidden == [])
  }

  @Test func `The selected curve is marked in the legend`() {
    let recording = Recording([(0, [1, 2]), (1, [2, 3])])
    var panel = PlotPanel()
    _ = panel.handle(.named(.tab, []), of: recording)
    #expect(text(panel, recording)[0].hasPrefix(">1 a 2 "))
    _ = panel.handle(.named(.tab, []), of: recording)
    #expect(text(panel, recording)[0].contains(">2 b 3 "))
    press("x", &panel, recording)
    #expect(text(panel, recording)[0].hasSuffix(">2 b off"))
  }

  @Test func `The list of keys stays until the next key, which takes effect`() {
    var panel = PlotPanel()
    press("?", &panel)
    #expect(text(panel, .ramp(9))[0].hasPrefix(" space       pause, and go on "))
    #expect(press("?", &panel) == .changed)
    #expect(!text(panel, .ramp(9)).contains { $0.contains("pause, and go on") })
    press("?", &panel)
    #expect(panel.handle(.named(.escape, []), of: .ramp(9)) == .changed)
    #expect(!text(panel, .ramp(9)).contains { $0.contains("pause, and go on") })
    press("? ", &panel)
    #expect(panel.settings.isPaused)
    press("?", &panel)
    #expect(press("q", &panel) == .closed)
  }

  @Test(arguments: [(14, 1), (7, 2), (5, 3), (4, 4)])
  func `In few rows, the list of keys has several columns`(_ rows: Int, _ columns: Int) {
    var panel = PlotPanel()
    press("?", &panel)
    let lines = text(panel, .ramp(9), on: ScreenSize(rows: rows + 1, columns: 200))
    for word in ["pause, and go on", "close the plot", "everything"] {
      #expect(lines.contains { $0.contains(word) })
    }
    let width = 200 / columns
    #expect(
      lines.dropLast().allSatisfy {
        $0.displayWidth == columns * width || $0.displayWidth % width == 0
      })
  }

  // MARK: Height

  @Test(arguments: [
    (24, false, 15), (24, true, 21), (50, false, 30), (50, true, 47), (10, false, 6),
    (10, true, 7), (9, false, 6), (8, false, 6), (8, true, 6), (7, false, 0), (7, true, 0),
    (1, false, 0), (1, true, 0),
  ])
  func `The panel leaves rows for the text`(_ rows: Int, _ isFull: Bool, _ height: Int) {
    let panel = PlotPanel(isFull: isFull)
    #expect(panel.height(on: ScreenSize(rows: rows, columns: 80)) == height)
  }

  // MARK: Lines

  @Test func `The lines fit every size, for any number of curves`() {
    let names = ["temperature of the board", "温度", "x", "e\u{301}"]
    let recordings = [0, 2, 9, 40].map { count -> Recording in
      var rows: [(Double, [Double])] = []
      for time in 0..<50 where count > 0 {
        let values = (0..<count).map { curve -> Double in Double(curve * 1_000 - time * time) / 7 }
        rows.append((Double(time), values))
      }
      let labels = (0..<count).map { "\(names[$0 % 4])\($0)" }
      return Recording(rows, names: labels, units: [nil, "°C"])
    }
    var panels = [PlotPanel(), PlotPanel(PlotSettings(isLogarithmic: true))]
    for keys in ["c", "?", "r"] {
      var panel = PlotPanel()
      press(keys, &panel, recordings[1])
      panels.append(panel)
    }
    panels[0].hasKeys = true
    var wrong: [String] = []
    for rows in [1, 2, 3, 4, 6, 15, 24] {
      for columns in [1, 2, 3, 5, 8, 13, 40, 100] {
        for (index, panel) in panels.enumerated() {
          for recording in recordings {
            let size = ScreenSize(rows: rows, columns: columns)
            let lines = panel.lines(of: recording, on: size, source(kind: .clock))
            if lines.count != rows || lines.contains(where: { $0.width > columns }) {
              wrong.append(
                "panel \(index), \(recording.curves.count) curves on \(size): \(lines.map(\.width))"
              )
            }
          }
        }
      }
    }
    #expect(wrong.prefix(5) == [])
  }

  @Test func `Any keys and any numbers give lines`() {
    var random = SplitMix64(seed: 24)
    let names: [Key.Name] = [.left, .right, .pageUp, .pageDown, .home, .end, .up, .down, .tab]
    var keys = names.map { Key.named($0, []) }
    keys += " ph+=-acl r0123x?fs".unicodeScalars.map { Key.character($0) }
    let extremes: [Double] = [
      0, -1, 1e308, -1e308, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, .nan, 1e-9,
      3,
    ]
    let times: [Double] = [0, 1, 1.8e9, 1e305, -1e300, 2.5e11, 1e-300]
    let steps: [Double] = [0, 1e-6, 1, 1e4, 1e300]
    var wrong: [Int] = []
    for _ in 0..<repetitions(150) {
      var time = times.randomElement(using: &random) ?? 0
      let step = steps.randomElement(using: &random) ?? 0
      var rows: [(Double, [Double])] = []
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        time += step
        let values = [
          extremes.randomElement(using: &random) ?? 0, extremes.randomElement(using: &random) ?? 0,
        ]
        rows.append((time, values))
      }
      let recording = Recording(rows)
      let window: PlotSettings.Window =
        [.all, .seconds(10), .points(3)].randomElement(using: &random) ?? .all
      var panel = PlotPanel(PlotSettings(window: window))
      for kind in [ChartView.TimeKind.clock, .seconds, .lines] {
        for _ in 0..<12 {
          let key = keys.randomElement(using: &random) ?? .character(" ")
          _ = panel.handle(key, of: recording)
          let lines = panel.lines(of: recording, on: size, source(kind: kind))
          if lines.count != size.rows { wrong.append(lines.count) }
        }
      }
    }
    #expect(wrong == [])
  }

  @Test func `A legend that has no room says how many curves are left out`() {
    let recording = Recording(
      [(0, (0..<40).map(Double.init)), (1, (0..<40).map(Double.init))])
    let lines = text(PlotPanel(), recording)
    // A quarter of the 15 rows. The recording has at most 32 curves.
    let shown = lines[..<3].joined().split(separator: " to ").count - 1
    #expect(lines[2].hasSuffix(" +\(32 - shown)"), "\(lines[2])")
    #expect(lines[..<3].allSatisfy { $0.displayWidth <= 80 })
  }

  @Test func `Names, newest values, units and ranges are in the legend`() {
    let recording = Recording(
      [(0, [20.5, 0]), (1, [22, .nan]), (2, [21.25, 4])], names: ["temp", "n"], units: ["C"])
    #expect(
      text(PlotPanel(), recording)[0] == "1 temp 21.25  C 20.5 to 22   2 n 4      0 to 4")
    var panel = PlotPanel()
    press("c", &panel, recording)
    for _ in 0..<60 { _ = panel.handle(.named(.left, []), of: recording) }
    #expect(text(panel, recording)[0].hasPrefix("1 temp 20.5   C "))
  }

  @Test func `Without colours, no curve has one, and the bar is not reversed`() {
    let recording = Recording([(0, [1, 2]), (1, [2, 3])])
    let styles = { (source: PlotPanel.Source) in
      PlotPanel().lines(of: recording, on: size, source).flatMap(\.runs).map(\.style)
    }
    #expect(styles(source(coloured: true)).contains { $0.colour != nil })
    #expect(styles(source(coloured: false)).allSatisfy { $0.colour == nil })
    #expect(!styles(source(coloured: false)).contains(.reversed))
  }

  @Test func `The chart has the values on the left and the times below`() {
    let lines = text(PlotPanel(), .ramp(101))
    #expect(lines.contains { $0.hasPrefix("100 ") } && lines.contains { $0.hasPrefix("  0 ") })
    let times = lines[lines.count - 2].split(separator: " ").map(String.init)
    #expect(times.first == "0" && times.last == "100")
    // The newest point has the marker of the curve.
    #expect(lines[1...].contains { $0.hasSuffix("1") })
  }

  @Test func `Values that a logarithm does not have are left out of the chart`() {
    let recording = Recording([(0, [-5]), (1, [0]), (2, [10]), (3, [1_000])])
    let lines = text(PlotPanel(PlotSettings(isLogarithmic: true)), recording)
    #expect(lines.count == 15)
    #expect(lines.last?.contains("log scale") == true)
    #expect(lines.contains { $0.contains("1000") })
    let none = text(
      PlotPanel(PlotSettings(isLogarithmic: true)), Recording([(0, [-5]), (1, [0])]))
    #expect(!none[1..<13].contains { $0.contains(where: { $0 >= "\u{2800}" }) })
  }

  // MARK: Bar

  @Test func `The bar says what is read, what is shown, and the keys`() {
    var panel = PlotPanel(PlotSettings(window: .seconds(20)))
    let recording = Recording.ramp(101)
    func bar(_ columns: Int = 100, _ source: PlotPanel.Source? = nil) -> String {
      text(panel, recording, on: ScreenSize(rows: 15, columns: columns), source).last ?? ""
    }
    func end(_ columns: Int = 100) -> String { String(bar(columns).dropLast()) }
    #expect(bar().hasPrefix(" CSV, 1 series, 20 s "))
    #expect(end().hasSuffix("  ctrl-t y: keys of the plot"))
    #expect(end().hasSuffix("  you type to the device  ctrl-t y: keys of the plot"))
    #expect(end(40).hasSuffix(" ctrl-t y: keys of the plot"))
    var asking = source()
    asking.isAsking = true
    #expect(!bar(100, asking).contains("type to the device"))
    #expect(bar(100, source(key: nil)).hasPrefix(" CSV, 1 series, 20 s  "))
    #expect(bar(100, source(key: nil)).dropLast().hasSuffix("  you type to the device"))
    panel.hasKeys = true
    #expect(end().hasSuffix("  ?: keys  q: close  escape: type"))
    press(" ", &panel, recording)
    #expect(bar().hasPrefix(" CSV, 1 series, paused, 20 s "))
    press("lr", &panel, recording)
    #expect(bar().contains("paused, 20 s, fixed range, log scale"))
    #expect(end(40).hasSuffix("  ?: keys  q: close  escape: type"))
    #expect(bar(20).displayWidth == 20)
  }

  @Test(arguments: [
    (ChartView.TimeKind.lines, 500.0, "501 lines"), (.seconds, 0.25, "250 ms"),
    (.seconds, 100, "100 s"), (.seconds, 300, "5 min"), (.clock, 9_000, "2.5 h"),
    (.clock, 259_200, "3 days"), (.clock, 0, "0 ms"),
  ])
  func `The length of the shown times has a fitting unit`(
    _ kind: ChartView.TimeKind, _ span: Double, _ text: String
  ) {
    let recording = Recording([(0, [1]), (span, [2])])
    let bar = self.text(PlotPanel(), recording, on: size, source(kind: kind)).last ?? ""
    #expect(bar.hasPrefix(" CSV, 1 series, \(text) "))
  }

  @Test(arguments: [
    (ChartView.TimeKind.lines, 41.9, "line 41"), (.lines, -1, "line 0"),
    (.lines, 1e300, "line 1000000000000000"),
    (.seconds, 1.23456, "1.235 s"), (.clock, -1, "no time"), (.clock, 1e15, "no time"),
  ])
  func `The time of the cursor`(_ kind: ChartView.TimeKind, _ time: Double, _ text: String) {
    #expect(PlotPanel.text(ofTime: time, kind) == text)
  }

  @Test func `Values that have no curve are counted`() {
    let recording = Recording([(0, (0..<40).map(Double.init))])
    #expect(
      text(PlotPanel(), recording, on: ScreenSize(rows: 15, columns: 120)).last?
        .contains("8 values of more series left out") == true)
  }
}

extension String {
  fileprivate func padded(toWidth width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - displayWidth))
  }
}
