/// Lines of text in UTF-8. A frame is a line without its end.
///
/// Invalid bytes are replaced by U+FFFD. An empty line is a frame. At the end, an unfinished line
/// is a frame too. A line that is longer than the limit is reported once as damage.
public struct LineFraming: FrameEncoding, Hashable {
  /// The end of a line.
  public enum End: Hashable, Sendable, CaseIterable {
    /// LF, or CR LF.
    case lf
    /// CR alone.
    case cr
    /// CR LF. A single CR or LF belongs to the line.
    case crlf
    /// LF, CR or CR LF. A CR ends the line immediately; an LF directly after it is skipped.
    case any
  }

  /// The end of a line.
  public let end: End
  private var lines: DelimitedSearch
  /// Whether the last line ended with a CR, so that an LF can follow.
  private var expectsLF = false

  /// - Parameters:
  ///   - end: The end of a line.
  ///   - limit: The maximum length of a line in bytes, without its end. With ``End/lf``, a CR
  ///     before the LF counts.
  /// - Precondition: `limit` is greater than 0.
  public init(_ end: End = .lf, limit: Int = 65_536) {
    self.end = end
    let delimiter: DelimitedSearch.Delimiter =
      switch end {
      case .lf: .byte(UInt8(ascii: "\n"))
      case .cr: .byte(UInt8(ascii: "\r"))
      case .crlf: .sequence(Array("\r\n".utf8))
      case .any: .either(UInt8(ascii: "\n"), UInt8(ascii: "\r"))
      }
    lines = DelimitedSearch(for: delimiter, limit: limit)
  }

  /// The maximum length of a line in bytes.
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
      if first == UInt8(ascii: "\n") { return .skip(length: 1) }
    }
    switch lines.search(bytes, searched: searched, isEnd: isEnd) {
    case .incomplete: return .incomplete
    case .frame(let count, let length):
      expectsLF = end == .any && bytes[length - 1] == UInt8(ascii: "\r")
      return .frame(line(bytes[..<count]), length: length)
    case .damaged(.unfinished, let length): return .frame(line(bytes[...]), length: length)
    case .damaged(let damage, let length): return .damaged(damage, length: length)
    case .skip(let length): return .skip(length: length)
    case .rest(let length):
      expectsLF = end == .any && bytes[length - 1] == UInt8(ascii: "\r")
      return .rest(length: length)
    }
  }

  private func line(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    String(
      decoding: end == .lf && bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes,
      as: UTF8.self)
  }

  /// Encodes a line with its end. For ``End/any`` that is CR, like the Enter key of a terminal.
  public func encode(_ line: String) -> [UInt8] {
    switch end {
    case .lf: Array(line.utf8) + [UInt8(ascii: "\n")]
    case .cr, .any: Array(line.utf8) + [UInt8(ascii: "\r")]
    case .crlf: Array(line.utf8) + "\r\n".utf8
    }
  }
}

extension LineFraming {
  public func hasSameFormat(as other: LineFraming) -> Bool {
    end == other.end && limit == other.limit
  }
}

extension Framing where Self == LineFraming {
  /// Lines of text; see ``LineFraming``.
  public static func lines(_ end: LineFraming.End = .lf, limit: Int = 65_536) -> LineFraming {
    LineFraming(end, limit: limit)
  }
}
