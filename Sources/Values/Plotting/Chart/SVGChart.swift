import TextTools
public import Time

/// A chart as an SVG document.
///
/// It has axes with ticks, a grid, and a legend with the name, the unit, the newest, lowest and
/// highest value that is seen of each curve. The colours follow the reader's choice of a light or
/// dark display; printed, it is dark on white. Numbers in circles on the curves and in the legend
/// tell curves apart without colours. A curve has at most two points for each pixel of the width,
/// its lowest and highest, so that no peak is missing.
public enum SVGChart {
  /// The width in pixels, unless another one is given.
  public static let standardWidth = 800
  private static let plotHeight = 340
  /// The height of the curves in a document that is too low for them.
  private static let leastPlotHeight = 60
  private static let lineHeight = 20
  /// The width below which the legend has one column.
  private static let narrowWidth = 600
  /// The distance of the circles of a curve.
  private static let markDistance = 240.0

  /// Draws the curves of a recording.
  ///
  /// - Parameters:
  ///   - recording: the recording.
  ///   - view: the part that is seen. The cursor is not drawn.
  ///   - title: the heading.
  ///   - width: the width in pixels; 320 at least, so that the legend has room.
  ///   - height: the height in pixels. The document is higher if the legend and the axes need it.
  ///     Nil for the height of a document whose curves have 340 pixels.
  ///   - calendar: converts seconds since 1970-01-01 UTC to local time, like `localtime_r`.
  /// - Returns: the document.
  public static func text(
    of recording: Recording, in view: ChartView, title: String?, width: Int = standardWidth,
    height: Int? = nil, calendar: (_ second: UInt64) -> CalendarTime
  ) -> String {
    let shown = recording.curves.indices.filter { !view.hidden.contains($0) }
    let top = title == nil ? 32 : 56
    let legendHeight = 64 + (shown.count + 1) * lineHeight + 8
    let areaHeight = height.map { max($0 - top - legendHeight, leastPlotHeight) } ?? plotHeight
    let values = Axis(valuesOf: view, atMost: min(max(areaHeight / 24, 2), 9))
    // A character is about 7 pixels wide.
    let left = 24 + values.textWidth * 7
    let area = Area(left: left, top: top, width: width - left - 24, height: areaHeight)
    let times = Axis(timesOf: view, atMost: max(area.width / 90, 2), calendar: calendar)
    let legendTop = area.top + area.height + 64
    let fullHeight = area.top + area.height + legendHeight

    var svg = Document()
    svg.add(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 \(width) \(fullHeight)\" "
        + "width=\"\(width)\" height=\"\(fullHeight)\" font-family=\"sans-serif\" font-size=\"12\">"
    )
    svg.add("<title>\(escaped(title ?? "Chart"))</title>")
    svg.add("<style>\(style)</style>")
    svg.add("<rect class=\"back\" width=\"\(width)\" height=\"\(fullHeight)\"/>")
    if let title {
      svg.add(
        "<text class=\"ink\" x=\"\(left)\" y=\"28\" font-size=\"16\" font-weight=\"bold\">"
          + "\(escaped(shortened(title, to: 72)))</text>")
    }
    addAxes(to: &svg, area: area, times: times, values: values, view: view, width: width)
    addCaptions(
      to: &svg, area: area, view: view, units: shown.map { recording.curves[$0].unit }, calendar)
    svg.add(
      "<clipPath id=\"area\"><rect x=\"\(area.left)\" y=\"\(area.top)\" width=\"\(area.width)\" "
        + "height=\"\(area.height)\"/></clipPath>")
    svg.add("<g clip-path=\"url(#area)\">")
    for index in shown {
      let (line, points) = paths(of: recording.curves[index], in: view, area: area)
      if !line.isEmpty { svg.add("<path class=\"curve c\(index % colours)\" d=\"\(line)\"/>") }
      if !points.isEmpty {
        svg.add("<path class=\"curve point c\(index % colours)\" d=\"\(points)\"/>")
      }
    }
    svg.add("</g>")
    if shown.count > 1 {
      for (place, index) in shown.enumerated() {
        addMarks(
          to: &svg, of: recording.curves[index], index: index, in: view, area: area,
          at: (Double(place) + 0.5) / Double(shown.count))
      }
    }
    addLegend(
      to: &svg, curves: shown.map { ($0, recording.curves[$0]) }, view: view, top: legendTop,
      width: width)
    svg.add("</svg>")
    return svg.text
  }

