/// Assembles lines from the pieces that a socket delivers, up to a maximum length.
package struct LineAssembler {
  private let limit: Int
  private var bytes: [UInt8] = []

  /// - Parameter limit: the maximum length of a line in bytes, with its newline.
  package init(limit: Int) { self.limit = limit }

  /// Appends received bytes.
  package mutating func append(_ piece: some Sequence<UInt8>) { bytes += piece }

  /// Ends the input: a last line without a newline counts as a line.
  package mutating func end() {
    if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
  }

  /// Removes and returns the next line, without its newline; nil if none is complete.
  package mutating func next() -> String? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end < limit else { return nil }
    defer { bytes.removeFirst(end + 1) }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// Removes and returns the bytes after the last complete line.
  package mutating func takeRest() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Whether the incomplete line is too long.
  package var isOverlong: Bool {
    bytes.prefix(limit).count == limit && !bytes[..<limit].contains(0x0A)
  }
}
