/// Lines of text, with their ends: LF, CR LF, CR CR LF, or CR alone.
///
/// A CR ends no line while the line is empty: it is a delimiter before the next line. After other
/// bytes, a CR at the end of what has arrived is half of an end: it waits for the LF.
struct TextLineFraming: Framing {
  /// The most bytes of a line, without its end.
  private static let limit = 65_536
  /// The most CRs before an LF.
  private static let returnLimit = 16

  private var lines = DelimitedSearch(
    for: .either(UInt8(ascii: "\n"), UInt8(ascii: "\r")), limit: limit)
  /// Whether the line has its CR, and perhaps not its LF.
  private var awaitsLF = false
  /// Whether an LF still belongs to the line before, which has ended without it.
  private var mayContinue = false

  /// 50 ms after a CR; otherwise a line may take any time.
  var silence: Duration? { awaitsLF ? .milliseconds(50) : nil }

  mutating func search(_ bytes: RawSpan, searched: Int, isEnd: Bool) -> FrameSearch<[UInt8]> {
    bytes.withUnsafeBytes { bytes in
      let start = awaitsLF ? 0 : searched
      awaitsLF = false
      if mayContinue, let first = bytes.first {
        mayContinue = false
        if first == UInt8(ascii: "\n") { return .skip(length: 1) }
      }
      if start == 0, !lines.isSkipping, bytes.first == UInt8(ascii: "\r") {
        return .skip(length: bytes.prefix { $0 == UInt8(ascii: "\r") }.count)
      }
      switch lines.search(bytes, searched: start, isEnd: isEnd) {
      case .frame(let count, let length):
        guard let end = end(in: bytes, from: length, isEnd: isEnd) else {
          awaitsLF = true
          return .incomplete
        }
        mayContinue = isEnd && end == bytes.count && bytes[end - 1] == UInt8(ascii: "\r")
        return .frame(Array(bytes[..<count]), length: end)
      case .damaged(.unfinished, let length): return .frame(Array(bytes), length: length)
      case .damaged(let damage, let length): return .damaged(damage, length: length)
      case .skip(let length): return .skip(length: length)
      case .rest(let length):
        mayContinue = bytes[length - 1] == UInt8(ascii: "\r")
        return .rest(length: length)
      case .incomplete: return .incomplete
      }
    }
  }

  /// The place after the end of a line whose first byte of the end is before a place; nil if more
  /// bytes are needed.
  private func end(in bytes: UnsafeRawBufferPointer, from place: Int, isEnd: Bool) -> Int? {
    if bytes[place - 1] == UInt8(ascii: "\n") { return place }
    let rest = bytes[place...]
    let returns = rest.prefix(Self.returnLimit).prefix { $0 == UInt8(ascii: "\r") }.count
    if returns == Self.returnLimit { return place }
    if place + returns == bytes.count { return isEnd ? bytes.count : nil }
    return bytes[place + returns] == UInt8(ascii: "\n") ? place + returns + 1 : place
  }
}
