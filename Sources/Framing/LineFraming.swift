/// Lines of text. A frame is a line without its end.
///
/// The text is UTF-8; bytes that are not become U+FFFD, as `String(decoding:as:)` repairs them. An empty line
/// is a frame. What a device sends last without an end is a line too. A line that is longer than the limit is
/// damage: it is reported once, and the search goes on behind its end.
public struct LineFraming: FrameEncoding, Hashable {
  /// What ends a line.
  public enum End: Hashable, Sendable, CaseIterable {
    /// LF; a CR before it belongs to it.
    case lf
    /// CR alone.
    case cr
    /// CR LF; each of them alone is a part of the line.
    case crlf
    /// LF, CR, or CR LF. A CR ends the line at once, and an LF that comes next belongs to it.
    case any
  }

  /// What ends a line.
  public let end: End
  private var lines: DelimitedSearch
  /// Whether the line before ended with a CR whose LF has not come yet.
  private var expectsLF = false

  /// - Parameters:
  ///   - end: What ends a line.
  ///   - limit: The most bytes of a line; its end does not count, except the CR of ``End/lf``.
  /// - Precondition: `limit` is greater than 0.
  public init(_ end: End = .lf, limit: Int = 65_536) {
    self.end = end
    let delimiter: DelimitedSearch.Delimiter =
      switch end {
      case .lf: .byte(0x0A)
      case .cr: .byte(0x0D)
      case .crlf: .sequence([0x0D, 0x0A])
      case .any: .either(0x0A, 0x0D)
      }
    lines = DelimitedSearch(for: delimiter, limit: limit)
  }

  /// The most bytes of a line.
  public var limit: Int { lines.limit }

  public mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<String> {
    bytes.withUnsafeBytes { search($0, searched: searched, isEnd: isEnd) }
  }

  private mutating func search(
    _ bytes: UnsafeRawBufferPointer, searched: Int, isEnd: Bool
  ) -> FrameSearch<String> {
    if expectsLF, let first = bytes.first {
      expectsLF = false
      if first == 0x0A { return .skip(length: 1) }
    }
    switch lines.search(bytes, searched: searched, isEnd: isEnd) {
    case .incomplete: return .incomplete
    case .frame(let count, let length):
      expectsLF = end == .any && bytes[length - 1] == 0x0D
      return .frame(line(bytes[..<count]), length: length)
    case .damaged(.unfinished, let length): return .frame(line(bytes[...]), length: length)
    case .damaged(let damage, let length): return .damaged(damage, length: length)
    case .skip(let length):
      expectsLF = end == .any && bytes[length - 1] == 0x0D
      return .skip(length: length)
    }
  }

  private func line(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    String(decoding: end == .lf && bytes.last == 0x0D ? bytes.dropLast() : bytes, as: UTF8.self)
  }

  /// The bytes of a line with its end: LF, CR or CR LF; with ``End/any`` CR, which is what a terminal's
  /// Enter sends.
  public func encode(_ line: String) -> [UInt8] {
    switch end {
    case .lf: Array(line.utf8) + [0x0A]
    case .cr, .any: Array(line.utf8) + [0x0D]
    case .crlf: Array(line.utf8) + [0x0D, 0x0A]
    }
  }
}

extension Framing where Self == LineFraming {
  /// Lines of text; see ``LineFraming``.
  public static func lines(_ end: LineFraming.End = .lf, limit: Int = 65_536) -> LineFraming {
    LineFraming(end, limit: limit)
  }
}
