/// Parses the part of YAML 1.1 that configuration files use.
///
/// It reads mappings and sequences in blocks and in brackets, plain and quoted texts of one or
/// several lines, anchors, aliases, comments and several documents. What it reads, libyaml reads in
/// the same way. It refuses everything else: texts after `|` and `>`, tags, keys that are not texts
/// of one line, and pairs without braces in a list. The size of a file and the nesting of its nodes
/// are limited, so that no file uses much memory or a deep stack.
public struct YAMLReader {
  /// The maximum size of a file in bytes.
  public static let largestFile = 1_048_576
  /// The maximum number of nodes that contain a node.
  private static let deepestNesting = 64
  /// The maximum length of a key in bytes, that of YAML.
  private static let longestKey = 1024

  private let bytes: [UInt8]
  private var cursor = Cursor()
  private var depth = 0

  /// The position of the next byte.
  private struct Cursor {
    var position = 0
    /// The current line, counted from 1.
    var line = 1
    /// The position of the first byte of the line.
    var lineStart = 0
    /// The number of bytes in the line so far that continue a character.
    var continuationCount = 0
    var column: Int { position - lineStart }
  }

  /// Parses a file.
  ///
  /// - Returns: the root nodes of its documents.
  /// - Throws: ``YAMLError`` for the first error.
  public static func documents(in file: [UInt8]) throws(YAMLError) -> [YAMLNode] {
    var reader = try YAMLReader(file)
    return try reader.readDocuments()
  }

  private init(_ file: [UInt8]) throws(YAMLError) {
    guard file.count <= Self.largestFile else {
      throw YAMLError(
        at: YAMLPlace(line: 1, column: 1), "larger than \(Self.largestFile / 1_048_576) MiB")
    }
    do throws(ConfigurationError) {
      try Scanner(file).checkText()
    } catch {
      throw YAMLError(at: YAMLPlace(line: error.line, column: 1), error.what)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(file.count)
    // A byte order mark has no meaning in UTF-8. A carriage return is only before a newline.
    for byte in file.starts(with: [0xEF, 0xBB, 0xBF]) ? file.dropFirst(3) : file[...]
    where byte != UInt8(ascii: "\r") { bytes.append(byte) }
    self.bytes = bytes
    try checkCharacters()
  }

  /// Refuses characters that YAML 1.1 does not allow, and those that end a line only in YAML.
  private func checkCharacters() throws(YAMLError) {
    guard !bytes.allSatisfy({ $0 < 0x80 }) else { return }
    var (line, column) = (1, 0)
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if scalar == "\n" {
        (line, column) = (line + 1, 0)
        continue
      }
      column += 1
      switch scalar.value {
      case 0x80...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
        throw YAMLError(
          at: YAMLPlace(line: line, column: column),
          "a character that is not text: write it in double quotes as an escape sequence")
      default: break
      }
    }
  }
}

// MARK: Documents

extension YAMLReader {
  private mutating func readDocuments() throws(YAMLError) -> [YAMLNode] {
    var documents: [YAMLNode] = []
    while true {
      try skipToContent()
      // Extra ends are allowed after a document.
      while !documents.isEmpty, isMarker("...") { try skipMarker() }
      guard peek != nil else { return documents }
      guard !isMarker("...") else { throw error("the end of a document without a beginning") }
      let hasDirective = try skipDirectives()
      if isMarker("---") {
        try skipMarker(isStart: true)
      } else if hasDirective || !documents.isEmpty {
        throw error("expected '---' before a document, found \(shownNext)")
      }
      documents.append(try readNode(below: -1, .document))
      try skipToContent()
      guard peek == nil || isMarker else {
        throw error("expected the end of the document, found \(shownNext)")
      }
      while isMarker("...") { try skipMarker() }
    }
  }

