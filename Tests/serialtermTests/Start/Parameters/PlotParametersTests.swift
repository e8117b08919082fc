import Glibc
import Options
import Patterns
import Plotting
import SerialCore
import SystemPackage
import Terminal
import TestSupport
import Testing

@testable import serialterm

/// The command line of `serialterm plot`.
@Suite(.timeLimit(.minutes(30))) struct PlotParametersTests {
  typealias Window = PlotSettings.Window

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: Values

  @Test(arguments: [
    ("all", Window.all), ("2", .points(2)), ("500", .points(500)), ("30s", .seconds(30)),
    ("1.5s", .seconds(1.5)), ("250ms", .seconds(0.25)), ("10m", .seconds(600)),
    ("10min", .seconds(600)), ("2h", .seconds(7_200)), ("1d", .seconds(86_400)),
  ])
  func `A window is a time, a number of points, or all`(_ text: String, _ window: Window) throws {
    #expect(try Window(parsing: text) == window)
  }

  @Test(arguments: [
    "", "0", "1", "-5", "1.5", "s", "0s", "-1s", "infs", "nans", "1e10s", "10 m", "10w", "10M",
    "All", "2000000000", "1h30m",
  ])
  func `Other windows are refused`(_ text: String) {
    #expect(throws: ValueError.self) { try Window(parsing: text) }
  }

  private func values(_ words: String...) throws -> Values {
    let reading = try reading(["plot", "ttyUSB0"] + words)
    return try #require(reading.command as? PlotCommand).values
  }

  @Test func `Parameters have defaults`() throws {
    let values = try values()
    #expect(values.sampleForm == nil)
    #expect(values.plotSettings(unlessGiven: .seconds(60)) == PlotSettings(window: .seconds(60)))
  }

  @Test func `Parameters become settings`() throws {
    let values = try values(
      "--window=500", "--range=-5:12.5", "--form=pairs", "--csv=-", "--svg=a.svg", "--deadline=2.5")
    #expect(values.sampleForm == .pairs)
    #expect(
      values.plotSettings(unlessGiven: .all)
        == PlotSettings(window: .points(500), range: -5...12.5))
    #expect(values[PlotParameters.csv] == "-" && values[PlotParameters.svg] == "a.svg")
    #expect(values[PlotParameters.deadline] == 2.5)
    #expect(try self.values("--form", "auto").sampleForm == nil)
    #expect(try self.values("--range", "-5:5")[PlotParameters.range] == -5...5)
    guard case .pattern? = try self.values("--match", "T=(?<t>[0-9]+)").sampleForm else {
      Issue.record("--match is not a pattern")
      return
    }
    let logarithmic = try self.values("--log-scale", "--range", "1:100")
    #expect(logarithmic.plotSettings(unlessGiven: .all).isLogarithmic)
  }

  @Test(arguments: [
    ["--range", "5"], ["--range", "5:5"], ["--range", "5:1"], ["--range", "a:b"],
    ["--range", "1:2:3"], ["--range", "0:inf"], ["--range", "nan:1"], ["--range", ":1"],
    ["--form", "xml"], ["--form", ""], ["--match", "("], ["--svg", "-"], ["--svg", ""],
    ["--csv", ""], ["--window", "0"], ["--deadline", "0"], ["--deadline", "x"], ["--for", "5"],
    ["--match", "(a)", "--form", "json"], ["--log-scale", "--range", "0:5"],
    ["--log-scale", "--range", "-1:5"], ["--rate", "10"],
    ["--log", "a.csv", "--log-append"],
  ])
  func `Mistakes are refused`(_ words: [String]) {
    #expect(throws: (any Error).self) { try reading(["plot", "ttyUSB0"] + words) }
  }

  // MARK: Sources

  @Test func `A regular file and a pipe are files, anything else is a device`() throws {
    let file = try folder.write("board.log", []).string
    let pipe = folder("pipe").string
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(try PlotSource(parsing: file) == .file(file))
    #expect(try PlotSource(parsing: pipe) == .file(pipe))
    #expect(try PlotSource(parsing: "-") == .file("-"))
    for target in ["ttyUSB0", "/dev/ttyUSB0", "/dev/null", "tcp://board.example:4000", "usb:1:2"] {
      #expect(try !PlotSource(parsing: target).isFile, "\(target)")
    }
    // A device may be unplugged, and its link be in any folder.
    for target in ["./ttyACM0", folder("a.b/ttyACM0").string, "/dev/serial/by-id/usb-1.0"] {
      #expect(try !PlotSource(parsing: target).isFile, "\(target)")
    }
  }

  @Test func `A path with a suffix that does not exist is a mistake`() throws {
    for path in [folder("board.log").string, "./none.csv"] {
      let failure = #expect(throws: Failure.self) { try PlotSource(parsing: path) }
      #expect(failure?.message.contains("there is no such file") == true)
    }
  }

  @Test func `Files have options of their own`() throws {
    let file = try folder.write("board.log", []).string
    func command(_ words: String...) throws -> PlotCommand? {
      guard case .command(let command, let rest) = Invocation(["plot"] + words) else { return nil }
      let given = try command.given(by: rest)
      #expect(command.profiled(for: given) == nil)
      return try command.init(Values(given, of: command.description.declarations)) as? PlotCommand
    }
    #expect(try command(file, "--rate", "10")?.values[PlotParameters.rate] == 10)
    #expect(throws: UsageError.self) { try command(file, "ttyUSB0") }
    #expect(throws: UsageError.self) { try command(file, "--deadline", "5") }
  }
}
