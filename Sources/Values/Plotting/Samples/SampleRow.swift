/// One number of a series.
public struct Sample: Hashable, Sendable {
  /// The index of the series in ``SampleReader/series``.
  public let series: Int
  /// The number. NaN is a gap: the device sent "nan", or an empty field.
  public let value: Double
  /// The range of the digits in the line, as the device sent them; empty in a gap without text.
  public let text: Range<Int>

  public init(series: Int, value: Double, text: Range<Int>) {
    (self.series, self.value, self.text) = (series, value, text)
  }
}

/// The numbers of a line that have the same time.
public struct SampleRow {
  /// The time in seconds since 1970; the number of the line, from 0, in a file without times.
  public let time: Double
  /// The text of the line, without its end. The bytes are valid during the call that
  /// passes the row.
  public let line: UnsafeRawBufferPointer
  /// The numbers, at most one of each series.
  public let samples: [Sample]
  /// The series so far, with the index of each sample. They are in the row because a reader cannot
  /// be asked while it reads.
  public let series: [SeriesName]

  public init(
    time: Double, line: UnsafeRawBufferPointer, samples: [Sample], series: [SeriesName]
  ) {
    (self.time, self.line, self.samples, self.series) = (time, line, samples, series)
  }
}