  /// Skips `%YAML 1.1` or `%YAML 1.2`.
  ///
  /// - Returns: whether there was one.
  private mutating func skipDirectives() throws(YAMLError) -> Bool {
    guard cursor.column == 0, peek == UInt8(ascii: "%") else { return false }
    let place = self.place
    var text: [UInt8] = []
    while let byte = peek, byte != .newline, byte != UInt8(ascii: "#") {
      text.append(byte)
      advance()
    }
    let words = String(decoding: text, as: UTF8.self).split { $0 == " " || $0 == "\t" }
    guard words == ["%YAML", "1.1"] || words == ["%YAML", "1.2"] else {
      throw YAMLError(at: place, "unknown directive: expected %YAML 1.1")
    }
    try skipToContent()
    guard peek != UInt8(ascii: "%") else { throw error("a second directive") }
    return true
  }

  private var isMarker: Bool { isMarker("---") || isMarker("...") }

  private func isMarker(_ marker: StaticString) -> Bool {
    guard cursor.column == 0, isSpaceOrEnd(peek(at: 3)) else { return false }
    return (0..<3).allSatisfy { peek(at: $0) == marker.utf8Start[$0] }
  }

  private mutating func skipMarker(isStart: Bool = false) throws(YAMLError) {
    for _ in 0..<3 { advance() }
    let place = self.place
    let line = cursor.line
    try skipToContent()
    guard peek == nil || cursor.line != line else {
      throw YAMLError(
        at: place,
        isStart
          ? "write the document on the lines below '---'"
          : "expected the end of the line after '...'"
      )
    }
  }
}

// MARK: Nodes in blocks

extension YAMLReader {
  /// Where a node is.
  private enum Position { case document, value, item }

  /// Parses a node that begins here or on a later line.
  ///
  /// - Parameter indent: the column of the mapping or sequence that contains the node; -1 for none.
  private mutating func readNode(
    below indent: Int, _ position: Position
  ) throws(YAMLError) -> YAMLNode {
    try enter()
    defer { depth -= 1 }
    let start = place
    var isOnLine = position != .document
    var anchor: String?
    var anchorLine = 0
    while true {
      let line = cursor.line
      try skipToContent(mayHaveTab: position != .item || !isOnLine)
      if cursor.line != line { isOnLine = false }
      guard peek != nil, !isMarker else { return YAMLNode(.scalar(""), anchor: anchor, at: start) }
      if !isOnLine {
        // A sequence may be in the column of the key above it.
        let mayBeLevel = position == .value && isIndicator("-")
        guard cursor.column > indent || mayBeLevel && cursor.column == indent else {
          return YAMLNode(.scalar(""), anchor: anchor, at: start)
        }
      }
      guard peek == UInt8(ascii: "&") else { break }
      guard anchor == nil else { throw error("a second anchor") }
      anchor = try readName(of: "anchor")
      anchorLine = cursor.line
    }
    let mayBeBlock = (position == .item || !isOnLine) && anchorLine != cursor.line
    let place = self.place
    if isIndicator("-") {
      guard mayBeBlock else { throw error("a list begins on a line of its own") }
      return YAMLNode(try readSequence(below: indent), anchor: anchor, at: place)
    }
    if mayBeBlock {
      let column = cursor.column
      if let key = try readKey() {
        return YAMLNode(try readMapping(at: column, key, place), anchor: anchor, at: place)
      }
    }
    let content: YAMLNode.Content
    switch peek {
    case UInt8(ascii: "["), UInt8(ascii: "{"): content = try readCollection()
    default: content = try readText(below: indent, isInFlow: false, anchor)
    }
    try endLine()
    return YAMLNode(content, anchor: anchor, at: place)
  }

  private mutating func readSequence(below indent: Int) throws(YAMLError) -> YAMLNode.Content {
    let column = cursor.column
    var items: [YAMLNode] = []
    while true {
      advance()
      items.append(try readNode(below: column, .item))
      guard try hasNext(at: column) else { return .sequence(items) }
      if isIndicator("-") { continue }
      // A sequence in the column of its key ends at the next key.
      guard column == indent else { throw error("expected '- ', found \(shownNext)") }
      return .sequence(items)
    }
  }

  private mutating func readMapping(
    at column: Int, _ first: String, _ place: YAMLPlace
  ) throws(YAMLError) -> YAMLNode.Content {
    var pairs: [YAMLPair] = []
    var (key, place) = (first, place)
    while true {
      let value = try readNode(below: column, .value)
      pairs.append(YAMLPair(key: key, value: value, place: place))
      guard try hasNext(at: column) else { return .mapping(pairs) }
      place = self.place
      guard let next = try readKey() else {
        throw error("expected a key with a colon, found \(shownNext)")
      }
      key = next
    }
  }

