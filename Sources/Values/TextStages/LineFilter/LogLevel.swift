/// The severity of a log message.
///
/// The first mark in a line determines the level; Rust's log and many others write a word in
/// capitals for it:
///
/// | | error | warn | info | debug |
/// |---|---|---|---|---|
/// | ESP-IDF, at the start | `E (123)` | `W (123)` | `I (123)` | `D (123)`, `V (123)` |
/// | kernel, syslog, at the start: `<N>` to `<191>`, N modulo 8 | 0 to 3 | 4 | 5, 6 | 7 |
/// | Zephyr, anywhere | `<err>` | `<wrn>` | `<inf>` | `<dbg>` |
/// | a word in capitals, anywhere | `ERROR`, `FATAL`, … | `WARN`, … | `INFO`, … | `DEBUG`, … |
public enum LogLevel: Int, CaseIterable, Comparable, Hashable, Sendable {
  case debug, info, warning, error

  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

  /// The name that a user writes.
  public var name: String {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .warning: "warn"
    case .error: "error"
    }
  }

  /// Parses a name; nil for another text.
  public init?(parsing name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  /// The names, as an error lists them.
  public static let expected = "error, warn, info or debug"
}

// MARK: The marks

extension LogLevel {
  /// What marks a line as one of a level. The detection and the highlights use the same marks.
  struct Marks {
    /// The letters of ESP-IDF, before the time in parentheses.
    let letters: String
    /// The severities of the kernel and of syslog: the lowest three bits of the number in angle
    /// brackets. The others are the facility, from 0 for the kernel to 23.
    let severities: ClosedRange<Int>
    /// Zephyr's tag, in angle brackets.
    let tag: String
    /// The words, in capitals. None is longer than eight characters.
    let words: [String]
  }

  var marks: Marks {
    switch self {
    case .debug:
      Marks(letters: "DV", severities: 7...7, tag: "dbg", words: ["DEBUG", "TRACE", "VERBOSE"])
    case .info: Marks(letters: "I", severities: 5...6, tag: "inf", words: ["INFO", "NOTICE"])
    case .warning: Marks(letters: "W", severities: 4...4, tag: "wrn", words: ["WARN", "WARNING"])
    case .error:
      Marks(
        letters: "E", severities: 0...3, tag: "err",
        words: ["ERROR", "FATAL", "CRITICAL", "PANIC", "ASSERT"])
    }
  }

  /// The regular expression for what a highlight colours: the whole line if it begins with a mark,
  /// the rest of the line from Zephyr's tag on, or only a word.
  var regex: String {
    let words = marks.words.joined(separator: "|")
    return #"^[\#(marks.letters)] \([0-9:.]+\).*|^<(?:\#(priorities))>.*"#
      + #"|<\#(marks.tag)>.*|\b(?:\#(words))\b"#
  }

  /// The largest number in angle brackets: facility 23, severity 7 (RFC 3164, RFC 5424).
  private static let largestPriority = 191

  /// The numbers in angle brackets, as alternatives of a regular expression: `[0-3]|[89]|1[01]|…`.
  private var priorities: String {
    (0...Self.largestPriority / 10).compactMap { tens in
      let digits = (0...9).filter { digit in
        let priority = 10 * tens + digit
        return priority <= Self.largestPriority && marks.severities.contains(priority & 7)
      }
      let start = tens == 0 ? "" : "\(tens)"
      return digits.isEmpty ? nil : "\(start)[\(digits.map { "\($0)" }.joined())]"
    }.joined(separator: "|")
  }

  /// A mark of up to eight characters, as a number.
  private static func key(_ mark: some Sequence<UInt8>) -> UInt64 {
    mark.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private typealias Key = (mark: UInt64, level: LogLevel)

  private static func keys(_ marks: (Marks) -> [String]) -> [Key] {
    allCases.flatMap { level in marks(level.marks).map { (key($0.utf8), level) } }
  }

  private static let letterKeys = keys { $0.letters.map { String($0) } }
  private static let tagKeys = keys { [$0.tag] }
  private static let wordKeys = keys(\.words)

  private static func level(_ mark: UInt64, in keys: [Key]) -> LogLevel? {
    keys.first { $0.mark == mark }?.level
  }
}

// MARK: Detection

extension LogLevel {
  /// Finds the level of a line.
  ///
  /// - Parameters:
  ///   - line: the text of the line, without escape sequences and line end.
  ///   - isWhole: whether the line has ended. If it has not, a word at its end may continue, and is
  ///     no mark yet. A level that is found does not change when the line continues.
  /// - Returns: nil if the line has no mark.
  public static func find(
    in line: UnsafeRawBufferPointer, isWhole: Bool = true
  ) -> LogLevel? {
    if let level = levelAtStart(of: line) { return level }
    // The length of the present word.
    var length = 0
    var word: UInt64 = 0
    for index in line.indices {
      let byte = line[index]
      if isWordByte(byte) {
        length += 1
        word = word << 8 | UInt64(byte)
        continue
      }
      if (4...8).contains(length), let level = level(word, in: wordKeys) { return level }
      (length, word) = (0, 0)
      if byte == UInt8(ascii: "<"), let level = tag(in: line, at: index) { return level }
    }
    return isWhole && (4...8).contains(length) ? level(word, in: wordKeys) : nil
  }

  /// The level by ESP-IDF's letter or by a priority.
  private static func levelAtStart(of line: UnsafeRawBufferPointer) -> LogLevel? {
    guard line.count >= 3 else { return nil }
    if line[0] == UInt8(ascii: "<") {
      guard let priority = priority(in: line) else { return nil }
      return allCases.first { $0.marks.severities.contains(priority & 7) }
    }
    guard line[1] == UInt8(ascii: " "), line[2] == UInt8(ascii: "("),
      let level = level(UInt64(line[0]), in: letterKeys),
      let end = line[3...].firstIndex(where: { !isTimeByte($0) })
    else { return nil }
    return end > 3 && line[end] == UInt8(ascii: ")") ? level : nil
  }

  /// The number in angle brackets at the start, without leading zeros.
  private static func priority(in line: UnsafeRawBufferPointer) -> Int? {
    let digits = line[1...].prefix(4).prefix { $0 != UInt8(ascii: ">") }
    guard (1...3).contains(digits.count), line.count > digits.count + 1,
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      digits.count == 1 || digits.first != UInt8(ascii: "0")
    else { return nil }
    let number = digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
    return number <= largestPriority ? number : nil
  }

  /// The level by Zephyr's tag at a position.
  private static func tag(in line: UnsafeRawBufferPointer, at start: Int) -> LogLevel? {
    guard line.count - start >= 5, line[start + 4] == UInt8(ascii: ">") else { return nil }
    return level(key(line[(start + 1)..<(start + 4)]), in: tagKeys)
  }

  private static func isTimeByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: ":")).contains(byte) || byte == UInt8(ascii: ".")
  }

  /// Whether it is a word character of the regular expressions: an ASCII letter, a digit or `_`.
  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
