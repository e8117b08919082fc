package import Plotting
package import TerminalWidgets
import TextTools
import Time

/// The plot on the screen as a value, without the recording: keys go in, lines of the
/// screen come out.
///
/// From above: a line or more with the names, newest values and ranges of the curves; the chart
/// with its axes; a bar with what is read and what keys do.
package struct PlotPanel {
  /// The effect of a key.
  package enum Outcome: Equatable {
    case unchanged
    /// The shown content has changed.
    case changed
    /// The height of the panel has changed.
    case resized
    /// The user wants to write a file.
    case save
    /// The user wants to type the length of the window, or the range of values.
    case askWindow, askRange
    /// The user wants to type to the device.
    case left
    case closed
  }

  package var settings: PlotSettings
  /// Whether the panel has nearly the whole screen.
  package var isFull: Bool
  /// Whether keys are for the panel, not for the device.
  package var hasKeys = false
  /// Whether the user can be asked for a length or a range.
  private let asks: Bool
  /// Whether the numbers come from a device, which the user can type to.
  private let hasDevice: Bool
  /// The page of the list of keys that is shown in place of the chart; nil for the chart.
  private var helpPage: Int?
  /// The size of the panel when it was drawn last.
  package var size = ScreenSize(rows: 24, columns: 80)
  /// The curve that is selected in the legend.
  private var selected: Int?

  /// Creates a panel.
  package init(
    _ settings: PlotSettings = PlotSettings(), isFull: Bool = false, asks: Bool = false,
    hasDevice: Bool = true
  ) {
    self.settings = settings
    self.isFull = isFull
    self.asks = asks
    self.hasDevice = hasDevice
  }

  /// What the panel shows, besides the recording.
  package struct Source {
    /// How the numbers are read, in words: "CSV with header, 3 series".
    package var reading: String
    package var timeKind: ChartView.TimeKind
    /// The key that gives the panel the keyboard, for the bar: "ctrl-t y"; nil if there is none.
    package var key: String?
    /// Whether the terminal shows colours and attributes.
    package var isColoured: Bool
    /// Whether the terminal has the palette of 256 colours.
    package var hasPalette: Bool
    /// Whether keys are for a question, neither for the panel nor for the device.
    package var isAsking: Bool

    package init(
      reading: String, timeKind: ChartView.TimeKind, key: String?, isColoured: Bool,
      hasPalette: Bool = TextStyle.hasPalette, isAsking: Bool = false
    ) {
      (self.reading, self.timeKind, self.key) = (reading, timeKind, key)
      (self.isColoured, self.hasPalette, self.isAsking) = (isColoured, hasPalette, isAsking)
    }
  }

  // MARK: Keys

  /// The part of the shown times by which an arrow key moves.
  private static let step = 0.25
  /// The part of the shown times by which an arrow key moves the cursor.
  private static let cursorStep = 0.01

  /// Handles a key.
  package mutating func handle(_ key: Key, of recording: Recording) -> Outcome {
    if let page = helpPage {
      helpPage = nil
      if key == .character("?") {
        if page + 1 < helpPageCount(on: size) { helpPage = page + 1 }
        return .changed
      }
      if key == .named(.escape, []) { return .changed }
    }
    switch key {
    case .character("q"), .control("c"), .control("g"): return .closed
    case .named(.escape, _): return hasDevice ? .left : .closed
    case .named(.enter, _): return hasDevice ? .left : .unchanged
    case .character("s"): return .save
    case .character("w") where asks: return .askWindow
    case .character("v") where asks: return .askRange
    case .character("?"): helpPage = 0
    case .character("f"):
      isFull.toggle()
      return .resized
    case .character(" "): settings.togglePause(recording)
    case .named(.left, _): move(by: -1, recording)
    case .named(.right, _): move(by: 1, recording)
    case .named(.pageUp, _): settings.scroll(by: -1, recording)
    case .named(.pageDown, _): settings.scroll(by: 1, recording)
    case .named(.home, _): settings.scrollToBeginning(recording)
    case .named(.end, _): settings.follow()
    case .character("+"), .character("="), .named(.up, _): settings.zoom(by: 0.5, recording)
    case .character("-"), .named(.down, _): settings.zoom(by: 2, recording)
    case .character("a"):
      settings.follow()
      settings.window = .all
    case .character("c"): settings.toggleCursor(recording)
    case .character("l"): settings.toggleLogarithm()
    case .character("r"): settings.toggleRange(recording)
    case .character("0"): settings.hidden = []
    case .character("1"..."9"):
      guard case .character(let scalar) = key else { break }
      let index = Int(scalar.value - Unicode.Scalar("1").value)
      guard index < recording.curves.count else { return .unchanged }
      settings.toggleCurve(index)
    case .named(.tab, _):
      let next = selected.map { $0 + 1 } ?? 0
      selected = next < recording.curves.count ? next : nil
    case .character("x"):
      guard let selected else { return .unchanged }
      settings.toggleCurve(selected)
    case .character, .control, .alt, .named, .paste: return .unchanged
    }
    return .changed
  }

  private mutating func move(by direction: Double, _ recording: Recording) {
    if settings.cursor != nil {
      settings.moveCursor(by: direction * Self.cursorStep, recording)
    } else {
      settings.scroll(by: direction * Self.step, recording)
    }
  }

  /// The keys, with what they do.
  private var help: [(key: String, effect: String)] {
    let typed = [("w", "type the window's length"), ("v", "type the range of values")]
    let leaving =
      hasDevice
      ? [("escape", "type to the device"), ("q", "close the plot")]
      : [("escape, q", "close the plot")]
    return Self.keys + leaving + (asks ? typed : [])
  }

  /// The width of a column of the list of keys, which has room for the longest entry.
  private static let helpWidth = 40

  /// The number of columns of the list of keys, and of entries on a page.
  private func helpLayout(on size: ScreenSize) -> (columns: Int, entries: Int) {
    let rows = max(1, size.rows - 1)
    let needed = (help.count + rows - 1) / rows
    let columns = max(1, min(needed, size.columns / Self.helpWidth))
    return (columns, rows * columns)
  }

  private func helpPageCount(on size: ScreenSize) -> Int {
    let entries = helpLayout(on: size).entries
    return (help.count + entries - 1) / entries
  }

  private static let keys = [
    ("space", "pause, and go on"), ("left, right", "scroll, or move the cursor"),
    ("+, -", "a shorter or longer time"), ("a", "everything"), ("home, end", "beginning, newest"),
    ("c", "a cursor with the values"), ("r", "fix the range, or adapt it"),
    ("l", "a logarithmic scale"), ("1 to 9", "curve on, off; 0: all on"),
    ("tab, x", "select a curve; on or off"),
    ("s", "save picture or values"), ("f", "whole window, or a part"),
  ]

  // MARK: Drawing

  /// The fewest rows that show a chart.
  package static let leastHeight = 6

  /// The number of rows on a screen; 0 if it is too small.
  package func height(on size: ScreenSize) -> Int {
    let rest = isFull ? 3 : max(4, size.rows * 2 / 5)
    let height = size.rows - rest
    if height >= Self.leastHeight { return height }
    return size.rows >= Self.leastHeight + TopPanel.minimumRest ? Self.leastHeight : 0
  }

  /// The lines of the panel.
  ///
  /// - Parameter size: the size of the panel.
  package func lines(of recording: Recording, on size: ScreenSize, _ source: Source) -> [StyledLine]
  {
    let bar = bar(source, recording, width: size.columns)
    guard size.rows > 1 else { return [bar] }
    let lines =
      helpPage.map { helpLines(page: $0, on: size) }
      ?? legendAndChart(of: recording, on: size, source)
    return lines.map { line in
      (source.isColoured ? line : StyledLine(line.text)).clipped(toWidth: size.columns)
    } + [bar]
  }

  /// The lines above the bar.
  private func legendAndChart(
    of recording: Recording, on size: ScreenSize, _ source: Source
  ) -> [StyledLine] {
    let legend = legend(of: recording, on: size, source)
    let rest = size.rows - 1 - legend.count
    guard rest > 0 else { return legend }
    return legend
      + chart(of: recording, on: ScreenSize(rows: rest, columns: size.columns), source)
  }

  /// A page of the list of keys: in several columns if there are too few rows, and only if none of
  /// them is cut off.
  private func helpLines(page: Int, on size: ScreenSize) -> [StyledLine] {
    let rows = size.rows - 1
    let (columns, count) = helpLayout(on: size)
    let first = min(page, helpPageCount(on: size) - 1) * count
    let shown = help.dropFirst(first).prefix(count)
    let width = size.columns / columns
    return (0..<rows).map { row in
      var line = StyledLine()
      for column in 0..<columns where column * rows + row < shown.count {
        let (key, effect) = shown[shown.startIndex + column * rows + row]
        var entry = StyledLine(
          " " + key + String(repeating: " ", count: max(1, 12 - key.count)), .bold)
        entry.append(effect)
        line.append(entry.clipped(toWidth: width - 1).padded(toWidth: width))
      }
      return line
    }
  }

  /// What is shown while there are no points.
  private func invitation(on size: ScreenSize, _ source: Source) -> [StyledLine] {
    var texts = [
      "No numbers yet.", "Lines such as 25.3,41 or temp:25.3 or temp=25.3 become curves.",
    ]
    if hasDevice, !hasKeys, !source.isAsking { texts.append("What you type goes to the device.") }
    let lines = texts.flatMap {
      StyledLine($0, .dimmed).wrapped(toWidth: size.columns, indentation: 0)
    }
    let above = max(0, (size.rows - lines.count) / 2)
    return (0..<size.rows).map { row in
      guard lines.indices.contains(row - above) else { return StyledLine() }
      let line = lines[row - above]
      let margin = String(repeating: " ", count: max(0, (size.columns - line.width) / 2))
      return StyledLine(margin + line.text, .dimmed).clipped(toWidth: size.columns)
    }
  }

  // MARK: Legend

  /// The most rows of the legend, as a part of the panel.
  private static let legendShare = 4

  /// The names, values and ranges of the curves, several in a row.
  private func legend(
    of recording: Recording, on size: ScreenSize, _ source: Source
  ) -> [StyledLine] {
    let entries = recording.curves.indices.map { entry(of: $0, in: recording, source) }
    let rowLimit = max(1, size.rows / Self.legendShare)
    var rows = [StyledLine()]
    for (index, entry) in entries.enumerated() {
      let gap = rows[rows.count - 1].width == 0 ? 0 : 3
      if rows[rows.count - 1].width + gap + entry.width > size.columns, gap > 0 {
        if rows.count == rowLimit {
          let rest = " +\(entries.count - index)"
          rows[rows.count - 1] =
            rows[rows.count - 1].clipped(toWidth: size.columns - rest.count)
          rows[rows.count - 1].append(rest, .dimmed)
          return rows
        }
        rows.append(StyledLine())
      } else if gap > 0 {
        rows[rows.count - 1].append(String(repeating: " ", count: gap))
      }
      rows[rows.count - 1].append(entry)
    }
    return rows
  }

  private func entry(
    of index: Int, in recording: Recording, _ source: Source
  ) -> StyledLine {
    let curve = recording.curves[index]
    let isHidden = settings.hidden.contains(index)
    var style = isHidden ? .dimmed : Self.style(ofCurve: index, source)
    if index == selected { style.formUnion(.reversed) }
    let mark = index == selected ? ">" : ""
    var line = StyledLine("\(mark)\(DotChart.marker(ofCurve: index)) \(curve.name)", style)
    if isHidden {
      line.append(" off", .dimmed)
      return line
    }
    let value = settings.cursor.map { curve.value(at: $0)?.value } ?? curve.newest
    line.append(" " + (value.map(Self.text) ?? "-").padded(toWidth: 6), .bold)
    if let unit = curve.unit { line.append(" " + unit) }
    if let times = settings.times(of: recording), let range = curve.extremes(in: times) {
      line.append(" \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))", .dimmed)
    }
    return line
  }

  private static func style(ofCurve index: Int, _ source: Source) -> StyledLine.Style {
    guard source.isColoured else { return [] }
    // Of the terminal's own colours, yellow and cyan cannot be read on white.
    let colours: [StyledLine.Style.Colour] =
      source.hasPalette
      ? [.mediumBlue, .mediumBrown, .mediumGreen, .mediumMagenta, .mediumRed, .mediumTeal]
      : [.magenta, .green, .red, .blue, .cyan, .yellow]
    return .coloured(colours[index % colours.count])
  }

  /// A number in few characters.
  package static func text(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  // MARK: Chart

  private func chart(
    of recording: Recording, on size: ScreenSize, _ source: Source
  ) -> [StyledLine] {
    guard let view = settings.view(of: recording, timeKind: source.timeKind) else {
      return invitation(on: size, source)
    }
    guard size.rows > 1 else { return [StyledLine()] }
    let rows = size.rows - 1
    let values = Axis(valuesOf: view, atMost: max(2, rows / 2))
    let labelWidth = min(values.textWidth, size.columns / 3)
    let columns = max(1, size.columns - labelWidth - 1)
    let times = Axis(
      timesOf: view, atMost: max(2, columns / 14), calendar: CalendarTime.init(local:))
    var labels: [Int: String] = [:]
    for tick in values.ticks {
      if let row = view.row(of: tick.position, rows: rows) { labels[row] = tick.text }
    }
    let cells = DotChart.cells(
      of: recording, in: view, axes: (times, values), columns: columns, rows: rows,
      dots: !TerminalCharacters.areASCII)
    let body = cells.enumerated().map { row, cells in
      let label = (labels[row] ?? "").prefix(labelWidth)
      var line = StyledLine(
        String(repeating: " ", count: labelWidth - label.count) + label + " ", .dimmed)
      for cell in cells {
        let style: StyledLine.Style =
          cell.curve.map { Self.style(ofCurve: $0, source) } ?? .dimmed
        line.append(String(cell.character), style)
      }
      return line
    }
    return body + [row(of: times, in: view, columns: columns, indentation: labelWidth + 1)]
  }

  /// The texts of the time axis, each below its tick.
  private func row(
    of axis: Axis, in view: ChartView, columns: Int, indentation: Int
  ) -> StyledLine {
    var text = String(repeating: " ", count: indentation)
    for tick in axis.ticks {
      guard let column = view.column(of: tick.position, columns: columns) else { continue }
      let width = tick.text.count
      let start = indentation + min(max(0, column - width / 2), columns - width)
      guard start >= text.count, width <= columns else { continue }
      text += String(repeating: " ", count: start - text.count) + tick.text + " "
    }
    return StyledLine(text, .dimmed).clipped(toWidth: indentation + columns)
  }

  // MARK: Bar

  /// The last row: what is read and shown, and the keys.
  private func bar(_ source: Source, _ recording: Recording, width: Int) -> StyledLine {
    let style: StyledLine.Style = source.isColoured ? .reversed : []
    let facts = [source.reading] + state(of: recording, source.timeKind)
    let text = " " + facts.joined(separator: ", ")
    let keys = keysInWords(source, width: width - text.displayWidth - 2)
    let room = width - keys.displayWidth - 2
    var line = StyledLine(room > 10 ? text.truncated(toWidth: room) : "", style)
    line = line.padded(toWidth: max(0, width - keys.displayWidth - 1), style)
    line.append(keys.truncated(toWidth: width), style)
    return line.padded(toWidth: width, style).clipped(toWidth: width)
  }

  /// The part of the bar that says where keys go.
  ///
  /// - Parameter width: the columns beside the other part, which longer words would cut off.
  private func keysInWords(_ source: Source, width: Int) -> String {
    if let helpPage, helpPage + 1 < helpPageCount(on: size) { return "?: more keys" }
    guard hasKeys else {
      guard hasDevice, !source.isAsking else { return "" }
      let typed = "you type to the device"
      guard let key = source.key else { return typed }
      let short = "\(key): keys of the plot"
      let long = "\(typed)  \(short)"
      return long.displayWidth <= width ? long : short
    }
    return hasDevice ? "?: keys  q: close  escape: type" : "?: keys  escape, q: close"
  }

  private func state(
    of recording: Recording, _ kind: ChartView.TimeKind
  ) -> [String] {
    var facts: [String] = []
    if let cursor = settings.cursor {
      facts.append("at " + Self.text(ofTime: cursor, kind))
    } else if settings.isPaused {
      facts.append("paused")
    }
    if let times = settings.times(of: recording) {
      facts.append(Self.text(ofSpan: times.upperBound - times.lowerBound, kind))
    }
    if settings.range != nil { facts.append("fixed range") }
    if recording.curves.contains(where: \.isDecimated) { facts.append("old points as min and max") }
    if settings.isLogarithmic { facts.append("log scale") }
    if recording.omittedCount > 0 {
      facts.append("\(recording.omittedCount) values of more series left out")
    }
    return facts
  }

  /// A time of day with milliseconds, or the number of a line.
  package static func text(ofTime time: Double, _ kind: ChartView.TimeKind) -> String {
    switch kind {
    case .lines: return "line \(Int(max(0, min(time, 1e15))))"
    case .seconds: return "\(text((time * 1_000).rounded() / 1_000)) s"
    case .clock: break
    }
    guard time >= 0, time < 253_402_300_799 else { return "no time" }
    let milliseconds = UInt64(time * 1_000)
    let moment = CalendarTime(local: milliseconds / 1_000)
    let clock = [moment.hour, moment.minute, moment.second].map { $0.padded(to: 2) }
    return clock.joined(separator: ":") + "." + Int(milliseconds % 1_000).padded(to: 3)
  }

  private static func text(ofSpan span: Double, _ kind: ChartView.TimeKind) -> String {
    guard kind != .lines else { return "\(Int(min(span, 1e15)) + 1) lines" }
    func number(_ value: Double, _ unit: String) -> String {
      let tenths = (value * 10).rounded() / 10
      return text(tenths) + " " + unit
    }
    if span < 1 { return number(span * 1_000, "ms") }
    if span < 120 { return number(span, "s") }
    if span < 7_200 { return number(span / 60, "min") }
    if span < 172_800 { return number(span / 3_600, "h") }
    return number(span / 86_400, "days")
  }
}
