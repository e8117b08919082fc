import CYaml

/// Reads YAML with libyaml, into nodes.
///
/// libyaml refuses what is not YAML 1.1. Besides, a key must be a text. The size of a file and the
/// nesting of its nodes are limited, so that no file uses much memory or a deep stack.
public struct YAMLReader: ~Copyable {
  /// The maximum size of a file in bytes.
  public static let largestFile = 1_048_576
  /// The maximum number of levels of nodes.
  private static let deepestNesting = 64

  private let file: UnsafeBufferPointer<UInt8>
  /// It must not move: it contains pointers to itself.
  private let parser: UnsafeMutablePointer<yaml_parser_t>

  /// Parses a file.
  ///
  /// - Returns: the root nodes of its documents.
  /// - Throws: ``YAMLError`` for the first error.
  public static func documents(in file: [UInt8]) throws(YAMLError) -> [YAMLNode] {
    let start = YAMLPlace(line: 1, column: 1)
    guard file.count <= Self.largestFile else {
      throw YAMLError(at: start, "larger than \(Self.largestFile / 1_048_576) MiB")
    }
    do throws(ConfigurationError) {
      try Scanner(file).checkText()
    } catch {
      throw YAMLError(at: YAMLPlace(line: error.line, column: 1), error.what)
    }
    // A byte order mark has no meaning in UTF-8. It is removed here, so that the positions of
    // libyaml are those in `text`.
    let text = file.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(file.dropFirst(3)) : file
    guard !text.isEmpty else { return [] }
    return try text.withUnsafeBufferPointer { text throws(YAMLError) in
      try YAMLReader(text).readNodes(below: start, level: 1)
    }
  }

  private init(_ file: UnsafeBufferPointer<UInt8>) {
    self.file = file
    parser = .allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else { fatalError("not enough memory") }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, file.baseAddress, file.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  /// Parses the nodes up to the end of the sequence or mapping that contains them, or of the file.
  /// Each document has one.
  private func readNodes(below place: YAMLPlace, level: Int) throws(YAMLError) -> [YAMLNode] {
    guard level <= Self.deepestNesting else {
      throw YAMLError(at: place, "nested deeper than \(Self.deepestNesting) levels")
    }
    var nodes: [YAMLNode] = []
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { throw mistake }
      defer { yaml_event_delete(&event) }
      let place = YAMLPlace(event.start_mark)
      switch event.type {
      case YAML_SCALAR_EVENT:
        let scalar = event.data.scalar
        let text = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        nodes.append(
          YAMLNode(
            .scalar(String(decoding: text, as: UTF8.self)), anchor: Self.name(scalar.anchor),
            at: place))
      case YAML_ALIAS_EVENT:
        let name = Self.name(event.data.alias.anchor) ?? ""
        nodes.append(YAMLNode(.alias(name), anchor: nil, at: place))
      case YAML_SEQUENCE_START_EVENT:
        let items = try readNodes(below: place, level: level + 1)
        let anchor = Self.name(event.data.sequence_start.anchor)
        nodes.append(YAMLNode(.sequence(items), anchor: anchor, at: place))
      case YAML_MAPPING_START_EVENT:
        let pairs = try Self.pairs(try readNodes(below: place, level: level + 1))
        let anchor = Self.name(event.data.mapping_start.anchor)
        nodes.append(YAMLNode(.mapping(pairs), anchor: anchor, at: place))
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT, YAML_STREAM_END_EVENT: return nodes
      default: break
      }
    }
  }

  /// The pairs of a mapping from its keys and values, which take turns.
  private static func pairs(_ nodes: [YAMLNode]) throws(YAMLError) -> [YAMLPair] {
    var pairs: [YAMLPair] = []
    for index in stride(from: 0, to: nodes.count, by: 2) {
      let place = nodes[index].place
      guard case .scalar(let key) = nodes[index].content else {
        throw YAMLError(at: place, "expected a text as the key")
      }
      pairs.append(YAMLPair(key: key, value: nodes[index + 1], place: place))
    }
    return pairs
  }

  private static func name(_ anchor: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    anchor.map { String(cString: $0) }
  }
}

// MARK: Errors

extension YAMLReader {
  /// libyaml's error, in words that say what to do.
  private var mistake: YAMLError {
    if parser.pointee.error == YAML_READER_ERROR {
      return YAMLError(
        at: place(of: parser.pointee.problem_offset),
        "a character that is not text: write it in double quotes as an escape sequence")
    }
    let place = YAMLPlace(parser.pointee.problem_mark)
    let start = YAMLPlace(parser.pointee.context_mark)
    let problem = parser.pointee.problem.map { String(cString: $0) } ?? "not enough memory"
    let next = character(at: parser.pointee.problem_mark.index)
    switch problem {
    case "found character that cannot start any token" where next == "\t",
      "found a tab character that violates indentation",
      "found a tab character where an indentation space is expected":
      return YAMLError(at: place, "a tab cannot indent a line: write blanks")
    case "found character that cannot start any token", "did not find expected node content":
      guard let next else { return YAMLError(at: place, "the file ends within a bracket") }
      return YAMLError(at: place, "unexpected '\(next)': a text that begins with it needs quotes")
    case "mapping values are not allowed in this context", "found unexpected ':'":
      return YAMLError(at: place, "a key must begin a line; a text with a colon needs quotes")
    case "block sequence entries are not allowed in this context":
      return YAMLError(at: place, "a list begins on a line of its own")
    case "did not find expected key":
      return YAMLError(
        at: place,
        "expected the end of the line, or a key in column \(start.column) as in line \(start.line)")
    case "did not find expected '-' indicator":
      return YAMLError(
        at: place, "expected '- ' in column \(start.column) as in line \(start.line)")
    case "could not find expected ':'":
      return YAMLError(at: start, "expected a key of one line, with a colon")
    case "did not find expected ',' or ']'", "did not find expected ',' or '}'":
      guard next != nil else { return YAMLError(at: start, "the bracket has no closing one") }
      let expected = problem.dropFirst("did not find ".count)
      return YAMLError(at: place, "\(expected), for the bracket in line \(start.line)")
    case "found unexpected end of stream":
      return YAMLError(at: start, "the text has no closing quote")
    case "found unexpected document indicator":
      return YAMLError(at: place, "the text has no closing quote before this line")
    case "found unknown escape character":
      return YAMLError(
        at: place, #"unknown escape sequence; for a backslash write \\, or use single quotes"#)
    case "did not find expected hexdecimal number":
      return YAMLError(at: place, "expected a hexadecimal digit of an escape sequence")
    case "did not find expected alphabetic or numeric character":
      return YAMLError(
        at: start, "a name after '&' or '*' has letters, digits, '-' and '_', then a blank")
    case "did not find expected <document start>":
      return YAMLError(at: place, "expected '---' before a document")
    default: return YAMLError(at: place, problem)
    }
  }

  /// The character at an index; nil at the end of the file.
  private func character(at index: Int) -> Unicode.Scalar? {
    String(decoding: file, as: UTF8.self).unicodeScalars.dropFirst(index).first
  }

  private func place(of offset: Int) -> YAMLPlace {
    // YAML 1.1 has more ends of lines than LF; all are newlines of Unicode.
    let lines = String(decoding: file[..<offset], as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return YAMLPlace(line: lines.count, column: (lines.last?.unicodeScalars.count ?? 0) + 1)
  }
}

extension YAMLPlace {
  fileprivate init(_ mark: yaml_mark_t) { self.init(line: mark.line + 1, column: mark.column + 1) }
}
