import Options
import Patterns
import Plotting
import SystemPackage
import Terminal
import TextTools

/// The parameters of a plot.
enum PlotParameters {
  static let csv = Parameter<String?>.option(
    "csv", "FILE",
    "Write the values: the time, and a column for each series. - for standard output.",
    isConfigurable: false, completion: .files,
    parse: { text in
      guard !text.isEmpty else { throw ValueError(text, expected: "the name of a file") }
      if let objection = objection(toTable: FilePath(text)) {
        throw ValueError("'\(text)' is not a table: \(objection)")
      }
      return text
    })

  static let svg = Parameter<String?>.option(
    "svg", "FILE", "Write a picture of the plot (SVG).", isConfigurable: false, completion: .files,
    parse: { text in
      guard !text.isEmpty, text != "-" else {
        throw ValueError(text, expected: "the name of a file")
      }
      if let objection = objection(toPicture: FilePath(text)) {
        throw ValueError("'\(text)' cannot be written: \(objection)")
      }
      return text
    })

  static let form = Parameter<SampleForm?>.option(
    "form", "FORM",
    "What a line looks like: values (1,2,3), labels (a:1), pairs (a=1), teleplot (>a:1), json, or auto.",
    standard: nil, shown: "auto", isConfigurable: false,
    completion: .words(["auto"] + SampleForm.named.map(\.name)),
    parse: { text in
      if text == "auto" { return nil }
      guard let form = SampleForm.named.first(where: { $0.name == text })?.form else {
        throw ValueError(
          text, expected: "one of auto, " + SampleForm.named.map(\.name).joined(separator: ", "))
      }
      return form
    })

  static let match = Parameter<Pattern?>.option(
    "match", "REGEX",
    "Read the numbers that a regular expression matches: 'T=(?<temp>[-0-9.]+)' is a series temp.",
    isConfigurable: false, parse: { try Pattern(parsing: $0, capturing: true) })

  static let window = Parameter<PlotSettings.Window?>.option(
    "window", "LENGTH",
    "How much is shown: a time (30s, 10m, 2h), a number of points (500), or all.",
    isConfigurable: false, completion: .words(["all", "10s", "1m", "10m", "1h", "500"]),
    parse: { try PlotSettings.Window(parsing: $0) })

  static let range = Parameter<ClosedRange<Double>?>.option(
    "range", "MIN:MAX", "The range of the values. By default, that of the visible curves.",
    isConfigurable: false,
    parse: { text in
      guard let range = ClosedRange(parsing: text) else {
        throw ValueError(text, expected: "two numbers, the smaller one first: 0:100")
      }
      return range
    })

  static let logScale = Parameter.flag(
    "log-scale", "Show values on a logarithmic scale.", isConfigurable: false)

  static let rate = Parameter<Double?>.option(
    "rate", "HZ", "Lines in a second, of a file without times. By default, lines are counted.",
    isConfigurable: false, kind: .text,
    parse: { try .number($0, of: "lines in a second", in: 1e-6...1e9) })

  static let deadline = Parameter<Double?>.time(
    "deadline", "The plot of a device ends after this time.", 0.001...31_536_000,
    isConfigurable: false)

  static let section = ParameterSection(
    "PLOT", [csv, svg, form, match, window, range, logScale, rate, deadline])

  /// The suffixes of files that are neither pictures in SVG nor tables in CSV.
  private static let otherSuffixes: Set = [
    "bmp", "eps", "gif", "htm", "html", "jpeg", "jpg", "ods", "pdf", "png", "ps", "svgz", "tif",
    "tiff", "webp", "xls", "xlsx",
  ]

  /// Why a picture cannot have a name; nil if it can.
  static func objection(toPicture path: FilePath) -> String? {
    guard let suffix = path.extension?.lowercased(),
      suffix == "csv" || otherSuffixes.contains(suffix)
    else { return nil }
    return "a picture is SVG, so name it \(path.stem ?? "plot").svg"
      + (suffix == "png" || suffix == "pdf"
        ? "; 'rsvg-convert -f \(suffix)' can then convert it" : "")
  }

  /// Why a table cannot have a name; nil if it can.
  static func objection(toTable path: FilePath) -> String? {
    guard let suffix = path.extension?.lowercased(),
      suffix == "svg" || otherSuffixes.contains(suffix)
    else { return nil }
    return "values are CSV, so name it \(path.stem ?? "plot").csv"
  }
}

extension Values {
  /// The form of the lines; nil to detect it.
  var sampleForm: SampleForm? {
    self[PlotParameters.match].map { .pattern($0) } ?? self[PlotParameters.form]
  }

  /// The settings of a plot.
  ///
  /// - Parameter window: the window if none is given.
  func plotSettings(unlessGiven window: PlotSettings.Window) -> PlotSettings {
    PlotSettings(
      window: self[PlotParameters.window] ?? window, range: self[PlotParameters.range],
      isLogarithmic: self[PlotParameters.logScale])
  }

  /// Whether the files of the plot may be written. It asks the user about those that exist.
  ///
  /// - Throws: ``Failure`` if one exists, and there is no user to ask.
  func mayWritePlot() throws(Failure) -> Bool {
    for option in [PlotParameters.csv, PlotParameters.svg] {
      guard let path = self[option] else { continue }
      guard try FileOutput.mayWrite(path, for: option.name) else { return false }
    }
    return true
  }

  /// Checks the combination of the plot parameters.
  ///
  /// - Throws: `UsageError`.
  func checkPlot() throws(UsageError) {
    if self[PlotParameters.match] != nil, self[PlotParameters.form] != nil {
      throw UsageError(about: ["match", "form"], "--match and --form are two ways to read a line")
    }
    if let csv = self[PlotParameters.csv], csv == self[PlotParameters.svg] {
      throw UsageError(about: ["csv", "svg"], "--csv and --svg are the same file")
    }
    if self[PlotParameters.logScale], let range = self[PlotParameters.range], range.lowerBound <= 0
    {
      throw UsageError(
        about: ["log-scale", "range"], "0 and less have no place on a logarithmic scale")
    }
  }
}

extension ClosedRange<Double> {
  /// Parses two finite numbers, the smaller one first: `0:100`; nil if the text is something else.
  init?(parsing text: String) {
    let ends = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
    guard ends.count == 2, let low = ends[0], let high = ends[1], low.isFinite, high.isFinite,
      low < high
    else { return nil }
    self = low...high
  }
}

extension PlotSettings.Window {
  /// Parses a length: a time with its unit, a number of points, or `all`.
  ///
  /// - Throws: `ValueError`.
  init(parsing text: String) throws(ValueError) {
    if text == "all" {
      self = .all
    } else if let count = Int(text), (2...1_000_000_000).contains(count) {
      self = .points(count)
    } else if let time = WrittenTime(text, unit: nil), time.seconds > 0, time.seconds < 1e14 {
      self = .seconds(time.seconds)
    } else {
      throw ValueError(text, expected: "a time (30s, 10m, 2h), a number of points (500), or all")
    }
  }
}
