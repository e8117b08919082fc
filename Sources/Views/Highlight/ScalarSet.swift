/// A set of code points: ASCII as bits, what is above as ranges.
struct ScalarSet: Hashable, Sendable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  private var above: [ClosedRange<UInt32>] = []
  private var isInverted = false

  /// Everything.
  static let all = ScalarSet().inverted

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

  /// Takes a range in; not for a set that was inverted.
  mutating func insert(_ range: ClosedRange<UInt32>) {
    for scalar in stride(from: range.lowerBound, through: min(range.upperBound, 127), by: 1) {
      if scalar < 64 { low |= 1 << UInt64(scalar) } else { high |= 1 << UInt64(scalar - 64) }
    }
    if range.upperBound > 127 { above.append(max(range.lowerBound, 128)...range.upperBound) }
  }

  /// Takes another set in.
  mutating func insert(_ other: ScalarSet) {
    guard other.isInverted else {
      (low, high) = (low | other.low, high | other.high)
      above += other.above
      return
    }
    // The classes that are inverted, \D, \W and \S, have nothing above ASCII left out.
    (low, high) = (low | ~other.low, high | ~other.high)
    above.append(128...0x10FFFF)
  }

  /// What is not in it.
  var inverted: ScalarSet {
    var set = self
    set.isInverted.toggle()
    return set
  }

  /// The set with every ASCII letter in it large and small.
  var foldingCase: ScalarSet {
    var set = self
    let letters: UInt64 = 0x07FF_FFFE
    // In the upper half of ASCII, capitals begin at bit 1 and small letters at bit 33.
    set.high |= (high & letters) << 32 | (high >> 32) & letters
    return set
  }

  static let digits = ScalarSet(0x30...0x39)
  static let word = ScalarSet(0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A)
  static let space = ScalarSet(0x09...0x0D, 0x20...0x20)
}
