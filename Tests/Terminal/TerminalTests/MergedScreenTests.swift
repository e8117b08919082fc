import EventLoop
import TestSupport
import Testing
import TextStages

@testable import Terminal

/// Several ports on one screen.
@Suite(.timeLimit(.minutes(5))) struct MergedScreenTests {
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
}
