/// The part of a recording that a chart shows.
public struct ChartView: Hashable, Sendable {
  /// The meaning of times.
  public enum TimeKind: Hashable, Sendable {
    /// Seconds since 1970.
    case clock
    /// Seconds since the beginning.
    case seconds
    /// The numbers of lines, of a file without times.
    case lines
  }

  /// The range of times, from the left edge to the right one.
  public var times: ClosedRange<Double>
  /// The range of values, from the lower edge to the upper one.
  public var values: ClosedRange<Double>
  /// The meaning of the times.
  public var timeKind: TimeKind
  /// Whether each decade of the values has the same height. Values of 0 and less are
  /// not shown then.
  public var isLogarithmic: Bool
  /// The indices of the curves that are not shown.
  public var hidden: Set<Int>
  /// The time at which a vertical line stands.
  public var cursor: Double?

  /// Creates a view.
  public init(
    times: ClosedRange<Double>, values: ClosedRange<Double>, timeKind: TimeKind = .clock,
    isLogarithmic: Bool = false, hidden: Set<Int> = [], cursor: Double? = nil
  ) {
    (self.times, self.values, self.timeKind) = (times, values, timeKind)
    (self.isLogarithmic, self.hidden, self.cursor) = (isLogarithmic, hidden, cursor)
  }

  /// The column of a time; nil outside of the range.
  public func column(of time: Double, columns: Int) -> Int? {
    Self.index(of: Scale(times).fraction(of: time), count: columns)
  }

  /// The row of a value from above; nil outside of the range.
  public func row(of value: Double, rows: Int) -> Int? {
    let fraction = Scale(values, isLogarithmic: isLogarithmic).fraction(of: value)
    return Self.index(of: fraction, count: rows).map { rows - 1 - $0 }
  }

  /// The time at the middle of a column.
  public func time(ofColumn column: Int, columns: Int) -> Double {
    Scale(times).value(at: (Double(column) + 0.5) / Double(max(columns, 1)))
  }

  /// A range of values around those of a curve, with ends that are round numbers: multiples of 1, 2
  /// or 5 times a power of ten, or powers of ten if it is logarithmic and has several decades.
  ///
  /// - Parameters:
  ///   - values: the lowest and highest value, finite.
  ///   - isLogarithmic: whether the range must not have 0 and less. A range that has values of 0
  ///     and less then begins six decades below its end.
  public static func range(
    around values: ClosedRange<Double>, isLogarithmic: Bool = false
  ) -> ClosedRange<Double> {
    let wide = widened(values, isLogarithmic: isLogarithmic)
    return isLogarithmic ? Axis.roundDecades(around: wide) : Axis.roundRange(around: wide)
  }

  /// A range that is not empty.
  private static func widened(
    _ values: ClosedRange<Double>, isLogarithmic: Bool
  ) -> ClosedRange<Double> {
    if isLogarithmic {
      guard values.upperBound > 0 else { return 0.1...1 }
      let lower = values.lowerBound > 0 ? values.lowerBound : values.upperBound / 1e6
      guard lower < values.upperBound, lower > 0 else {
        return max(values.upperBound / 10, .leastNonzeroMagnitude)...(values.upperBound * 10).capped
      }
      return lower...values.upperBound
    }
    guard values.lowerBound < values.upperBound else {
      let value = values.lowerBound
      let margin = value == 0 ? 1 : value.magnitude / 10
      return (value - margin).capped...(value + margin).capped
    }
    return values
  }

  private static func index(of fraction: Double, count: Int) -> Int? {
    guard fraction >= 0, fraction <= 1 else { return nil }
    return min(Int(fraction * Double(count)), count - 1)
  }
}

extension Double {
  /// The number, or the nearest finite one.
  fileprivate var capped: Double {
    min(max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }
}