  // MARK: Axes

  /// The rectangle of the curves.
  private struct Area {
    let left, top, width, height: Int

    func x(_ fraction: Double) -> Double { Double(left) + fraction * Double(width) }

    /// The place of a value. One that is far outside is nearer, because readers of SVG
    /// have single precision.
    func y(_ fraction: Double) -> Double {
      Double(top) + (1 - min(max(fraction, -1_000), 1_000)) * Double(height)
    }
  }

  private static func addAxes(
    to svg: inout Document, area: Area, times: Axis, values: Axis, view: ChartView, width: Int
  ) {
    let bottom = area.top + area.height
    let timeScale = Scale(view.times)
    let valueScale = Scale(view.values, isLogarithmic: view.isLogarithmic)
    var grid = ""
    for tick in times.ticks {
      grid += "M\(coordinate(area.x(timeScale.fraction(of: tick.position)))) \(area.top)V\(bottom)"
    }
    for tick in values.ticks {
      grid +=
        "M\(area.left) \(coordinate(area.y(valueScale.fraction(of: tick.position))))h\(area.width)"
    }
    svg.add("<path class=\"grid\" d=\"\(grid)\"/>")
    svg.add(
      "<rect class=\"frame\" x=\"\(area.left)\" y=\"\(area.top)\" width=\"\(area.width)\" "
        + "height=\"\(area.height)\"/>")
    svg.add("<g class=\"ink\" text-anchor=\"end\">")
    for tick in values.ticks {
      let y = coordinate(area.y(valueScale.fraction(of: tick.position)) + 4)
      svg.add("<text x=\"\(area.left - 8)\" y=\"\(y)\">\(escaped(tick.text))</text>")
    }
    svg.add("</g>")
    svg.add("<g class=\"ink\" text-anchor=\"middle\">")
    for tick in times.ticks {
      let x = area.x(timeScale.fraction(of: tick.position))
      // A text at the edge stays within the document.
      let half = Double(tick.text.count) * 3.5
      let shown = max(min(x, Double(width) - half - 4), half + 4)
      svg.add("<text x=\"\(coordinate(shown))\" y=\"\(bottom + 18)\">\(escaped(tick.text))</text>")
    }
    svg.add("</g>")
  }

  /// Adds the unit above the axis of the values, if there is only one, and what the times are.
  private static func addCaptions(
    to svg: inout Document, area: Area, view: ChartView, units: [String?],
    _ calendar: (_ second: UInt64) -> CalendarTime
  ) {
    if let unit = units.first ?? nil, units.allSatisfy({ $0 == unit }) {
      svg.add(
        "<text class=\"faint\" x=\"\(area.left - 8)\" y=\"\(area.top - 10)\" text-anchor=\"end\">"
          + "\(escaped(shortened(unit, to: 12)))</text>")
    }
    let caption: String
    switch view.timeKind {
    case .lines: caption = "line"
    case .seconds: caption = "seconds"
    case .clock:
      let ends = [view.times.lowerBound, view.times.upperBound].map { time in
        calendar(UInt64(min(max(time, 0), 253_402_300_799)))
      }
      let end = ends[0].date == ends[1].date ? ends[1].clock : "\(ends[1].date) \(ends[1].clock)"
      caption = "\(ends[0].date) \(ends[0].clock) to \(end) (\(zone(ends[1].offset)))"
    }
    svg.add(
      "<text class=\"faint\" x=\"\(area.left + area.width / 2)\" y=\"\(area.top + area.height + 38)\" "
        + "text-anchor=\"middle\">\(caption)</text>")
  }

