/// A set of code points: ASCII as bits, the rest as ranges.
struct ScalarSet: Hashable, Sendable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  private var above: [ClosedRange<UInt32>] = []
  private var isInverted = false

  /// All code points.
  static let all = ScalarSet().inverted
  /// All code points except line ends, CR and LF.
  static let withinLine = ScalarSet(0x0A...0x0A, 0x0D...0x0D).inverted

  /// The number of ranges beyond ASCII.
  var rangeCount: Int { above.count }

  /// The positions above ASCII where membership may change. Between two of them, either all code
  /// points are in the set, or none are.
  var startsAboveASCII: [UInt32] { above.flatMap { [$0.lowerBound, $0.upperBound + 1] } }

  init() {}

  init(_ ranges: ClosedRange<UInt32>...) { for range in ranges { insert(range) } }

  func contains(_ scalar: UInt32) -> Bool {
    let isIn =
      switch scalar {
      case 0..<64: low >> UInt64(scalar) & 1 != 0
      case 64..<128: high >> UInt64(scalar - 64) & 1 != 0
      default: above.contains { $0.contains(scalar) }
      }
    return isIn != isInverted
  }

  /// Adds a range. The set must not be inverted.
  mutating func insert(_ range: ClosedRange<UInt32>) {
    for scalar in stride(from: range.lowerBound, through: min(range.upperBound, 127), by: 1) {
      if scalar < 64 { low |= 1 << UInt64(scalar) } else { high |= 1 << UInt64(scalar - 64) }
    }
    if range.upperBound > 127 { above.append(max(range.lowerBound, 128)...range.upperBound) }
  }

  /// Adds another set.
  mutating func insert(_ other: ScalarSet) {
    guard other.isInverted else {
      (low, high) = (low | other.low, high | other.high)
      above += other.above
      return
    }
    // The only inverted classes, \D, \W and \S, contain everything above ASCII.
    (low, high) = (low | ~other.low, high | ~other.high)
    above.append(128...0x10FFFF)
  }

  /// The complement.
  var inverted: ScalarSet {
    var set = self
    set.isInverted.toggle()
    return set
  }

  /// The set extended by the other case of each ASCII letter in it.
  var foldingCase: ScalarSet {
    var set = self
    let letters: UInt64 = 0x07FF_FFFE
    // In the upper half of ASCII, upper-case letters start at bit 1 and lower-case letters
    // at bit 33.
    set.high |= (high & letters) << 32 | (high >> 32) & letters
    return set
  }

  static let digits = ScalarSet(0x30...0x39)
  static let word = ScalarSet(0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A)
  static let space = ScalarSet(0x09...0x0D, 0x20...0x20)
}
