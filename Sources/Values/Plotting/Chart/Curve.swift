/// The points of one series in bounded memory: the newest ones as they are, older ones as
/// minimum and maximum.
///
/// The newest ``pointCapacity`` points are exact. Beside them are levels of buckets. A bucket of
/// the first level has the lowest and highest value of four points, one of the next level those of
/// four buckets, and so on. Each level keeps its newest ``bucketCapacity`` buckets. The older a
/// part of the curve is, the coarser it is known, but a peak is never lost. A curve of 10,000,000
/// points takes less than 1 MiB.
///
/// A value that is not finite is a gap, at which the line is broken. Times never decrease: an
/// earlier time becomes that of the newest point.
public struct Curve: Sendable {
  /// The number of points that are kept as they are.
  public static let pointCapacity = 4_096
  /// The number of buckets that a level keeps.
  public static let bucketCapacity = 3_072

  private static let bucketSize = 4

  /// The name of the series, after that of its source if there are several.
  public internal(set) var name: String
  /// The unit; nil if the device sends none.
  public internal(set) var unit: String?
  /// The number of points, without gaps.
  public private(set) var count = 0
  /// The newest value.
  public private(set) var newest: Double?
  /// The lowest and the highest of all values.
  public private(set) var extremes: ClosedRange<Double>?

  private var points = Ring<Point>(capacity: Self.pointCapacity)
  private var levels: [Level] = []
  private var isAfterGap = true
  private var first: Point?
  private var lastTime = -Double.infinity

  /// Creates a curve without points.
  public init(name: String, unit: String? = nil) {
    (self.name, self.unit) = (name, unit)
  }

  /// The time of the first point, and of the newest one.
  public var times: ClosedRange<Double>? { first.map { $0.time...lastTime } }

  /// The number of points and buckets that are kept.
  public var keptCount: Int { levels.reduce(points.count) { $0 + $1.buckets.count } }

  /// The memory of the points and buckets, in bytes.
  public var keptByteCount: Int { levels.reduce(points.byteCount) { $0 + $1.buckets.byteCount } }

  /// Whether there are points of which only the minimum and maximum are known.
  public var isDecimated: Bool { count > points.count }

  // MARK: Adding

  /// Adds a point.
  ///
  /// - Parameters:
  ///   - value: the value. If it is not finite, it is a gap.
  ///   - time: the time in seconds.
  mutating func add(_ value: Double, at time: Double) {
    guard value.isFinite else {
      breakLine()
      return
    }
    let point = Point(time: max(time, lastTime), value: value, isAfterGap: isAfterGap)
    isAfterGap = false
    lastTime = point.time
    if first == nil { first = point }
    count += 1
    newest = value
    extremes = (value...value).united(with: extremes)
    points.append(point)
    var bucket = Bucket(point)
    var level = 0
    while true {
      if level == levels.count { levels.append(Level()) }
      guard let full = levels[level].add(bucket, of: Self.bucketSize) else { break }
      bucket = full
      level += 1
    }
  }

  /// Breaks the line: the next point is not joined with the newest one.
  mutating func breakLine() { isAfterGap = true }

  // MARK: Reading

  /// The lowest and highest value within a range of times.
  ///
  /// In the part of which only minima and maxima are known, a bucket counts if a part of it is
  /// in the range.
  public func extremes(in times: ClosedRange<Double>) -> ClosedRange<Double>? {
    guard let all = self.times else { return nil }
    if times.lowerBound <= all.lowerBound && times.upperBound >= all.upperBound { return extremes }
    var found: ClosedRange<Double>?
    forEachBucket(in: times) { bucket in
      found = bucket.values.united(with: found)
    }
    return found
  }

  /// The newest point at or before a time.
  ///
  /// Where only minima and maxima are known, it is the last point of a bucket, or the first point
  /// of the curve.
  public func value(at time: Double) -> (time: Double, value: Double)? {
    guard let first, first.time <= time else { return nil }
    var place = place(of: time.nextUp)
    while place.position > 0 {
      place = finestPlace(from: place.position - 1)
      let bucket = bucket(at: place)
      if bucket.end <= time { return (bucket.end, bucket.last) }
    }
    return (first.time, first.value)
  }