  /// Skips to the next line with content.
  ///
  /// - Returns: whether it is in the column of this block; false if it ends the block.
  private mutating func hasNext(at column: Int) throws(YAMLError) -> Bool {
    try skipToContent()
    guard peek != nil, !isMarker, cursor.column >= column else { return false }
    guard cursor.column == column else {
      throw error("wrong indentation: the lines above begin in column \(column + 1)")
    }
    return true
  }

  /// Parses a key with its colon, if one is next.
  private mutating func readKey() throws(YAMLError) -> String? {
    let start = cursor
    let key: String
    switch peek {
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      guard let text = try readQuoted(onOneLine: true) else {
        cursor = start
        return nil
      }
      key = text
    default:
      guard mayStartText(inFlow: false) else { return nil }
      key = String(decoding: try readLine(isInFlow: false), as: UTF8.self)
    }
    skipBlanks()
    guard isIndicator(":") else {
      cursor = start
      return nil
    }
    guard cursor.position - start.position <= Self.longestKey else {
      cursor = start
      throw error("a key of more than \(Self.longestKey) bytes")
    }
    advance()
    return key
  }

  /// Checks that nothing but a comment follows on the line.
  private mutating func endLine() throws(YAMLError) {
    let line = cursor.line
    try skipToContent()
    guard peek != nil, cursor.line == line else { return }
    throw error(
      peek == UInt8(ascii: ":")
        ? "a key must begin a line; a text with a colon needs quotes"
        : "expected the end of the line, found \(shownNext)")
  }
}

// MARK: Nodes in brackets

extension YAMLReader {
  /// Parses `[…]` or `{…}`.
  private mutating func readCollection() throws(YAMLError) -> YAMLNode.Content {
    try enter()
    defer { depth -= 1 }
    let start = place
    let isMapping = peek == UInt8(ascii: "{")
    let end = UInt8(ascii: isMapping ? "}" : "]")
    advance()
    var items: [YAMLNode] = []
    var pairs: [YAMLPair] = []
    while true {
      try skipInFlow(from: start)
      if peek != end {
        if isMapping {
          pairs.append(try readPair(from: start))
        } else {
          items.append(try readItem(from: start))
        }
        try skipInFlow(from: start)
        if peek == UInt8(ascii: ",") {
          advance()
          continue
        }
      }
      guard peek == end else {
        throw error(
          "expected ',' or '\(Character(Unicode.Scalar(end)))', found \(shownNext)"
            + (peek == UInt8(ascii: ":") ? "; a text with a colon needs quotes" : ""))
      }
      advance()
      return isMapping ? .mapping(pairs) : .sequence(items)
    }
  }

