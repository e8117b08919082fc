import TestSupport
import Testing

@testable import Plotting

@Suite(.timeLimit(.minutes(30))) struct CurveTests {
  /// A curve and all of its points.
  private struct Walk {
    var curve = Curve(name: "walk")
    var points: [(time: Double, value: Double)] = []

    init(_ count: Int, seed: UInt64) {
      var random = SplitMix64(seed: seed)
      var (time, value) = (1_000.0, 0.0)
      for _ in 0..<count {
        // Some points have the same time.
        time += Double(Int.random(in: 0...3, using: &random))
        value += Double.random(in: -1...1, using: &random)
        if Int.random(in: 0..<500, using: &random) == 0 { value += 1_000 }
        curve.add(value, at: time)
        points.append((time, value))
        if abs(value) > 500 { value = 0 }
      }
    }

    func extremes(in times: ClosedRange<Double>) -> ClosedRange<Double>? {
      var found: ClosedRange<Double>?
      var index = firstIndex { $0 >= times.lowerBound }
      while index < points.count, points[index].time <= times.upperBound {
        let value = points[index].value
        found = found.map { min($0.lowerBound, value)...max($0.upperBound, value) } ?? value...value
        index += 1
      }
      return found
    }

    /// The first point whose time meets a condition that all later ones meet too.
    func firstIndex(where isMet: (Double) -> Bool) -> Int {
      var (low, high) = (0, points.count)
      while low < high {
        let middle = (low + high) / 2
        if isMet(points[middle].time) { high = middle } else { low = middle + 1 }
      }
      return low
    }
  }

  @Test("the newest 4,096 points are exact")
  func newestPointsAreExact() {
    let walk = Walk(20_000, seed: 1)
    var random = SplitMix64(seed: 2)
    let kept = walk.points.suffix(Curve.pointCapacity)
    // Points before the first kept one can have the same time.
    let range = kept.first!.time.nextUp...kept.last!.time
    for _ in 0..<repetitions(500) {
      let ends = (0..<2).map { _ in Double.random(in: range, using: &random).rounded() }
      let times = ends.min()!...ends.max()!
      guard times.lowerBound >= range.lowerBound else { continue }
      #expect(walk.curve.extremes(in: times) == walk.extremes(in: times))
      let before = walk.points[..<walk.firstIndex { $0 > times.lowerBound }].last
      let found = walk.curve.value(at: times.lowerBound)
      #expect(found?.time == before?.time && found?.value == before?.value)
    }
    #expect(walk.curve.newest == walk.points.last?.value)
    #expect(walk.curve.count == 20_000)
    #expect(walk.curve.isDecimated)
    #expect(!Walk(4_096, seed: 1).curve.isDecimated)
  }

  @Test("the extremes of a range are those of all points, to the edges of buckets")
  func extremesAreBounded() throws {
    for count in [1, 5, 4_097, 300_000] {
      let walk = Walk(count, seed: UInt64(count))
      let all = try #require(walk.curve.times)
      var random = SplitMix64(seed: 3)
      #expect(walk.curve.extremes == walk.extremes(in: all))
      for _ in 0..<repetitions(80) {
        let ends = (0..<2).map { _ in Double.random(in: all, using: &random) }
        let times = ends.min()!...ends.max()!
        guard let exact = walk.extremes(in: times) else { continue }
        let found = try #require(walk.curve.extremes(in: times))
        #expect(found.lowerBound <= exact.lowerBound && found.upperBound >= exact.upperBound)
        // The coarsest bucket of 300,000 points has 256 of them; a point takes 1.5
        // seconds on average.
        let slack = count <= Curve.pointCapacity ? 0 : 256 * 3.0
        let wide = times.lowerBound - slack...times.upperBound + slack
        let outer = try #require(walk.extremes(in: wide))
        #expect(found.lowerBound >= outer.lowerBound && found.upperBound <= outer.upperBound)
        let point = try #require(walk.curve.value(at: times.upperBound))
        #expect((wide.lowerBound...times.upperBound).contains(point.time))
        let first = walk.firstIndex { $0 >= point.time }
        let same = walk.points[first...].prefix { $0.time == point.time }
        #expect(same.contains { $0.value == point.value })
      }
    }
  }

  @Test("every peak is in a column, and in the column of its bucket", arguments: [80, 997])
  func peaksAreKept(width: Int) throws {
    var curve = Curve(name: "peaks")
    let count = 500_000
    for index in 0..<count {
      curve.add(index == 3 || index % 77_777 == 76_543 ? Double(index) : 0, at: Double(index))
    }
    let times = 0...Double(count - 1)
    let columns = curve.columns(in: times, count: width)
    let peaks = [3] + Array(stride(from: 76_543, to: count, by: 77_777))
    for peak in peaks {
      let column = peak * width / (count - 1)
      let near = columns[max(column - 1, 0)...min(column + 1, width - 1)]
      #expect(near.contains { $0.map { $0.lowest...$0.highest ~= Double(peak) } ?? false })
      #expect(near.contains { ($0?.highest ?? 0) >= Double(peak) })
    }
    #expect(columns.allSatisfy { $0 != nil })
  }

  @Test("the number of points back leads to a time, exactly or to the edge of a bucket")
  func pointsBack() throws {
    var curve = Curve(name: "n")
    #expect(curve.time(ofPointsBack: 0) == nil)
    for index in 0..<100_000 { curve.add(1, at: Double(index)) }
    #expect(curve.time(ofPointsBack: 0) == 99_999)
    #expect(curve.time(ofPointsBack: 4_095) == 95_904)
    #expect(curve.time(ofPointsBack: 200_000) == 0)
    let time = try #require(curve.time(ofPointsBack: 50_000))
    #expect((49_999 - 256...49_999).contains(time))
  }

  /// A million in each run.
  @Test("10,000,000 points take less than 1 MiB", .timeLimit(.minutes(30)))
  func memoryIsBounded() {
    var curve = Curve(name: "long")
    for index in 0..<repetitions(10_000_000) {
      if index == 1_000_000 { #expect(curve.keptCount < 18_000) }
      curve.add(Double(index % 1_000), at: Double(index))
    }
    #expect(curve.keptCount < (isThorough ? 23_000 : 18_000))
    #expect(curve.keptByteCount < 1 << 20)
    #expect(curve.extremes(in: 500_000...600_000) == 0...999)
  }

  @Test("a value that is not finite breaks the line")
  func gapsBreakTheLine() {
    var curve = Curve(name: "gaps")
    for (time, value) in [1, 2, .nan, 3, .infinity, 4].enumerated() {
      curve.add(value, at: Double(time))
    }
    #expect(curve.count == 4)
    #expect(curve.extremes == 1...4)
    let columns = curve.columns(in: 0...6, count: 6)
    #expect(columns.map { $0?.lowest } == [1, 2, nil, 3, nil, 4])
    #expect(columns.map { $0?.isJoined } == [false, true, nil, false, nil, false])
  }

  @Test("a time before the newest point is that of the newest point")
  func timesNeverDecrease() {
    var curve = Curve(name: "back")
    for (time, value) in [(10.0, 1.0), (5, 2), (11, 3)] { curve.add(value, at: time) }
    #expect(curve.times == 10...11)
    #expect(curve.extremes(in: 10...10) == 1...2)
    #expect(curve.value(at: 10)?.value == 2)
    #expect(curve.value(at: 9.9) == nil)
  }

  @Test("without points, and for ranges without points, there is nothing")
  func nothing() {
    var curve = Curve(name: "empty")
    #expect(curve.extremes(in: 0...1) == nil)
    #expect(curve.value(at: 1) == nil)
    #expect(curve.columns(in: 0...1, count: 3) == [nil, nil, nil])
    #expect(curve.columns(in: 0...1, count: 0) == [])
    curve.add(.nan, at: 0)
    #expect(curve.times == nil)
    curve.add(7, at: 10)
    #expect(curve.extremes(in: 0...9) == nil)
    #expect(curve.extremes(in: 11...12) == nil)
    #expect(curve.columns(in: 11...12, count: 1) == [nil])
    #expect(curve.columns(in: 10...10, count: 3).compactMap { $0 }.map(\.lowest) == [7])
  }

  @Test("the line continues beyond the range that is seen, except over a gap")
  func neighbours() {
    var curve = Curve(name: "n")
    for time in 0..<10 { curve.add(time == 6 ? .nan : Double(time), at: Double(time)) }
    #expect(curve.neighbours(of: 2.5...4.5).before?.value == 2)
    #expect(curve.neighbours(of: 2.5...4.5).after?.value == 5)
    #expect(curve.neighbours(of: 0...5.5).before == nil)
    #expect(curve.neighbours(of: 0...5.5).after == nil)
    #expect(curve.neighbours(of: 6.5...9).before == nil)
    #expect(curve.neighbours(of: 20...21).before == nil)
    #expect(curve.neighbours(of: 2.1...2.9).before?.value == 2)
    #expect(curve.neighbours(of: 2.1...2.9).after?.value == 3)
  }
}
