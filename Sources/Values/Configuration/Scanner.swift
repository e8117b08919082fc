/// A document and the position of the next byte to read.
struct Scanner {
  private let bytes: [UInt8]
  /// The number of bytes before the first of ``bytes``.
  private let markLength: Int
  private var position = 0
  /// The current line, counted from 1.
  private(set) var line = 1

  private static let newline = UInt8(ascii: "\n")

  init(_ bytes: [UInt8]) {
    // A byte order mark has no meaning in UTF-8.
    markLength = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    self.bytes = markLength == 0 ? bytes : Array(bytes.dropFirst(markLength))
  }

  /// The offset of the next byte in the document.
  var offset: Int { markLength + position }

  /// Checks that the document is text: UTF-8 without control characters.
  func checkText() throws(ConfigurationError) {
    var line = 1
    var isASCII = true
    for index in bytes.indices {
      switch bytes[index] {
      case Self.newline: line += 1
      case UInt8(ascii: "\t"): break
      case UInt8(ascii: "\r") where index + 1 < bytes.count && bytes[index + 1] == Self.newline:
        break
      case 0..<0x20, 0x7F:
        throw ConfigurationError(line: line, "unexpected control character: not a text file")
      case 0x80...: isASCII = false
      default: break
      }
    }
    guard !isASCII, String(validating: bytes, as: UTF8.self) == nil else { return }
    // Every line is checked separately, only to report its number.
    let lines = bytes.split(separator: Self.newline, omittingEmptySubsequences: false)
    let wrong = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    throw ConfigurationError(line: wrong + 1, "not UTF-8")
  }

  func error(_ what: String) -> ConfigurationError { ConfigurationError(line: line, what) }

  var peek: UInt8? { peek(at: 0) }

  /// The byte at a distance from the next one.
  func peek(at offset: Int) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  /// A description of the next character, for messages.
  var shownNext: String {
    switch peek {
    case nil: "the end of the file"
    case Self.newline, UInt8(ascii: "\r"): "the end of the line"
    case .some:
      "'\(String(decoding: bytes[position...].prefix(32), as: UTF8.self).prefix(1))'"
    }
  }

  mutating func next() -> UInt8? {
    guard let byte = peek else { return nil }
    position += 1
    if byte == Self.newline { line += 1 }
    return byte
  }

  /// Skips a character if it is the next one.
  mutating func consume(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Skips the end of a line if it is next.
  mutating func consumeLineEnd() -> Bool {
    if peek == UInt8(ascii: "\r") { position += 1 }
    guard peek == Self.newline else { return false }
    _ = next()
    return true
  }

  /// Skips the bytes that match. They are all on one line.
  ///
  /// - Returns: the skipped bytes.
  mutating func readWhile(_ isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, isWanted(bytes[position]) { position += 1 }
    return bytes[start..<position]
  }

  mutating func skipBlanks() {
    _ = readWhile { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  /// Skips blanks, comments and empty lines.
  ///
  /// - Returns: whether anything follows.
  mutating func skipToSomething() -> Bool {
    repeat { skipBlanksAndComment() } while consumeLineEnd()
    return peek != nil
  }

  /// Skips blanks and a comment, up to the end of the line.
  mutating func skipBlanksAndComment() {
    skipBlanks()
    if peek == UInt8(ascii: "#") { _ = readWhile { $0 != Self.newline } }
  }
}
