import Glibc
import Plotting
import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TestSupport
import Testing
import Time

@testable import serialterm

/// The plot of an interactive session.
@Suite(.timeLimit(.minutes(30))) struct PlotInSessionTests {
  private func bench(
    _ change: (inout InterfaceBench.Options) -> Void = { _ in }
  ) throws -> InterfaceBench {
    var options = InterfaceBench.Options()
    change(&options)
    let bench = try InterfaceBench(options)
    try bench.begin()
    return bench
  }

  /// A session whose device has sent the numbers 1 to 5, with an open plot.
  private func plotting(
    _ change: (inout InterfaceBench.Options) -> Void = { _ in }
  ) throws -> InterfaceBench {
    let bench = try bench(change)
    try bench.receive((1...5).map { "t=\($0)\r\n" }.joined())
    try bench.command("y")
    return bench
  }

  private func draw(_ bench: InterfaceBench) throws { try bench.pass(.milliseconds(200)) }

  /// The rows of the screen.
  private func rows(_ bench: InterfaceBench) -> [String] {
    bench.terminal.screen.grid.map(ScreenModel.text)
  }

  private func curves(_ bench: InterfaceBench) -> [Curve] {
    bench.interface.plots.plot.recorder?.recording.curves ?? []
  }

  private func display(_ bench: InterfaceBench) throws -> PlotDisplay {
    try #require(bench.interface.plots.plot.display)
  }

  /// The number of listeners of the port with the focus.
  private func listenerCount(_ bench: InterfaceBench) -> Int {
    bench.interface.focus.port.controller.hub.ranks.count { $0 == .listener }
  }

  // MARK: Opening

  @Test
  func `The command is off until the device has sent numbers, and nothing looks for them then`()
    throws
  {
    let bench = try bench()
    let before = listenerCount(bench)
    try bench.receive("boot 1.2 ok\r\nlogin: ")
    #expect(!bench.state.seesNumbers)
    try bench.command("y")
    #expect(bench.terminal.lines.last?.contains("Not available: no numbers seen yet.") == true)
    try bench.receive("\r\nt=1\r\nt=2\r\n")
    #expect(bench.state.seesNumbers)
    #expect(listenerCount(bench) == before - 1)
    try bench.command("y")
    #expect(bench.interface.plots.plot.isShown && bench.state.showsPlot)
  }

  @Test func `Numbers are found in reads of any size`() throws {
    let bench = try bench()
    try bench.receive(String(repeating: "t=1\r\n", count: 4_000))
    #expect(bench.state.seesNumbers)
  }

  @Test func `The loss of the device does not join lines while numbers are looked for`() throws {
    let bench = try bench()
    try bench.receive("t=1\r\nt")
    try bench.unplug()
    try bench.plug()
    try bench.receive("=2\r\n")
    #expect(!bench.state.seesNumbers)
    try bench.receive("t=3\r\nt=4\r\n")
    #expect(bench.state.seesNumbers)
  }

  @Test func `The plot begins with what is kept, and the text goes on below`() throws {
    let bench = try plotting()
    #expect(curves(bench).map(\.count) == [5])
    #expect(rows(bench)[0].hasPrefix("1 t 5      1 to 5"))
    #expect(rows(bench)[14].hasSuffix("ctrl-t y: keys of the plot"))
    #expect(rows(bench)[15...].contains("t=5"))
    try bench.receive("t=6\r\n")
    try draw(bench)
    #expect(rows(bench)[0].hasPrefix("1 t 6      1 to 6"))
    #expect(rows(bench)[15...].contains("t=6"))
  }

  @Test func `A line that is open when the plot opens is read as a whole`() throws {
    let bench = try bench()
    try bench.receive("t=1\r\nt=2\r\nt=3")
    try bench.command("y")
    #expect(curves(bench).map(\.newest) == [2])
    try bench.receive("4\r\n")
    #expect(curves(bench).map(\.newest) == [34])
    #expect(curves(bench).map(\.count) == [3])
  }

  @Test func `The chart is drawn at most ten times a second, and not while nothing comes`() throws {
    let bench = try plotting()
    try draw(bench)
    try draw(bench)
    let before = bench.terminal.written.count
    try draw(bench)
    #expect(bench.terminal.written.count == before)
    var drawn = 0
    var shown = rows(bench)[0]
    for value in 10..<110 {
      try bench.receive("t=\(value)\r\n")
      try bench.pass(.milliseconds(10))
      if rows(bench)[0] != shown { drawn += 1 }
      shown = rows(bench)[0]
    }
    #expect((5...11).contains(drawn), "\(drawn)")
  }

  @Test func `A window that is too small has no plot, and the command says so`() throws {
    let bench = try plotting { $0.size = ScreenSize(rows: 7, columns: 80) }
    #expect(!bench.interface.plots.plot.isShown && !bench.state.showsPlot)
    #expect(
      bench.terminal.lines.contains {
        $0.contains("The window is too small for a plot: it needs 8 rows.")
      })
  }

  // MARK: Keys

  @Test func `Typed text goes to the device until the plot has the keys`() throws {
    let bench = try plotting()
    try bench.type("ls\r")
    #expect(bench.sent == Array("ls\r".utf8))
    try bench.command("y")
    try bench.type("l")
    try draw(bench)
    #expect(try display(bench).settings.isLogarithmic)
    #expect(rows(bench)[14].hasSuffix("?: keys  q: close  escape: type"))
    try bench.type("\u{1B}")
    try bench.pass(.milliseconds(50))
    try draw(bench)
    #expect(rows(bench)[14].hasSuffix("ctrl-t y: keys of the plot"))
    try bench.type("id\r")
    #expect(bench.sent == Array("ls\rid\r".utf8))
  }

  @Test func `q closes the plot, which goes on recording`() throws {
    let bench = try plotting()
    try bench.command("y")
    try bench.type("q")
    #expect(
      !bench.interface.plots.plot.isShown && !bench.state.showsPlot && bench.app.outcome == nil)
    #expect(rows(bench).contains("t=1"))
    #expect(bench.terminal.screen.region == 0..<24)
    try bench.receive("t=6\r\n")
    try bench.type("x")
    #expect(bench.sent == Array("x".utf8))
    try bench.command("y")
    #expect(rows(bench)[0].hasPrefix("1 t 6      1 to 6"))
  }

  @Test func `The commands are there while the plot has the keys`() throws {
    let bench = try plotting()
    try bench.command("y")
    try bench.command(":")
    #expect(bench.interface.dialogs.isOpen)
    #expect(try display(bench).panel.hasKeys == false)
    try bench.type("\u{7}")
    // The plot had the keys before, and has them again.
    #expect(try display(bench).panel.hasKeys && bench.interface.plots.plot.isShown)
    try bench.command("q")
    try bench.pass(.seconds(1))
    #expect(try bench.app.outcome?.get() == .done)
    bench.end()
    #expect(!bench.terminal.isRaw)
    #expect(bench.terminal.screen.region == 0..<24)
  }

  @Test func `On the whole window, the plot takes the keys back from another dialog`() throws {
    let bench = try plotting()
    try bench.command("y")
    try bench.type("f")
    #expect(bench.terminal.screen.region == 21..<24)
    try bench.command(":")
    #expect(try display(bench).panel.hasKeys == false)
    try bench.type("\u{7}")
    #expect(try display(bench).panel.hasKeys)
    try bench.type(" ")
    #expect(try display(bench).settings.isPaused)
    // Typing needs room for the answer.
    try bench.type("\u{1B}")
    try bench.pass(.milliseconds(50))
    #expect(bench.terminal.screen.region == 15..<24)
    #expect(try display(bench).panel.hasKeys == false)
    #expect(bench.sent.isEmpty)
  }

  @Test func `The device learns the size of the text below the plot`() throws {
    let bench = try bench()
    bench.interface.perform(.followSize, from: .palette)
    try bench.receive("t=1\r\nt=2\r\n")
    func newSize() throws -> String {
      let before = bench.sent.count
      try bench.pass(SizeFollower.pause)
      return String(decoding: bench.sent[before...], as: UTF8.self)
    }
    try bench.command("y")
    #expect(try newSize().contains("rows 9 "))
    try bench.command("y")
    try bench.type("f")
    #expect(try newSize().contains("rows 3 "))
    try bench.type("\u{1B}")
    try bench.pass(.milliseconds(50))
    #expect(try newSize().contains("rows 9 "))
  }

  // MARK: The device's sequences

  @Test func `A device cannot draw into the plot, and may draw again when it is closed`() throws {
    let bench = try plotting()
    try bench.receive("\u{1B}[1;1HINTRUDER\u{1B}[2J\u{1B}[1;24r\u{1B}[?1049h\r\nafter\r\n")
    try draw(bench)
    #expect(rows(bench)[0].hasPrefix("1 t 5 "))
    #expect(!rows(bench)[..<15].contains { $0.contains("INTRUDER") })
    #expect(rows(bench)[15...].contains("after"))
    #expect(bench.terminal.screen.region == 15..<24)
    // Colours are harmless.
    try bench.receive("\u{1B}[31mred\u{1B}[0m\r\n")
    #expect(String(decoding: bench.terminal.written, as: UTF8.self).contains("\u{1B}[31mred"))
    try bench.command("y")
    try bench.type("q")
    try bench.receive("\u{1B}[1;1HDRAWN")
    #expect(rows(bench)[0].hasPrefix("DRAWN"))
  }

  // MARK: Stopping and losing

  @Test func `After a stop by ctrl-z of the shell, the plot is drawn again`() throws {
    let bench = try plotting()
    // SIGTSTP itself would stop the tests.
    bench.interface.dialogs.dismiss()
    bench.interface.console.suspend(within: .zero)
    bench.terminal.look()
    #expect(bench.terminal.screen.region == 0..<24)
    #expect(!rows(bench).contains { $0.contains("keys of the plot") })
    try bench.receive("t=6\r\n")
    try draw(bench)
    #expect(!rows(bench).contains { $0.contains("keys of the plot") })
    _ = bench.interface.handle(signal: SIGCONT)
    try draw(bench)
    #expect(bench.terminal.isRaw)
    #expect(rows(bench)[0].hasPrefix("1 t 6 "))
    #expect(rows(bench)[14].hasSuffix("keys of the plot"))
    #expect(bench.terminal.screen.region == 15..<24)
  }

  @Test func `A window that becomes too small loses the plot until it is larger`() throws {
    let bench = try plotting()
    func resize(_ rows: Int) throws {
      bench.terminal.resize(ScreenSize(rows: rows, columns: 80))
      _ = bench.interface.handle(signal: SIGWINCH)
      try draw(bench)
    }
    try resize(7)
    #expect(!rows(bench).contains { $0.contains("keys of the plot") })
    try bench.receive("t=6\r\n")
    try draw(bench)
    #expect(rows(bench).contains("t=6"))
    try resize(24)
    #expect(rows(bench)[0].hasPrefix("1 t 6 "))
    #expect(rows(bench)[14].hasSuffix("keys of the plot"))
  }

  @Test func `The loss of the device does not join lines`() throws {
    let bench = try plotting()
    try bench.receive("t=6")
    try bench.unplug()
    try bench.plug()
    try bench.receive("7\r\nt=8\r\n")
    #expect(curves(bench).map(\.newest) == [8])
    #expect(curves(bench).map(\.count) == [6])
    let times = try #require(bench.interface.plots.plot.recorder?.recording.times)
    let spans = curves(bench)[0].columns(in: times.lowerBound...times.upperBound, count: 100_000)
      .compactMap { $0 }
    // The line is not joined with the points before the loss.
    #expect(spans.last?.last == 8 && spans.last?.isJoined == false)
  }

  // MARK: Forms

  @Test func `Another form reads what is kept again, with curves of its own`() throws {
    let bench = try bench()
    try bench.receive("t=1\r\nt=2\r\n5,6\r\n7,8\r\n9,10\r\n")
    try bench.command("y")
    try bench.command("y")
    try bench.type("1rpf")
    try bench.turn()
    #expect(curves(bench).map(\.name) == ["t"])
    bench.interface.perform(.plotForm.command, from: .palette)
    try bench.turn()
    try bench.type("values")
    try bench.pass(.milliseconds(200))
    try bench.type("\r")
    try draw(bench)
    #expect(curves(bench).map(\.newest) == [9, 10])
    #expect(curves(bench).map(\.count) == [3, 3])
    let settings = try display(bench).settings
    #expect(settings.hidden == [] && settings.range == nil && !settings.isPaused)
    #expect(try display(bench).panel.isFull && bench.interface.plots.plot.isShown)
    #expect(bench.state.plotForm == .values)
    try bench.receive("11,12\r\nt=3\r\n")
    #expect(curves(bench).map(\.newest) == [11, 12])
  }

  @Test func `A form can be chosen before numbers are found`() throws {
    let bench = try bench()
    try bench.receive("ready t=1\r\n")
    #expect(!bench.state.seesNumbers)
    bench.interface.readNumbers(as: .pairs)
    #expect(bench.state.seesNumbers)
    try bench.command("y")
    #expect(curves(bench).map(\.newest) == [1])
  }

  // MARK: Other terminals, several ports

  @Test func `On a terminal that can only print, the values are printed`() throws {
    for change in [
      { (options: inout InterfaceBench.Options) in options.screen = .printing },
      { (options: inout InterfaceBench.Options) in options.printsLists = true },
    ] {
      let bench = try plotting(change)
      let lines = bench.terminal.lines
      #expect(lines.contains("reading: key=value, 1 series."))
      #expect(lines.contains { $0.hasPrefix("series") && $0.contains("newest") })
      #expect(
        lines.contains { $0.split(separator: " ").map(String.init) == ["t", "5", "1", "5", "5"] })
      #expect(!bench.interface.plots.plot.isShown && !bench.state.showsPlot)
      try bench.receive("t=6\r\n")
      try bench.command("y")
      #expect(
        bench.terminal.lines.contains {
          $0.split(separator: " ").map(String.init) == ["t", "6", "1", "6", "6"]
        })
    }
  }

  @Test func `Several ports are in one plot`() throws {
    let bench = try bench { $0.portCount = 2 }
    func receive(_ text: String, _ port: Int) throws {
      bench.links[port].incoming.append(FakeLink.Input(Array(text.utf8)))
      bench.interface.focus.ports[port].controller.session.handle(.readable)
      try bench.turn()
    }
    try receive("t=1\r\nt=2\r\n", 0)
    try bench.command("y")
    try receive("t=3\r\nu=5\r\nt=4\r\nu=6\r\n", 1)
    #expect(curves(bench).map(\.name).allSatisfy { $0.hasSuffix(": t") || $0.hasSuffix(": u") })
    #expect(curves(bench).map(\.newest) == [2, 4, 6])
    #expect(Set(curves(bench).map(\.name)).count == 3)
    #expect(bench.interface.focus.ports.allSatisfy { $0.model.state.showsPlot })
    try receive("t=9\r\n", 0)
    #expect(curves(bench).map(\.newest) == [9, 4, 6])
  }

  // MARK: serialterm plot

  private func program(
    _ change: (inout PlotController.Configuration) -> Void = { _ in }
  ) throws -> InterfaceBench {
    try bench {
      $0.plot = PlotController.Configuration(isWholeProgram: true)
      change(&$0.plot)
    }
  }

  @Test func `serialterm plot has the whole window with the first numbers, and ends with the plot`()
    throws
  {
    let bench = try program()
    #expect(rows(bench)[14].contains("no numbers yet"))
    #expect(rows(bench)[14].hasSuffix("you type to the device  ctrl-t y: keys of the plot"))
    try bench.receive("t=1\r\nt=2\r\n")
    try draw(bench)
    #expect(rows(bench)[0].hasPrefix("1 t 2      1 to 2"))
    #expect(rows(bench)[20].hasSuffix("?: keys  q: close  escape: type"))
    #expect(bench.terminal.screen.region == 21..<24)
    try bench.type("q")
    try bench.pass(.seconds(1))
    #expect(try bench.app.outcome?.get() == .done)
    bench.end()
    #expect(!bench.terminal.isRaw)
  }

  @Test func `Until numbers come, and to the end of a line, what is typed goes to the device`()
    throws
  {
    let bench = try program()
    try bench.type("sens")
    try bench.receive("t=1\r\nt=2\r\n")
    try bench.type("or q\r")
    #expect(bench.sent == Array("sensor q\r".utf8))
    #expect(rows(bench)[14].hasSuffix("keys of the plot"))
    try bench.receive("t=3\r\n")
    try draw(bench)
    #expect(rows(bench)[20].hasSuffix("?: keys  q: close  escape: type"))
    try bench.type("l")
    #expect(bench.sent == Array("sensor q\r".utf8))
    try bench.type("\u{1B}")
    try bench.pass(.milliseconds(100))
    try bench.receive("t=4\r\n")
    try bench.type("l")
    #expect(bench.sent == Array("sensor q\rl".utf8))
  }

  @Test func `serialterm plot ends after the time of --deadline`() throws {
    let bench = try program { $0.deadline = .seconds(5) }
    try bench.receive("t=1\r\nt=2\r\n")
    try bench.pass(.seconds(4))
    #expect(bench.app.outcome == nil)
    try bench.pass(.seconds(1))
    try bench.pass(.seconds(1))
    #expect(try bench.app.outcome?.get() == .done)
  }

  @Test func `serialterm plot in a window that is too small says so`() throws {
    let bench = try bench {
      $0.plot = PlotController.Configuration(isWholeProgram: true)
      $0.size = ScreenSize(rows: 7, columns: 80)
    }
    #expect(bench.terminal.lines.joined(separator: "\n").contains("too small for a plot"))
    try bench.type("x")
    #expect(bench.sent == Array("x".utf8))
  }

  @Test func `The picture at the end has everything`() throws {
    let folder = try TemporaryFolder()
    let path = folder("end.svg")
    let bench = try program {
      $0.picture = path
      $0.settings = PlotSettings(window: .points(2))
    }
    try bench.receive("t=1000\r\nt=2\r\nt=3\r\n")
    try bench.type(" ")
    try bench.receive("t=4\r\n")
    try bench.interface.finishOutput()
    let text = try String(decoding: path.contents(), as: UTF8.self)
    #expect(text.contains("<svg") && text.hasSuffix("</svg>\n"))
    #expect(text.contains("1000") && text.contains(">4<"))
  }

  @Test func `A picture that cannot be made is a failure`() throws {
    let folder = try TemporaryFolder()
    let empty = try program { $0.picture = folder("end.svg") }
    #expect(throws: PlotPicture.noNumbers) { try empty.interface.finishOutput() }
    let bench = try program { $0.picture = folder("none/end.svg") }
    try bench.receive("t=1\r\nt=2\r\n")
    let failure = #expect(throws: Failure.self) { try bench.interface.finishOutput() }
    #expect(failure?.message.contains("cannot be written") == true)
  }

  // MARK: Saving

  /// Saves a content from the open plot to a file.
  private func save(
    _ content: String, to path: FilePath, _ bench: InterfaceBench, replacing: Bool = false
  ) throws {
    try bench.command("y")
    try bench.type("s")
    try bench.type(content)
    try bench.pass(.milliseconds(200))
    try bench.type("\r")
    try bench.turn()
    try bench.type(path.string)
    try bench.pass(.milliseconds(200))
    try bench.type("\r")
    if replacing {
      let isAsked = try bench.wait {
        _ = try? bench.pass(.milliseconds(100))
        return bench.terminal.panel.contains { $0.contains("replace it") }
      }
      #expect(isAsked)
      try bench.type("replace")
      try bench.pass(.milliseconds(200))
      try bench.type("\r")
    }
    // The folder is listed on another thread before Enter counts.
    #expect(
      try bench.wait {
        _ = try? bench.pass(.milliseconds(100))
        return !bench.interface.search.saver.isWriting && (try? path.stat()) != nil
      })
  }

  @Test func `Values and pictures are saved from the plot`() throws {
    let folder = try TemporaryFolder()
    let bench = try plotting()
    try save("all values", to: folder("all.csv"), bench)
    let all = try String(decoding: folder("all.csv").contents(), as: UTF8.self)
    #expect(
      all.split(separator: "\n").map { $0.split(separator: ",")[1] } == [
        "t", "1", "2", "3", "4", "5",
      ])
    // What is shown includes its first point.
    try save("values that are shown", to: folder("shown.csv"), bench)
    #expect(try folder("shown.csv").contents() == Array(all.utf8))
    try save("picture", to: folder("seen.svg"), bench)
    let picture = try String(decoding: folder("seen.svg").contents(), as: UTF8.self)
    #expect(picture.contains("<svg"))
    // A file that exists is replaced if the user agrees.
    try bench.receive("t=6\r\n")
    try save("all values", to: folder("all.csv"), bench, replacing: true)
    let new = try String(decoding: folder("all.csv").contents(), as: UTF8.self)
    #expect(new.hasPrefix(all) && new.split(separator: "\n").count == 7)
  }

  @Test func `Only the values of the shown times are saved`() throws {
    let folder = try TemporaryFolder()
    let bench = try plotting { $0.plot.settings = PlotSettings(window: .points(2)) }
    for value in 6...7 {
      // Times have whole milliseconds in the scrollback.
      let millisecond = Moment.now.wallClock / 1_000_000
      while Moment.now.wallClock / 1_000_000 == millisecond {}
      try bench.receive("t=\(value)\r\n")
    }
    try save("values that are shown", to: folder("shown.csv"), bench)
    let text = try String(decoding: folder("shown.csv").contents(), as: UTF8.self)
    #expect(text.split(separator: "\n").map { $0.split(separator: ",")[1] } == ["t", "6", "7"])
  }
}
