import Plotting
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(30))) struct PlotSettingsTests {
  typealias Window = PlotSettings.Window

  // MARK: Windows

  @Test(arguments: [
    (Window.all, 0.0...100), (.seconds(10), 90...100), (.seconds(500), 0...100),
    (.seconds(100), 0...100), (.points(2), 99...100), (.points(11), 90...100),
    (.points(500), 0...100),
  ])
  func `A window shows the newest part`(_ window: Window, _ times: ClosedRange<Double>) {
    #expect(PlotSettings(window: window).times(of: .ramp(101)) == times)
  }

  @Test func `Points are those of the visible curve that has most of them`() {
    let recording = Recording([(0, [0, 0]), (1, [1]), (2, [2]), (3, [3, 0])])
    var settings = PlotSettings(window: .points(2))
    #expect(settings.times(of: recording) == 2...3)
    settings.toggleCurve(0)
    #expect(settings.times(of: recording) == 0...3)
    settings.toggleCurve(1)
    #expect(settings.times(of: recording) == 0...3)
  }

  @Test func `Without points, nothing is shown and nothing changes`() {
    let recording = Recording()
    for window in [Window.all, .seconds(10), .points(10)] {
      var settings = PlotSettings(window: window)
      #expect(settings.times(of: recording) == nil)
      #expect(settings.view(of: recording, timeKind: .clock) == nil)
      let before = settings
      settings.togglePause(recording)
      settings.scroll(by: -1, recording)
      settings.scrollToBeginning(recording)
      settings.zoom(by: 2, recording)
      settings.zoom(by: 0.5, recording)
      settings.toggleRange(recording)
      settings.toggleCursor(recording)
      settings.moveCursor(by: 1, recording)
      #expect(settings == before)
    }
  }

  @Test func `One point is shown in the middle of a range around its value`() throws {
    let settings = PlotSettings(window: .seconds(60))
    let view = try #require(settings.view(of: Recording([(5, [20])]), timeKind: .clock))
    #expect(view.times == 5...5)
    #expect(view.values == 18...22)
    #expect(view.column(of: 5, columns: 10) == 5)
  }

  @Test(arguments: [(0.0, -1.0...1), (20, 18...22), (-20, -22 ... -18)])
  func `Equal values have a range around them`(_ value: Double, _ range: ClosedRange<Double>) {
    let recording = Recording([(0, [value]), (1, [value])])
    #expect(PlotSettings().view(of: recording, timeKind: .clock)?.values == range)
  }

  // MARK: Values

  @Test func `The range follows the visible curves in the shown times, or is kept`() {
    let recording = Recording([(0, [100, 0]), (1, [0, -50]), (2, [20, -50])])
    var settings = PlotSettings(window: .seconds(1))
    func values() -> ClosedRange<Double>? {
      settings.view(of: recording, timeKind: .clock)?.values
    }
    #expect(values() == -50...20)
    settings.toggleCurve(1)
    #expect(values() == 0...20)
    settings.toggleRange(recording)
    settings.toggleCurve(1)
    #expect(values() == 0...20)
    settings.toggleRange(recording)
    #expect(settings.range == nil)
    #expect(values() == -50...20)
    settings.hidden = [0, 1]
    #expect(values() == 0...1)
    settings.isLogarithmic = true
    #expect(values() == 1...10)
  }

  @Test func `A logarithmic scale begins above 0`() throws {
    let settings = PlotSettings(isLogarithmic: true)
    let mixed = Recording([(0, [-5]), (1, [0]), (2, [1_000])])
    let values = try #require(settings.view(of: mixed, timeKind: .clock)?.values)
    #expect(values.lowerBound > 0 && values.upperBound >= 1_000)
    let none = Recording([(0, [-5]), (1, [0])])
    #expect(settings.view(of: none, timeKind: .clock)?.values == 0.1...1)
  }

  // MARK: Pause

  @Test func `A paused plot keeps its times while points arrive`() {
    var settings = PlotSettings(window: .seconds(10))
    settings.togglePause(.ramp(101))
    #expect(settings.isPaused)
    #expect(settings.times(of: .ramp(201)) == 90...100)
    settings.togglePause(.ramp(201))
    #expect(!settings.isPaused)
    #expect(settings.times(of: .ramp(201)) == 190...200)
  }

  @Test func `Scrolling pauses, stops at the beginning, and follows at the end`() {
    let recording = Recording.ramp(101)
    var settings = PlotSettings(window: .seconds(20))
    settings.scroll(by: -0.25, recording)
    #expect(settings.pausedTimes == 75...95)
    settings.scroll(by: -1, recording)
    #expect(settings.pausedTimes == 55...75)
    for _ in 0..<9 { settings.scroll(by: -1, recording) }
    #expect(settings.pausedTimes == 0...20)
    for _ in 0..<3 { settings.scroll(by: 1, recording) }
    #expect(settings.pausedTimes == 60...80)
    settings.scroll(by: 1, recording)
    #expect(settings.pausedTimes == nil)
    #expect(settings.window == .seconds(20))
    settings.scrollToBeginning(recording)
    #expect(settings.pausedTimes == 0...20)
    settings.follow()
    #expect(settings.times(of: recording) == 80...100)
  }

  @Test func `A plot that shows everything cannot be scrolled away from it`() {
    var settings = PlotSettings()
    settings.scroll(by: -1, .ramp(11))
    #expect(settings.times(of: .ramp(11)) == 0...10)
    settings.scroll(by: 1, .ramp(11))
    #expect(!settings.isPaused)
  }

  // MARK: Zoom

  @Test(arguments: [
    (Window.all, 0.5, Window.seconds(50)), (.all, 2, .all),
    (.seconds(20), 0.5, .seconds(10)), (.seconds(20), 2, .seconds(40)),
    (.seconds(60), 2, .all), (.seconds(400), 2, .seconds(800)), (.seconds(400), 0.5, .seconds(50)),
    (.points(20), 0.5, .points(10)), (.points(20), 2, .points(40)), (.points(80), 2, .all),
    (.points(2), 0.5, .points(2)), (.seconds(0.001), 0.5, .seconds(0.001)),
  ])
  func `A window becomes longer or shorter`(_ old: Window, _ factor: Double, _ new: Window) {
    var settings = PlotSettings(window: old)
    settings.zoom(by: factor, .ramp(101))
    #expect(settings.window == new)
    #expect(!settings.isPaused)
  }

  @Test func `A paused plot keeps its end, or its cursor where it is`() {
    let recording = Recording.ramp(101)
    var settings = PlotSettings(window: .seconds(40))
    settings.togglePause(recording)
    settings.zoom(by: 0.5, recording)
    #expect(settings.pausedTimes == 80...100)
    settings.toggleCursor(recording)
    settings.moveCursor(by: -0.25, recording)
    #expect(settings.cursor == 95)
    settings.zoom(by: 0.5, recording)
    #expect(settings.pausedTimes == 87.5...97.5)
    settings.zoom(by: 2, recording)
    #expect(settings.pausedTimes == 80...100)
    #expect(settings.cursor == 95)
  }

  @Test func `A paused plot shows at most everything, however often it becomes longer`() {
    for start in [0, 1.8e9] {
      let recording = Recording.ramp(101, from: start)
      var settings = PlotSettings(window: .seconds(40))
      settings.toggleCursor(recording)
      for _ in 0..<3_000 { settings.zoom(by: 2, recording) }
      #expect(settings.pausedTimes == start...start + 100)
      for _ in 0..<3_000 { settings.zoom(by: 0.5, recording) }
      #expect(settings.pausedTimes.map { $0.upperBound - $0.lowerBound <= 0.002 } == true)
      #expect(settings.pausedTimes?.contains(start + 100) == true)
    }
  }

  // MARK: Cursor

  @Test func `The cursor begins at the newest point, and stops at the edges of the recording`() {
    let recording = Recording.ramp(101)
    var settings = PlotSettings(window: .seconds(20))
    settings.toggleCursor(recording)
    #expect(settings.cursor == 100 && settings.pausedTimes == 80...100)
    settings.moveCursor(by: 1, recording)
    #expect(settings.cursor == 100 && settings.pausedTimes == 80...100)
    settings.moveCursor(by: -0.5, recording)
    #expect(settings.cursor == 90 && settings.pausedTimes == 80...100)
    settings.moveCursor(by: -1, recording)
    #expect(settings.cursor == 70 && settings.pausedTimes == 70...90)
    for _ in 0..<9 { settings.moveCursor(by: -1, recording) }
    #expect(settings.cursor == 0 && settings.pausedTimes == 0...20)
    settings.toggleCursor(recording)
    #expect(settings.cursor == nil && settings.pausedTimes == 0...20)
  }

  @Test func `A cursor at a place to which the plot was scrolled is within its times`() {
    let recording = Recording.ramp(101)
    var settings = PlotSettings(window: .seconds(20))
    settings.scroll(by: -1, recording)
    settings.toggleCursor(recording)
    #expect(settings.cursor == 80)
    settings.togglePause(recording)
    #expect(settings.cursor == nil && !settings.isPaused)
  }

  @Test func `With one point, the cursor stays on it`() {
    let recording = Recording([(5, [1])])
    var settings = PlotSettings()
    settings.toggleCursor(recording)
    settings.moveCursor(by: 1, recording)
    settings.moveCursor(by: -1, recording)
    #expect(settings.cursor == 5)
    #expect(settings.pausedTimes == 5...5)
  }
}
