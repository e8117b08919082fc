/// Code points divided into classes. No set of a program, and no assertion, distinguishes two code
/// points of one class.
struct ScalarClasses {
  /// The class of each ASCII character.
  let ofASCII: [UInt8]
  /// A code point of each class.
  let samples: [UInt32]
  /// The first code point of each range above ASCII, in ascending order, and its class.
  private let above: [(start: UInt32, number: Int)]

  var count: Int { samples.count }

  /// Creates the classes for the sets of a program.
  init(of sets: [ScalarSet]) {
    // Assertions depend on word characters and line ends.
    let sets = sets + [ScalarSet.word, ScalarSet(0x0A...0x0A), ScalarSet(0x0D...0x0D)]
    var numbers: [[Bool]: Int] = [:]
    var samples: [UInt32] = []
    func number(of scalar: UInt32) -> Int {
      let membership = sets.map { $0.contains(scalar) }
      if let number = numbers[membership] { return number }
      numbers[membership] = samples.count
      samples.append(scalar)
      return samples.count - 1
    }
    let ascii = (0..<128).map { number(of: $0) }
    let starts = Set([128] + sets.flatMap(\.startsAboveASCII)).sorted()
    above = starts.map { ($0, number(of: $0)) }
    // The classes of ASCII characters have the first numbers.
    ofASCII = ascii.map { UInt8($0) }
    self.samples = samples
  }

  /// The class of a code point above ASCII.
  func number(of scalar: UInt32) -> Int {
    var (low, high) = (0, above.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if above[middle].start <= scalar { low = middle } else { high = middle }
    }
    return above[low].number
  }
}
