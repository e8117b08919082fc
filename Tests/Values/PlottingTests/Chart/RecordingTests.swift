import Testing

@testable import Plotting

@Suite(.timeLimit(.minutes(30))) struct RecordingTests {
  private func row(
    _ time: Double, _ values: [(Int, Double)], of names: [SeriesName]
  ) -> SampleRow {
    let samples = values.map { Sample(series: $0.0, value: $0.1, text: 0..<0) }
    return SampleRow(
      time: time, line: UnsafeRawBufferPointer(start: nil, count: 0), samples: samples,
      series: names)
  }

  @Test("the series of a source become curves in the order in which they appear")
  func seriesBecomeCurves() {
    var recording = Recording()
    let port = recording.addSource(named: "ttyUSB0")
    recording.add(row(1, [(0, 20)], of: [SeriesName("temp")]), from: port)
    let names = [SeriesName("temp", unit: "C"), SeriesName("humidity")]
    recording.add(row(2, [(0, 21), (1, 40)], of: names), from: port)
    #expect(recording.curves.map(\.name) == ["temp", "humidity"])
    #expect(recording.curves.map(\.unit) == ["C", nil])
    #expect(recording.curves.map(\.count) == [2, 1])
    #expect(recording.times == 1...2)
    #expect(recording.extremes(in: 0...3) == 20...40)
    #expect(recording.extremes(in: 0...3, hidden: [1]) == 20...21)
    #expect(recording.extremes(in: 0...3, hidden: [0, 1]) == nil)
  }

  @Test("with several sources, the names begin with that of the source")
  func sourcesHaveNames() {
    var recording = Recording()
    let first = recording.addSource(named: "a\u{1B}")
    recording.add(row(1, [(0, 1)], of: [SeriesName("x")]), from: first)
    #expect(recording.curves.map(\.name) == ["x"])
    let second = recording.addSource(named: "b")
    recording.add(row(2, [(0, 2)], of: [SeriesName("x")]), from: second)
    #expect(recording.curves.map(\.name) == ["a\u{FFFD}: x", "b: x"])
    #expect(recording.curves.map(\.newest) == [1, 2])
  }

  @Test("a reader that finds another form keeps the curves that have the same names")
  func anotherForm() {
    var recording = Recording()
    let port = recording.addSource(named: nil)
    recording.add(row(1, [(0, 1), (1, 2)], of: ["a", "b"].map { SeriesName($0) }), from: port)
    recording.add(row(2, [(0, 3), (1, 4)], of: ["b", "c"].map { SeriesName($0) }), from: port)
    #expect(recording.curves.map(\.name) == ["a", "b", "c"])
    #expect(recording.curves.map(\.newest) == [1, 3, 4])
  }

  @Test("numbers in two units are two curves")
  func twoUnits() {
    var recording = Recording()
    let port = recording.addSource(named: nil)
    let names = ["kB", "MB"].map { SeriesName("m", unit: $0) }
    recording.add(row(1, [(0, 900)], of: [names[0]]), from: port)
    recording.add(row(2, [(1, 1)], of: names), from: port)
    recording.add(row(3, [(0, 950), (2, 5)], of: names + [SeriesName("x")]), from: port)
    #expect(recording.curves.map(\.unit) == ["kB", "MB", nil])
    #expect(recording.curves.map(\.newest) == [950, 1, 5])
  }

  @Test("series with the same shortened name stay separate when others appear or the form changes")
  func sameNames() {
    var recording = Recording()
    let port = recording.addSource(named: nil)
    let long = String(repeating: "n", count: SeriesName.maximalLength)
    let names = ["1", "2"].map { SeriesName(long + $0) }
    recording.add(row(1, [(0, 1), (1, 2)], of: names), from: port)
    recording.add(row(2, [(0, 3), (1, 4), (2, 5)], of: names + [SeriesName("x")]), from: port)
    #expect(recording.curves.map(\.newest) == [3, 4, 5])
    recording.add(row(3, [(0, 6), (1, 7), (2, 8)], of: [SeriesName("y")] + names), from: port)
    #expect(recording.curves.map(\.newest) == [7, 8, 5, 6])
  }

  @Test("values of series beyond the limit are counted")
  func seriesAreLimited() {
    var recording = Recording(seriesLimit: 2)
    let names = ["a", "b", "c"].map { SeriesName($0) }
    let first = recording.addSource(named: "1")
    recording.add(row(1, [(0, 1), (1, 2), (2, 3)], of: names), from: first)
    let second = recording.addSource(named: "2")
    recording.add(row(1, [(2, 3)], of: names), from: second)
    #expect(recording.curves.count == 2)
    #expect(recording.omittedCount == 2)
  }

  @Test("a lost port breaks the lines of its source alone")
  func lostPort() {
    var recording = Recording()
    let ports = ["a", "b"].map { recording.addSource(named: $0) }
    for time in 0..<4 {
      if time == 2 { recording.breakLines(of: ports[0]) }
      for port in ports {
        recording.add(row(Double(time), [(0, 1)], of: [SeriesName("x")]), from: port)
      }
    }
    let joined = recording.curves.map { $0.columns(in: 0...4, count: 4).map { $0?.isJoined } }
    #expect(joined == [[false, true, false, true], [false, true, true, true]])
  }
}
