/// The parameters of a control sequence: decimal numbers separated by semicolons.
struct Parameters: Sequence {
  typealias Bytes = Slice<UnsafeRawBufferPointer>

  let bytes: Bytes

  /// The largest number. No terminal needs a larger one, and some overflow.
  static let largestNumber = 9_999

  /// - Parameter bytes: digits, semicolons and colons.
  init(_ bytes: Bytes) { self.bytes = bytes }

  /// One parameter.
  struct Parameter {
    /// Its bytes.
    let bytes: Bytes

    /// Its first number, at most ``Parameters/largestNumber``; 0 if it is omitted.
    var number: Int {
      var number = 0
      for byte in bytes {
        guard byte != UInt8(ascii: ":") else { break }
        number = Swift.min(number * 10 + Int(byte - UInt8(ascii: "0")), Parameters.largestNumber)
      }
      return number
    }

    /// All its numbers, which colons separate.
    var numbers: [Int] {
      bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        .map { Parameter(bytes: $0).number }
    }

    /// Whether further numbers follow the first one after colons.
    var isCompound: Bool { bytes.contains(UInt8(ascii: ":")) }

    /// Whether no number has more digits than the largest.
    var isShort: Bool {
      bytes.count <= 4
        || bytes.split(separator: UInt8(ascii: ":")).allSatisfy { $0.count <= 4 }
    }
  }

  /// Whether there are no parameters.
  var isEmpty: Bool { bytes.isEmpty }

  /// The first number; 0 if it is omitted.
  var first: Int { first { _ in true }?.number ?? 0 }

  /// The second number; 0 if it is omitted.
  var second: Int { dropFirst().first { _ in true }?.number ?? 0 }

  /// Whether there are at most this many, without colons, and no number is longer than the largest.
  func areShortNumbers(atMost limit: Int) -> Bool {
    var (digits, count) = (0, bytes.isEmpty ? 0 : 1)
    for byte in bytes {
      switch byte {
      case UInt8(ascii: ";"): (digits, count) = (0, count + 1)
      case UInt8(ascii: ":"): return false
      default: digits += 1
      }
      if digits > 4 { return false }
    }
    return count <= limit
  }

  func makeIterator() -> Iterator { Iterator(rest: bytes, isAtEnd: bytes.isEmpty) }

  /// Finds the parameters one by one.
  struct Iterator: IteratorProtocol {
    fileprivate var rest: Bytes
    fileprivate var isAtEnd: Bool

    mutating func next() -> Parameter? {
      if isAtEnd { return nil }
      guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else {
        isAtEnd = true
        return Parameter(bytes: rest)
      }
      defer { rest = rest[(end + 1)...] }
      return Parameter(bytes: rest[..<end])
    }

    /// Takes the numbers of a colour: 5 and a number, or 2 and three numbers. They are not
    /// functions themselves. Empty if they are none.
    mutating func takeColour() -> [Int] {
      var rest = self
      guard let kind = rest.next(), !kind.isCompound, kind.number == 5 || kind.number == 2 else {
        return []
      }
      var numbers = [kind.number]
      for _ in 0..<(kind.number == 5 ? 1 : 3) {
        guard let parameter = rest.next() else { break }
        if parameter.isCompound { return [] }
        numbers.append(parameter.number)
      }
      self = rest
      return numbers
    }
  }
}