  /// An offset from UTC in seconds: "UTC+01:00".
  private static func zone(_ offset: Int) -> String {
    let minutes = Int(offset.magnitude) / 60
    let sign = offset < 0 ? "-" : "+"
    return "UTC\(sign)\((minutes / 60).padded(to: 2)):\((minutes % 60).padded(to: 2))"
  }

  // MARK: Curves

  /// The commands of two paths: the line, with at most two points for each pixel of the width, and
  /// points that are not joined with any other.
  private static func paths(
    of curve: Curve, in view: ChartView, area: Area
  ) -> (line: String, points: String) {
    let times = Scale(view.times)
    let values = Scale(view.values, isLogarithmic: view.isLogarithmic)
    guard times.isValid, values.isValid else { return ("", "") }
    var (line, points) = ("", "")
    var piece: [String] = []
    func endPiece() {
      if piece.count == 1 {
        points += "M\(piece[0])h0"
      } else if !piece.isEmpty {
        line += "M" + piece.joined(separator: "L")
      }
      piece = []
    }
    func add(_ x: Double, _ value: Double) {
      let fraction = values.fraction(of: value)
      // A value of 0 or less has no place on a logarithmic axis.
      guard fraction.isFinite else { return endPiece() }
      piece.append("\(coordinate(x)) \(coordinate(area.y(fraction)))")
    }
    func x(_ time: Double) -> Double { area.x(min(max(times.fraction(of: time), -10), 11)) }

    let neighbours = curve.neighbours(of: view.times)
    if let before = neighbours.before { add(x(before.time), before.value) }
    var isFirst = true
    for (column, span) in curve.columns(in: view.times, count: area.width).enumerated() {
      guard let span else { continue }
      if !span.isJoined && !isFirst { endPiece() }
      isFirst = false
      if span.lowest == span.highest {
        add(x(span.time), span.first)
      } else {
        let middle = Double(area.left + column) + 0.5
        let risesFirst = (span.first - span.lowest) <= (span.highest - span.first)
        add(middle, risesFirst ? span.lowest : span.highest)
        add(middle, risesFirst ? span.highest : span.lowest)
      }
    }
    if let after = neighbours.after { add(x(after.time), after.value) }
    endPiece()
    return (line, points)
  }

  /// Adds circles with the number of a curve. Those of other curves have another phase.
  private static func addMarks(
    to svg: inout Document, of curve: Curve, index: Int, in view: ChartView, area: Area,
    at phase: Double
  ) {
    let values = Scale(view.values, isLogarithmic: view.isLogarithmic)
    let columns = curve.columns(in: view.times, count: area.width)
    let distance = Double(area.width) / (Double(area.width) / markDistance).rounded()
    var places = stride(from: 0, to: Double(area.width) - 1, by: distance).compactMap { begin in
      // The nearest place to the right at which the curve has a point.
      let wanted = Int(begin + phase * distance)
      return columns[wanted..<min(wanted + Int(distance / 4), area.width)].firstIndex { $0 != nil }
    }
    if places.isEmpty, let newest = columns.lastIndex(where: { $0 != nil }) { places = [newest] }
    for column in places {
      guard let fraction = columns[column].map({ values.fraction(of: $0.last) }), 0...1 ~= fraction
      else { continue }
      addMark(to: &svg, index: index, x: Double(area.left + column) + 0.5, y: area.y(fraction))
    }
  }

  private static func addMark(to svg: inout Document, index: Int, x: Double, y: Double) {
    svg.add(
      "<circle class=\"mark c\(index % colours)\" cx=\"\(coordinate(x))\" cy=\"\(coordinate(y))\" r=\"7\"/>"
        + "<text class=\"ink\" x=\"\(coordinate(x))\" y=\"\(coordinate(y + 3.5))\" font-size=\"10\" "
        + "text-anchor=\"middle\">\(DotChart.marker(ofCurve: index))</text>")
  }

  // MARK: Legend