  /// The time of the point that is a number of points before the newest one; of the first point if
  /// there are fewer.
  ///
  /// Where only minima and maxima are known, it is the beginning of a bucket.
  public func time(ofPointsBack number: Int) -> Double? {
    guard count > 0 else { return nil }
    return bucket(at: finestPlace(from: min(max(count - 1 - number, 0), count - 1))).start
  }

  /// The curve as columns of equal width.
  ///
  /// - Parameters:
  ///   - times: the range of times. A point at its end is in the last column.
  ///   - count: the number of columns.
  /// - Returns: what is in each column; nil where no point is.
  public func columns(in times: ClosedRange<Double>, count: Int) -> [ColumnSpan?] {
    var columns = [ColumnSpan?](repeating: nil, count: max(count, 0))
    let scale = Scale(times)
    guard count > 0, scale.isValid else { return columns }
    func column(at time: Double) -> Int {
      Int(min(max(scale.fraction(of: time) * Double(count), 0), Double(count - 1)))
    }
    var last: Double?
    forEachBucket(in: times) { bucket in
      // The first value of a bucket is not known. The nearest one to that before it makes
      // the shortest line.
      let first = last.map { min(max($0, bucket.minimum), bucket.maximum) } ?? bucket.last
      var span = ColumnSpan(
        time: max(bucket.start, times.lowerBound), lowest: bucket.minimum, highest: bucket.maximum,
        first: first, last: bucket.last, isJoined: !bucket.isAfterGap && last != nil)
      last = bucket.last
      let begin = column(at: bucket.start)
      for index in begin...column(at: bucket.end) {
        if index > begin {
          span.time = scale.value(at: Double(index) / Double(count))
          span.first = bucket.last
          span.isJoined = true
        }
        if columns[index] == nil {
          columns[index] = span
        } else {
          columns[index]!.add(span)
        }
      }
    }
    return columns
  }

  /// The points before and after a range of times with which the line in the range is joined.
  func neighbours(of times: ClosedRange<Double>) -> (before: Point?, after: Point?) {
    var before: Point?
    var after: Point?
    let begin = place(of: times.lowerBound)
    guard begin.position < count else { return (nil, nil) }
    if begin.position > 0, !bucket(at: begin).isAfterGap {
      let earlier = bucket(at: finestPlace(from: begin.position - 1))
      before = Point(time: earlier.end, value: earlier.last, isAfterGap: false)
    }
    var place = place(of: times.upperBound.nextUp)
    while place.position < count {
      let bucket = bucket(at: place)
      if bucket.start > times.upperBound {
        if !bucket.isAfterGap, place.position > 0 {
          let last = self.bucket(at: finestPlace(from: place.position - 1)).last
          let value = min(max(last, bucket.minimum), bucket.maximum)
          after = Point(time: bucket.start, value: value, isAfterGap: false)
        }
        break
      }
      place = finestPlace(from: place.end)
    }
    return (before, after)
  }

  // MARK: Places

  /// A bucket of a level, by its index among all that the level ever had. The points are level 0.
  private struct Place {
    let level: Int
    let index: Int

    /// The index of the bucket's first point.
    var position: Int { index << (2 * level) }
    /// The index of the first point after the bucket.
    var end: Int { (index + 1) << (2 * level) }
  }

  /// The finest bucket that has a point.
  private func finestPlace(from position: Int) -> Place {
    var level = 0
    while firstIndex(ofLevel: level) << (2 * level) > position { level += 1 }
    return Place(level: level, index: position >> (2 * level))
  }

  /// The index of the first bucket that a level still keeps.
  private func firstIndex(ofLevel level: Int) -> Int {
    level == 0 ? count - points.count : levels[level - 1].droppedCount
  }

  private func bucket(at place: Place) -> Bucket {
    let index = place.index - firstIndex(ofLevel: place.level)
    return place.level == 0 ? Bucket(points[index]) : levels[place.level - 1].buckets[index]
  }