  private mutating func readItem(from start: YAMLPlace) throws(YAMLError) -> YAMLNode {
    var anchor: String?
    let place = self.place
    if peek == UInt8(ascii: "&") {
      anchor = try readName(of: "anchor", isInFlow: true)
      try skipInFlow(from: start)
      if [UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(peek) {
        return YAMLNode(.scalar(""), anchor: anchor, at: place)
      }
    }
    switch peek {
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      return YAMLNode(try readCollection(), anchor: anchor, at: place)
    default:
      return YAMLNode(try readText(below: -1, isInFlow: true, anchor), anchor: anchor, at: place)
    }
  }

  private mutating func readPair(from start: YAMLPlace) throws(YAMLError) -> YAMLPair {
    let (place, first) = (self.place, cursor)
    guard let next = peek, next != UInt8(ascii: "&"), next != UInt8(ascii: "*"),
      case .scalar(let key) = try readText(below: -1, isInFlow: true, nil),
      cursor.line == first.line, cursor.position - first.position <= Self.longestKey
    else {
      cursor = first
      throw error("expected a key of one line, found \(shownNext)")
    }
    try skipInFlow(from: start)
    guard peek == UInt8(ascii: ":") else {
      let value = YAMLNode(.scalar(""), anchor: nil, at: self.place)
      return YAMLPair(key: key, value: value, place: place)
    }
    guard cursor.line == first.line else { throw error("a colon on another line than its key") }
    advance()
    try skipInFlow(from: start)
    let isAbsent = peek == UInt8(ascii: ",") || peek == UInt8(ascii: "}")
    let value =
      isAbsent
      ? YAMLNode(.scalar(""), anchor: nil, at: self.place) : try readItem(from: start)
    return YAMLPair(key: key, value: value, place: place)
  }

  /// Skips blanks, comments and ends of lines within brackets.
  private mutating func skipInFlow(from start: YAMLPlace) throws(YAMLError) {
    try skipToContent(mayIndentByTab: true)
    guard peek != nil, !isMarker else {
      throw YAMLError(at: start, "the bracket has no closing one")
    }
  }
}

// MARK: Texts

extension YAMLReader {
  /// Parses a text or an alias.
  private mutating func readText(
    below indent: Int, isInFlow: Bool, _ anchor: String?
  ) throws(YAMLError) -> YAMLNode.Content {
    switch peek {
    case UInt8(ascii: "*"):
      guard anchor == nil else { throw error("an anchor before an alias") }
      return .alias(try readName(of: "alias", isInFlow: isInFlow))
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      return .scalar(try readQuoted(onOneLine: false) ?? "")
    case UInt8(ascii: "|"), UInt8(ascii: ">"):
      throw error("a text after '|' or '>' is not supported: write it in quotes")
    case UInt8(ascii: "!"): throw error("tags are not supported: remove it")
    default:
      guard mayStartText(inFlow: isInFlow) else {
        throw error("unexpected \(shownNext): a text that begins with it needs quotes")
      }
      return .scalar(try readPlain(below: indent, isInFlow: isInFlow))
    }
  }

  /// Whether a text without quotes may begin with the next byte.
  private func mayStartText(inFlow isInFlow: Bool) -> Bool {
    guard let next = peek else { return false }
    switch Unicode.Scalar(next) {
    case ",", "[", "]", "{", "}", "#", "&", "*", "!", "|", ">", "'", "\"", "%", "@", "`", "\n":
      return false
    case "?", ":": return !isInFlow && !isSpaceOrEnd(peek(at: 1))
    case "-":
      guard let second = peek(at: 1) else { return false }
      return !isSpaceOrEnd(second) && !(isInFlow && second.isFlowIndicator)
    default: return true
    }
  }