  private static func addLegend(
    to svg: inout Document, curves: [(index: Int, curve: Curve)], view: ChartView, top: Int,
    width: Int
  ) {
    // A narrow document has room for the newest value only, and for a short name.
    let names = width < narrowWidth ? ["newest"] : ["newest", "lowest", "highest"]
    let columns = names.enumerated().map { ($1, width - 24 - 108 * (names.count - 1 - $0)) }
    // A character is about 7 pixels wide.
    let nameLength = min(44, max((columns[0].1 - 70 - 100) / 7, 8))
    svg.add("<g class=\"faint\" text-anchor=\"end\">")
    for (name, x) in columns { svg.add("<text x=\"\(x)\" y=\"\(top)\">\(name)</text>") }
    svg.add("</g>")
    for (row, (index, curve)) in curves.enumerated() {
      let y = top + (row + 1) * lineHeight
      svg.add("<path class=\"curve c\(index % colours)\" d=\"M24 \(y - 4)h36\"/>")
      addMark(to: &svg, index: index, x: 42, y: Double(y - 4))
      let unit = curve.unit.map { " [\($0)]" } ?? ""
      let name = shortened(curve.name, to: nameLength) + shortened(unit, to: 16)
      svg.add("<text class=\"ink\" x=\"70\" y=\"\(y)\">\(escaped(name))</text>")
      let seen = curve.extremes(in: view.times)
      let newest = seen == nil ? nil : curve.value(at: view.times.upperBound)?.value
      let texts = [newest, seen?.lowerBound, seen?.upperBound].map { $0?.text() ?? "–" }
      for ((_, x), text) in zip(columns, texts) {
        svg.add("<text class=\"ink\" x=\"\(x)\" y=\"\(y)\" text-anchor=\"end\">\(text)</text>")
      }
    }
  }

  // MARK: Text

  private static let lightColours = [
    "#0969da", "#bc4c00", "#1a7f37", "#8250df", "#cf222e", "#7d5700", "#0f757c", "#bf3989",
  ]
  private static let darkColours = [
    "#4493f8", "#f0883e", "#3fb950", "#ab7df8", "#ff7b72", "#d29922", "#39c5cf", "#f778ba",
  ]
  private static let colours = lightColours.count

  /// The colours on white; on a dark display those of `darkColours`.
  private static let style: String = {
    func rules(ink: String, faint: String, grid: String, back: String, _ colours: [String])
      -> String
    {
      ".back{fill:\(back)}.ink{fill:\(ink)}.faint{fill:\(faint)}.grid{stroke:\(grid)}"
        + ".frame{stroke:\(faint)}.mark{fill:\(back)}"
        + colours.enumerated().map { ".c\($0){stroke:\($1)}" }.joined()
    }
    return ".grid,.frame,.curve{fill:none}.curve{stroke-width:1.5;stroke-linejoin:round;"
      + "stroke-linecap:round}.point{stroke-width:5}.mark{stroke-width:1.5}"
      + rules(ink: "#1f2328", faint: "#59636e", grid: "#d8dee4", back: "#ffffff", lightColours)
      + "@media screen and (prefers-color-scheme:dark){"
      + rules(ink: "#f0f6fc", faint: "#9198a1", grid: "#2a313c", back: "#0d1117", darkColours) + "}"
  }()

  /// The lines of a document.
  private struct Document {
    private(set) var text = ""

    mutating func add(_ line: String) {
      text += line
      text += "\n"
    }
  }

  /// A number of pixels with one digit after the point.
  private static func coordinate(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return DecimalNumber(tenths, exponent: -1).plain
  }

  /// The text without its middle, if it is longer than a number of characters.
  private static func shortened(_ text: String, to length: Int) -> String {
    guard text.count > length else { return text }
    return text.prefix(length * 2 / 3) + "…" + text.suffix(length - length * 2 / 3 - 1)
  }

  /// A text from outside as text of XML.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.harmless.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      // XML 1.0 has no way to write these.
      case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
