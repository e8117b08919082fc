import Glibc
import Posix

/// Lines of numbers at a steady rate, for plotting: "i,value", where the value runs through a sine
/// wave of amplitude 1 every 50 lines.
struct NumberStream {
  private static let period = 50

  private let start: MonotonicTime
  private let count: Int
  private let hertz: Int
  private var index = 0

  /// - Parameters:
  ///   - count: how many lines, up to 1,000,000.
  ///   - hertz: how many a second.
  ///   - start: when the first one is due.
  init(count: Int, hertz: Int, at start: MonotonicTime) {
    self.count = count
    self.hertz = hertz
    self.start = start
  }

  /// When the next line is due; nil after the last.
  var nextDeadline: MonotonicTime? {
    index < count ? start + .nanoseconds(index * 1_000_000_000 / hertz) : nil
  }

  /// Says the lines that are due. While the output is full none is said; they come later, all of
  /// them.
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

/// A whole number of tenths, hundredths … as text: `decimal(-253, places: 1)` is "-25.3".
func decimal(_ number: Int, places: Int) -> String {
  let digits = String(number.magnitude)
  let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
  return (number < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
}
