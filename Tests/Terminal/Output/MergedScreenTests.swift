import EventLoop
import TestSupport
import Testing
import TextStages
import Time

@testable import Terminal

/// Several ports on one screen.
@Suite(.timeLimit(.minutes(30))) struct MergedScreenTests {
  @Test func `The merged screen is the source of the text, also after another port was added`()
    throws
  {
    let loop = try IOLoop()
    let terminal = try FakeTerminal(.drawing)
    let console = try Console(terminal.streams, on: loop, isQuiet: false, isRaw: true)
    var views = (0..<2).map { _ in DeviceView(ViewSettings(), on: console, loop: loop) }
    let merged = MergedScreen(on: console, loop: loop)
    for (view, place) in zip(views, merged.places(named: ["a", "b"])) { view.place = place }
    #expect(console.screen.delegate === merged)

    // A new view begins on the whole screen.
    views.append(DeviceView(ViewSettings(), on: console, loop: loop))
    for (view, place) in zip(views, merged.places(named: ["a", "b", "c"])) { view.place = place }
    #expect(console.screen.delegate === merged)
  }

  @Test func `The times of all ports count from one start`() throws {
    let loop = try IOLoop()
    let terminal = try FakeTerminal(.drawing)
    let console = try Console(terminal.streams, on: loop, isQuiet: false, isRaw: true)
    let moment = Moment(
      wallClock: 0, monotonic: console.start.monotonic + 1_000_000_000)
    var settings = ViewSettings()
    settings.timestamps = TimestampFormat(.start, .microseconds)
    let views = (0..<2).map { _ in DeviceView(settings, on: console, loop: loop) }
    let merged = MergedScreen(on: console, loop: loop)
    for (view, place) in zip(views, merged.places(named: ["a", "b"])) {
      view.place = place
      Array("line\n".utf8).withUnsafeBytes { view.show($0, at: moment) }
    }
    terminal.look()
    // "a | [    1.000000] line"
    let text = String(decoding: terminal.written, as: UTF8.self)
    let times = text.split(separator: "[").dropFirst().map { $0.prefix { $0 != "]" } }
    #expect(times == ["    1.000000", "    1.000000"])
  }
}
