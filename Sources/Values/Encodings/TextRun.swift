/// A part of bytes: characters in UTF-8, or bytes that are none.
enum TextRun: Hashable {
  case text(String)
  case bytes([UInt8])

  /// The parts of bytes, in order. No two neighbours are of the same kind.
  static func runs(in bytes: [UInt8]) -> [TextRun] {
    if let text = String(validating: bytes, as: UTF8.self) {
      return text.isEmpty ? [] : [.text(text)]
    }
    var runs: [TextRun] = []
    var text = String.UnicodeScalarView()
    var others: [UInt8] = []
    func close() {
      if !text.isEmpty { runs.append(.text(String(text))) }
      if !others.isEmpty { runs.append(.bytes(others)) }
      (text, others) = (String.UnicodeScalarView(), [])
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      if let (scalar, length) = scalar(at: rest) {
        if !others.isEmpty { close() }
        text.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        if !text.isEmpty { close() }
        others.append(rest.removeFirst())
      }
    }
    close()
    return runs
  }

  /// The character at the beginning of bytes, and its length; nil if there is none.
  private static func scalar(at bytes: ArraySlice<UInt8>) -> (Unicode.Scalar, Int)? {
    for length in 1...min(4, bytes.count) {
      if let text = String(validating: bytes.prefix(length), as: UTF8.self),
        let scalar = text.unicodeScalars.first
      {
        return (scalar, length)
      }
    }
    return nil
  }
}
