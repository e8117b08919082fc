package import Plotting

/// What of a recording is plotted, and how. It is a value: keys change it, a panel and a
/// picture show it.
package struct PlotSettings: Hashable, Sendable {
  /// The part of the recording that is shown.
  package enum Window: Hashable, Sendable {
    /// Everything.
    case all
    /// The newest seconds; in a recording without times, the newest lines.
    case seconds(Double)
    /// The newest points of the curve that has most of them.
    case points(Int)
  }

  /// The part that is shown while the plot follows the newest point.
  package var window: Window
  /// The range of values; nil for the one of the visible curves.
  package var range: ClosedRange<Double>?
  /// Whether values are on a logarithmic scale.
  package var isLogarithmic: Bool
  /// The curves that are switched off, by their indices.
  package var hidden: Set<Int> = []
  /// The time of the cursor; nil while there is none.
  package private(set) var cursor: Double?
  /// The times that are shown while the plot is paused; nil while it follows the newest point.
  package private(set) var pausedTimes: ClosedRange<Double>?

  /// The shortest window, in seconds.
  private static let leastSpan = 1e-3

  /// Creates settings.
  package init(
    window: Window = .all, range: ClosedRange<Double>? = nil, isLogarithmic: Bool = false
  ) {
    self.window = window
    self.range = range
    self.isLogarithmic = isLogarithmic
  }

  /// Whether the shown times stay when points arrive.
  package var isPaused: Bool { pausedTimes != nil }

  // MARK: What is shown

  /// The times that are shown; nil for a recording without points.
  package func times(of recording: Recording) -> ClosedRange<Double>? {
    if let pausedTimes { return pausedTimes }
    guard let all = recording.times else { return nil }
    switch window {
    case .all: return all
    // A window that is not full yet shows what there is.
    case .seconds(let seconds):
      return max(all.lowerBound, all.upperBound - seconds)...all.upperBound
    case .points(let count):
      let visible = recording.curves.indices.filter { !hidden.contains($0) }
      let longest = visible.map { recording.curves[$0] }.max { $0.count < $1.count }
      let start = longest?.time(ofPointsBack: max(0, count - 1)) ?? all.lowerBound
      return min(start, all.upperBound)...all.upperBound
    }
  }

  /// What a chart shows; nil for a recording without points.
  package func view(of recording: Recording, timeKind: ChartView.TimeKind) -> ChartView? {
    guard let times = times(of: recording) else { return nil }
    return ChartView(
      times: times, values: values(of: recording, in: times), timeKind: timeKind,
      isLogarithmic: isLogarithmic, hidden: hidden, cursor: cursor)
  }

  /// The range of values that is shown: the fixed one, or one with round ends
  /// around the visible curves.
  private func values(
    of recording: Recording, in times: ClosedRange<Double>
  ) -> ClosedRange<Double> {
    if let range { return range }
    guard let found = recording.extremes(in: times, hidden: hidden) else {
      return isLogarithmic ? 1...10 : 0...1
    }
    return ChartView.range(around: found, isLogarithmic: isLogarithmic)
  }

  // MARK: Changes

  /// Stops following the newest point, or follows it again.
  package mutating func togglePause(_ recording: Recording) {
    pausedTimes = isPaused ? nil : times(of: recording)
    if !isPaused { cursor = nil }
  }

  /// Moves the shown times by a fraction of their length, and pauses. At the newest point, a move
  /// to the right follows it again.
  package mutating func scroll(by fraction: Double, _ recording: Recording) {
    guard let shown = times(of: recording), let all = recording.times else { return }
    let span = shown.upperBound - shown.lowerBound
    let end = shown.upperBound + span * fraction
    if fraction > 0, end >= all.upperBound { return pausedTimes = nil }
    let last = max(end, min(all.lowerBound + span, all.upperBound))
    pausedTimes = last - span...last
  }

  /// Shows the beginning of the recording, with the present length of the window.
  package mutating func scrollToBeginning(_ recording: Recording) {
    guard let shown = times(of: recording), let all = recording.times else { return }
    pausedTimes = all.lowerBound...all.lowerBound + (shown.upperBound - shown.lowerBound)
  }

  /// Follows the newest point.
  package mutating func follow() { pausedTimes = nil }

  /// Shows a longer or shorter part.
  ///
  /// - Parameter factor: the change of the length: 2 for twice as much.
  package mutating func zoom(by factor: Double, _ recording: Recording) {
    guard let shown = times(of: recording), let all = recording.times else { return }
    let span = max((shown.upperBound - shown.lowerBound) * factor, Self.leastSpan)
    let whole = all.upperBound - all.lowerBound
    if pausedTimes != nil, factor > 1, span >= whole {
      pausedTimes = all
    } else if pausedTimes != nil {
      // The cursor stays where it is; without one, the end does.
      let anchor = cursor ?? shown.upperBound
      let share =
        shown.upperBound > shown.lowerBound
        ? (anchor - shown.lowerBound) / (shown.upperBound - shown.lowerBound) : 1
      let start = anchor - span * share
      pausedTimes = start...start + span
    } else if factor > 1, span >= whole {
      // A window that is not full yet becomes longer.
      if case .seconds(let seconds) = window, seconds > whole {
        window = .seconds(seconds * factor)
      } else {
        window = .all
      }
    } else if case .points(let count) = window {
      window = .points(max(2, Int(min(Double(count) * factor, 1e9))))
    } else {
      window = .seconds(span)
    }
  }

  /// Keeps the present range of values, or follows the visible curves again.
  package mutating func toggleRange(_ recording: Recording) {
    guard range == nil, let times = times(of: recording) else { return range = nil }
    range = values(of: recording, in: times)
  }

  /// Changes between a linear and a logarithmic scale. A fixed range that a logarithmic scale
  /// cannot show is given up.
  package mutating func toggleLogarithm() {
    isLogarithmic.toggle()
    if isLogarithmic, let range, range.lowerBound <= 0 { self.range = nil }
  }

  /// Switches a curve on or off.
  package mutating func toggleCurve(_ index: Int) {
    if hidden.remove(index) == nil { hidden.insert(index) }
  }

  /// Shows a cursor at the newest visible point, and pauses; or removes it.
  package mutating func toggleCursor(_ recording: Recording) {
    guard cursor == nil, let shown = times(of: recording) else { return cursor = nil }
    pausedTimes = shown
    cursor = min(shown.upperBound, recording.times?.upperBound ?? shown.upperBound)
  }

  /// Moves the cursor by a fraction of the shown times. At an edge, these move too.
  package mutating func moveCursor(by fraction: Double, _ recording: Recording) {
    guard let old = cursor, let shown = times(of: recording), let all = recording.times else {
      return
    }
    let step = (shown.upperBound - shown.lowerBound) * fraction
    let new = min(max(old + step, all.lowerBound), all.upperBound)
    cursor = new
    let shift =
      new < shown.lowerBound
      ? new - shown.lowerBound : new > shown.upperBound ? new - shown.upperBound : 0
    pausedTimes = shown.lowerBound + shift...shown.upperBound + shift
  }
}
