/// The parameters of a control sequence: decimal numbers separated by semicolons.
struct Parameters: Sequence {
  let bytes: ArraySlice<UInt8>

  /// The maximum number of digits. No terminal needs longer numbers, and some overflow.
  private static let maximalDigits = 4

  /// - Parameter bytes: the bytes between `CSI` and the final byte.
  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// One parameter.
  struct Parameter {
    /// The number; 0 if it is omitted.
    var number = 0
    /// Whether further numbers follow it after colons.
    var isCompound = false
  }

  /// Whether there are no parameters.
  var isEmpty: Bool { bytes.isEmpty }

  /// Whether there are only numbers, none too long, and their separators.
  func isWellFormed(allowingColons: Bool = false) -> Bool {
    var digits = 0
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
      case UInt8(ascii: ";"): digits = 0
      case UInt8(ascii: ":") where allowingColons: digits = 0
      default: return false
      }
      if digits > Self.maximalDigits { return false }
    }
    return true
  }

  /// Whether there are only numbers, and at most this many.
  func areNumbers(atMost limit: Int) -> Bool {
    isWellFormed() && bytes.count { $0 == UInt8(ascii: ";") } < limit
  }

  /// Iterates over the parameters, which must be well-formed.
  func makeIterator() -> Iterator { Iterator(rest: bytes, isAtEnd: bytes.isEmpty) }

  /// Parses well-formed numbers one by one.
  struct Iterator: IteratorProtocol {
    fileprivate var rest: ArraySlice<UInt8>
    fileprivate var isAtEnd: Bool

    mutating func next() -> Parameter? {
      if isAtEnd { return nil }
      var parameter = Parameter()
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: ";"): return parameter
        case UInt8(ascii: ":"): parameter.isCompound = true
        default:
          if !parameter.isCompound {
            parameter.number = parameter.number * 10 + Int(byte - UInt8(ascii: "0"))
          }
        }
      }
      isAtEnd = true
      return parameter
    }
  }
}