  /// Parses a text without quotes. Its further lines are indented, and follow after a blank.
  private mutating func readPlain(
    below indent: Int, isInFlow: Bool
  ) throws(YAMLError) -> String {
    var text = try readLine(isInFlow: isInFlow)
    while true {
      skipBlanks()
      guard peek == .newline else { break }
      let end = cursor
      var breakCount = 0
      var tab: YAMLPlace?
      while peek == .newline {
        advance()
        breakCount += 1
        if isMarker { break }
        while let byte = peek, byte.isBlank {
          if byte == .tab, tab == nil { tab = place }
          advance()
        }
      }
      let ends = peek == nil || peek == UInt8(ascii: "#") || isMarker
      // Also before a bracket, as libyaml does.
      if let tab, isInFlow || !ends && cursor.column > indent {
        throw YAMLError(at: tab, Self.tabComplaint)
      }
      guard !ends, let next = peek, isInFlow || cursor.column > indent else {
        cursor = end
        break
      }
      if isInFlow, next.isFlowIndicator || next == UInt8(ascii: ":") && isIndicator(":") {
        cursor = end
        break
      }
      text += Self.folded(breakCount)
      text += try readLine(isInFlow: isInFlow)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Parses a text without quotes up to the end of the line, without the blanks at its end.
  private mutating func readLine(isInFlow: Bool) throws(YAMLError) -> ArraySlice<UInt8> {
    let start = cursor.position
    var end = start
    while let byte = peek, byte != .newline {
      if isIndicator(":") { break }
      if byte == UInt8(ascii: "#"), cursor.position > 0, bytes[cursor.position - 1].isBlank {
        break
      }
      if isInFlow {
        if byte.isFlowIndicator { break }
        let isColon = byte == UInt8(ascii: ":")
        if byte == UInt8(ascii: "?") || isColon && peek(at: 1)?.isFlowIndicator == true {
          throw error("unexpected \(shownNext) in brackets: the text needs quotes")
        }
      }
      advance()
      if !byte.isBlank { end = cursor.position }
    }
    return bytes[start..<end]
  }

  /// What stands for the ends of lines within a text: a blank for one, otherwise one less.
  private static func folded(_ breakCount: Int) -> [UInt8] {
    breakCount == 1 ? [.space] : [UInt8](repeating: .newline, count: breakCount - 1)
  }

  /// Parses a text in quotes.
  ///
  /// - Returns: nil if it must be on one line and is not.
  private mutating func readQuoted(onOneLine: Bool) throws(YAMLError) -> String? {
    let start = place
    let quote = peek
    let isDouble = quote == UInt8(ascii: "\"")
    advance()
    var text: [UInt8] = []
    /// The blanks that are a part of the text unless the line ends.
    var blanks: [UInt8] = []
    while let byte = peek {
      if byte.isBlank {
        blanks.append(byte)
        advance()
        continue
      }
      if byte == .newline {
        guard !onOneLine else { return nil }
        text += Self.folded(try skipLineEnds())
        blanks = []
        continue
      }
      text += blanks
      blanks = []
      if byte == quote {
        advance()
        guard !isDouble, peek == quote else { return String(decoding: text, as: UTF8.self) }
        text.append(byte)
        advance()
      } else if isDouble, byte == UInt8(ascii: "\\") {
        if peek(at: 1) == .newline {
          guard !onOneLine else { return nil }
          advance()
          text += [UInt8](repeating: .newline, count: try skipLineEnds() - 1)
        } else {
          try readEscape(into: &text)
        }
      } else {
        text.append(byte)
        advance()
      }
    }
    throw YAMLError(at: start, "the text has no closing quote")
  }

  /// Skips ends of lines and the blanks after them.
  ///
  /// - Returns: the number of ends, at least 1.
  private mutating func skipLineEnds() throws(YAMLError) -> Int {
    var count = 0
    while peek == .newline {
      advance()
      count += 1
      guard !isMarker else { throw error("the text has no closing quote before this line") }
      skipBlanks()
    }
    return count
  }

  private mutating func readEscape(into text: inout [UInt8]) throws(YAMLError) {
    let start = place
    advance()
    let escape = peek.map { Unicode.Scalar($0) }
    if escape != nil { advance() }
    switch escape {
    case "0": text.append(0x00)
    case "a": text.append(0x07)
    case "b": text.append(0x08)
    case "t", "\t": text.append(0x09)
    case "n": text.append(0x0A)
    case "v": text.append(0x0B)
    case "f": text.append(0x0C)
    case "r": text.append(0x0D)
    case "e": text.append(0x1B)
    case " ", "\"", "/", "\\": text.append(UInt8(ascii: escape ?? " "))
    case "N": text += "\u{85}".utf8
    case "_": text += "\u{A0}".utf8
    case "L": text += "\u{2028}".utf8
    case "P": text += "\u{2029}".utf8
    case "x": text += try readScalar(digitCount: 2, from: start)
    case "u": text += try readScalar(digitCount: 4, from: start)
    case "U": text += try readScalar(digitCount: 8, from: start)
    default:
      throw YAMLError(
        at: start, #"unknown escape sequence; for a backslash write \\, or use single quotes"#)
    }
  }

  private mutating func readScalar(
    digitCount: Int, from start: YAMLPlace
  ) throws(YAMLError) -> String.UTF8View {
    var value: UInt32 = 0
    for _ in 0..<digitCount {
      guard let digit = peek?.digit(radix: 16), value < 0x1000_0000 else {
        throw YAMLError(
          at: start, "expected \(digitCount) hexadecimal digits in an escape sequence")
      }
      value = value << 4 | UInt32(digit)
      advance()
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw YAMLError(at: start, "the escape sequence is not a Unicode character")
    }
    return String(scalar).utf8
  }

  /// Parses the name after `&` or `*`.
  private mutating func readName(
    of kind: String, isInFlow: Bool = false
  ) throws(YAMLError) -> String {
    let place = self.place
    advance()
    let start = cursor.position
    while peek?.isNameByte == true { advance() }
    let name = String(decoding: bytes[start..<cursor.position], as: UTF8.self)
    guard !name.isEmpty,
      isSpaceOrEnd(peek) || isInFlow && [UInt8(ascii: ","), 0x5D, 0x7D].contains(peek)
    else {
      throw YAMLError(
        at: place, "the name of an \(kind) has letters, digits, '-' and '_', then a blank")
    }
    return name
  }
}

// MARK: Bytes

extension YAMLReader {
  private static let tabComplaint = "a tab cannot indent a line: write blanks"

  private mutating func enter() throws(YAMLError) {
    depth += 1
    guard depth <= Self.deepestNesting else {
      throw error("nested deeper than \(Self.deepestNesting) levels")
    }
  }

  private var peek: UInt8? { peek(at: 0) }

  private func peek(at offset: Int) -> UInt8? {
    let position = cursor.position + offset
    return position < bytes.count ? bytes[position] : nil
  }

  /// Skips a byte. There must be one.
  private mutating func advance() {
    let byte = bytes[cursor.position]
    cursor.position += 1
    if byte & 0xC0 == 0x80 { cursor.continuationCount += 1 }
    guard byte == .newline else { return }
    cursor.line += 1
    (cursor.lineStart, cursor.continuationCount) = (cursor.position, 0)
  }

  private mutating func skipBlanks() { while peek?.isBlank == true { advance() } }

  /// Skips blanks, comments and ends of lines.
  ///
  /// - Parameters:
  ///   - mayHaveTab: whether tabs may separate words on the present line.
  ///   - mayIndentByTab: whether a line may begin with a tab.
  private mutating func skipToContent(
    mayHaveTab: Bool = true, mayIndentByTab: Bool = false
  ) throws(YAMLError) {
    var mayHaveTab = mayHaveTab && (cursor.column > 0 || mayIndentByTab)
    while true {
      while let byte = peek, byte.isBlank {
        if byte == .tab, !mayHaveTab { throw error(Self.tabComplaint) }
        advance()
      }
      if peek == UInt8(ascii: "#") {
        guard cursor.column == 0 || bytes[cursor.position - 1].isBlank else {
          throw error("expected a blank before a comment")
        }
        while let byte = peek, byte != .newline { advance() }
      }
      guard peek == .newline else { return }
      advance()
      mayHaveTab = mayIndentByTab
    }
  }

  /// Whether a character is next that a blank or the end of the line follows.
  private func isIndicator(_ character: Unicode.Scalar) -> Bool {
    peek == UInt8(ascii: character) && isSpaceOrEnd(peek(at: 1))
  }

  private func isSpaceOrEnd(_ byte: UInt8?) -> Bool {
    guard let byte else { return true }
    return byte.isBlank || byte == .newline
  }

  /// The place of the next byte.
  private var place: YAMLPlace {
    YAMLPlace(line: cursor.line, column: cursor.column - cursor.continuationCount + 1)
  }

  private func error(_ what: String) -> YAMLError { YAMLError(at: place, what) }

  /// A description of the next character, for messages.
  private var shownNext: String {
    switch peek {
    case nil: "the end of the file"
    case .newline: "the end of the line"
    case .some:
      "'\(String(decoding: bytes[cursor.position...].prefix(32), as: UTF8.self).prefix(1))'"
    }
  }
}

extension UInt8 {
  fileprivate static let newline = UInt8(ascii: "\n")
  fileprivate static let tab = UInt8(ascii: "\t")
  fileprivate static let space = UInt8(ascii: " ")

  fileprivate var isBlank: Bool { self == .space || self == .tab }

  /// Whether the byte has a meaning within brackets.
  fileprivate var isFlowIndicator: Bool {
    [UInt8(ascii: ","), UInt8(ascii: "["), 0x5D, UInt8(ascii: "{"), 0x7D].contains(self)
  }

  /// Whether the byte may be in the name of an anchor.
  fileprivate var isNameByte: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}