  /// The first bucket that ends at a time or later, of the finest level that reaches back to that
  /// time; the place after the newest point if there is none.
  private func place(of time: Double) -> Place {
    guard let times, times.upperBound >= time else { return Place(level: 0, index: count) }
    var level = 0
    while true {
      let first = firstIndex(ofLevel: level)
      // Older points can have the same time as the first one that is kept.
      if first == 0 || bucket(at: Place(level: level, index: first)).start < time { break }
      level += 1
    }
    var low = firstIndex(ofLevel: level)
    var high = low + (level == 0 ? points.count : levels[level - 1].buckets.count)
    // Every level reaches to points that the next finer one has too, so that one of its buckets
    // ends late enough.
    while low < high {
      let middle = (low + high) / 2
      if bucket(at: Place(level: level, index: middle)).end < time {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return Place(level: level, index: low)
  }

  /// Calls a closure with the buckets that have a point in a range of times, in their order, each
  /// point once, and as fine as they are kept.
  private func forEachBucket(in times: ClosedRange<Double>, _ body: (Bucket) -> Void) {
    var place = place(of: times.lowerBound)
    while place.position < count {
      let bucket = bucket(at: place)
      if bucket.start > times.upperBound { break }
      body(bucket)
      place = finestPlace(from: place.end)
    }
  }
}

/// What a curve does in a column of a chart.
public struct ColumnSpan: Hashable, Sendable {
  /// The time of the first point.
  public fileprivate(set) var time: Double
  /// The lowest value.
  public fileprivate(set) var lowest: Double
  /// The highest value.
  public fileprivate(set) var highest: Double
  /// The value with which the curve enters the column.
  public fileprivate(set) var first: Double
  /// The value with which the curve leaves the column.
  public fileprivate(set) var last: Double
  /// Whether the line comes from the column before it that has points; false after a gap, and for
  /// the first points.
  public fileprivate(set) var isJoined: Bool

  fileprivate mutating func add(_ span: ColumnSpan) {
    lowest = min(lowest, span.lowest)
    highest = max(highest, span.highest)
    last = span.last
  }
}

/// A point of a curve.
struct Point: Hashable, Sendable {
  var time: Double
  var value: Double
  /// Whether the line is broken before the point.
  var isAfterGap: Bool
}

/// What is known of successive points.
private struct Bucket: Sendable {
  var start: Double
  var end: Double
  var minimum: Double
  var maximum: Double
  var last: Double
  /// Whether the line is broken before the first point.
  var isAfterGap: Bool

  init(_ point: Point) {
    (start, end) = (point.time, point.time)
    (minimum, maximum, last) = (point.value, point.value, point.value)
    isAfterGap = point.isAfterGap
  }

  var values: ClosedRange<Double> { minimum...maximum }

  mutating func add(_ later: Bucket) {
    end = later.end
    minimum = min(minimum, later.minimum)
    maximum = max(maximum, later.maximum)
    last = later.last
  }
}

/// Buckets that have the same number of points.
private struct Level: Sendable {
  private(set) var buckets = Ring<Bucket>(capacity: Curve.bucketCapacity)
  private(set) var droppedCount = 0
  private var open: Bucket?
  private var openCount = 0

  /// Adds a bucket of the level below.
  ///
  /// - Returns: the bucket of this level that is full now.
  mutating func add(_ bucket: Bucket, of size: Int) -> Bucket? {
    if open == nil { open = bucket } else { open!.add(bucket) }
    openCount += 1
    guard openCount == size, let full = open else { return nil }
    (open, openCount) = (nil, 0)
    if buckets.isFull { droppedCount += 1 }
    buckets.append(full)
    return full
  }
}

/// The newest elements, at most a number of them.
private struct Ring<Element: Sendable>: Sendable {
  private let capacity: Int
  private var elements: [Element] = []
  private var start = 0

  init(capacity: Int) { self.capacity = capacity }

  var count: Int { elements.count }
  var isFull: Bool { elements.count == capacity }

  var byteCount: Int { elements.capacity * MemoryLayout<Element>.stride }

  /// The element at an index from the oldest one.
  subscript(index: Int) -> Element {
    let place = start + index
    return elements[place < capacity ? place : place - capacity]
  }

  mutating func append(_ element: Element) {
    if elements.count < capacity {
      // An array that doubles its storage would take up to a third more than its elements.
      if elements.count == capacity / 4 { elements.reserveCapacity(capacity) }
      elements.append(element)
    } else {
      elements[start] = element
      start = start + 1 < capacity ? start + 1 : 0
    }
  }
}

extension ClosedRange {
  /// The smallest range that has both.
  func united(with other: ClosedRange?) -> ClosedRange {
    guard let other else { return self }
    return Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
  }
}
