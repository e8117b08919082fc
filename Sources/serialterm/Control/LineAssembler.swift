/// Puts lines together from pieces, as they come from a socket.
///
/// A line has a bound: whoever sends more is no client of ours.
struct LineAssembler {
  private let limit: Int
  private var bytes: [UInt8] = []

  /// - Parameter limit: the most bytes of a line, its end included.
  init(limit: Int) { self.limit = limit }

  /// Adds what came.
  mutating func append(_ piece: some Sequence<UInt8>) { bytes += piece }

  /// Nothing more comes: a last line without its end is one too.
  mutating func end() {
    if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
  }

  /// Takes out the next line, without its end; nil while none is whole.
  mutating func next() -> String? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end < limit else { return nil }
    defer { bytes.removeFirst(end + 1) }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// Whether the line that is being put together is too long.
  var isOverlong: Bool { bytes.prefix(limit).count == limit && !bytes[..<limit].contains(0x0A) }
}
