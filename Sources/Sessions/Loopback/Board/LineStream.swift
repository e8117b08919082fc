import Glibc
import Time

/// Lines at a constant rate.
struct LineStream {
  /// What the lines have.
  enum Content {
    /// "i,value". The values form a sine wave of amplitude 1 with a period of 50 lines.
    case numbers
    /// The readings of a sensor, as labels of Arduino's plotter.
    case sensor
  }

  private let content: Content
  private let start: MonotonicTime
  private let count: Int
  private let hertz: Int
  private var index = 0

  /// - Parameters:
  ///   - content: what the lines have.
  ///   - count: the number of lines, up to 1,000,000.
  ///   - hertz: the number of lines per second.
  ///   - start: the time of the first line.
  init(_ content: Content, count: Int, hertz: Int, at start: MonotonicTime) {
    self.content = content
    self.count = count
    self.hertz = hertz
    self.start = start
  }

  /// The time of the next line; nil after the last one.
  var nextDeadline: MonotonicTime? {
    index < count ? start + .nanoseconds(index * 1_000_000_000 / hertz) : nil
  }

  /// Writes the lines that are due. While the output is full, no line is written;
  /// they follow later.
  mutating func advance(to now: MonotonicTime, output: inout DeviceOutput) {
    while let deadline = nextDeadline, deadline <= now, !output.isFull {
      switch content {
      case .numbers:
        output.append(
          "\(index),\(decimal(Self.wave(index, period: 50, amplitude: 1_000), places: 3))\r\n")
      case .sensor:
        output.append(SensorReading(index).text)
      }
      index += 1
    }
  }

  /// A sine wave.
  static func wave(_ index: Int, period: Int, amplitude: Double) -> Int {
    let angle = 2 * Double.pi * Double(index % period) / Double(period)
    return Int((amplitude * sin(angle)).rounded())
  }
}

/// A reading of a simulated sensor: a temperature that drifts, and a humidity with steps,
/// both with noise.
///
/// Like many a real one, it misses a value now and then, and the firmware prints other lines
/// between the readings. A reading depends only on its index, so that every run is the same.
struct SensorReading: Equatable {
  /// In hundredths of a degree Celsius.
  let temperature: Int
  /// In tenths of a percent; nil if the sensor did not answer.
  let humidity: Int?
  /// Another line of the firmware, before the reading.
  let notice: String?

  init(_ index: Int) {
    // With the seed 0, the first reading would have no humidity.
    var random = SplitMix64(seed: UInt64(index) + 1)
    temperature =
      2_500 + LineStream.wave(index, period: 600, amplitude: 300)
      + .random(in: -8...8, using: &random)
    let step = index / 200 % 2 * 40
    let reading = 410 + step + .random(in: -3...3, using: &random)
    humidity = random.chance(0.04) ? nil : reading
    notice = index % 150 == 149 ? "# wifi: reconnected" : nil
  }

  /// The lines, with their ends.
  var text: String {
    var text = notice.map { $0 + "\r\n" } ?? ""
    text += "temp:\(decimal(temperature, places: 2))"
    if let humidity { text += "\thumidity:\(decimal(humidity, places: 1))" }
    return text + "\r\n"
  }
}

/// Formats a number of tenths, hundredths …: `decimal(-253, places: 1)` is "-25.3".
func decimal(_ number: Int, places: Int) -> String {
  let digits = String(number.magnitude)
  let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
  return (number < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
}
