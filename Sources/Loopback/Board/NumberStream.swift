import Glibc
import Posix

/// Lines of numbers at a constant rate, for plotting: "i,value". The values form a sine wave of amplitude 1 with a
/// period of 50 lines.
struct NumberStream {
  private static let period = 50

  private let start: MonotonicTime
  private let count: Int
  private let hertz: Int
  private var index = 0

  /// - Parameters:
  ///   - count: the number of lines, up to 1,000,000.
  ///   - hertz: the number of lines per second.
  ///   - start: the time of the first line.
  init(count: Int, hertz: Int, at start: MonotonicTime) {
    self.count = count
    self.hertz = hertz
    self.start = start
  }

  /// The time of the next line; nil after the last one.
  var nextDeadline: MonotonicTime? {
    index < count ? start + .nanoseconds(index * 1_000_000_000 / hertz) : nil
  }

  /// Writes the lines that are due. While the output is full, no line is written; they follow later.
  mutating func advance(to now: MonotonicTime, output: inout DeviceOutput) {
    while let deadline = nextDeadline, deadline <= now, !output.isFull {
      output.append("\(index),\(Self.value(of: index))\r\n")
      index += 1
    }
  }

  private static func value(of index: Int) -> String {
    let angle = 2 * Double.pi * Double(index % period) / Double(period)
    return decimal(Int((1_000 * sin(angle)).rounded()), places: 3)
  }
}

/// Formats a number of tenths, hundredths …: `decimal(-253, places: 1)` is "-25.3".
func decimal(_ number: Int, places: Int) -> String {
  let digits = String(number.magnitude)
  let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
  return (number < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
}
