/// An expression as a tree.
indirect enum PatternNode {
  case empty
  case set(ScalarSet)
  case assertion(PatternAssertion)
  case sequence([PatternNode])
  case choice([PatternNode])
  /// A capturing group, counted from 1.
  case group(Int, PatternNode)
  /// A repetition with a minimum and a maximum number (nil for no limit), greedy or lazy.
  case repeated(PatternNode, Int, Int?, isGreedy: Bool)
}

/// A condition at a position. It consumes no code point.
enum PatternAssertion: Hashable, Sendable {
  case lineStart, lineEnd, wordBoundary, noWordBoundary
}

/// Parses an expression.
struct PatternParser {
  private let text: String
  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var depth = 0
  private var foldsCase = false
  private var dot = ScalarSet.withinLine
  /// The names of the capturing groups so far; nil for a group without a name.
  private(set) var groupNames: [String?] = []

  private static let maximalDepth = 40
  private static let maximalCount = 500
  private static let maximalGroups = 32
  private static let maximalRanges = 100

  init(_ text: String) {
    self.text = text
    scalars = Array(text.unicodeScalars)
  }

  mutating func parse() throws(PatternError) -> PatternNode {
    readFlags()
    let node = try choice()
    // Only a parenthesis can end an alternation here.
    if index < scalars.count { throw error("unmatched ')'; write \\) for the character") }
    return node
  }

  /// Parses `(?i)`, `(?s)` or `(?is)` at the start.
  private mutating func readFlags() {
    guard ["(?i)", "(?s)", "(?is)", "(?si)"].contains(where: { consume($0) }) else { return }
    foldsCase = scalars[..<index].contains("i")
    if scalars[..<index].contains("s") { dot = .all }
  }

  private mutating func choice() throws(PatternError) -> PatternNode {
    var branches = [try sequence()]
    while consume("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .choice(branches)
  }

  private mutating func sequence() throws(PatternError) -> PatternNode {
    var nodes: [PatternNode] = []
    while let next, next != "|", next != ")" { nodes.append(try repeated()) }
    return nodes.count == 1 ? nodes[0] : nodes.isEmpty ? .empty : .sequence(nodes)
  }

  private mutating func repeated() throws(PatternError) -> PatternNode {
    var node = try atom()
    var isRepeated = false
    while let (least, most) = try quantifier() {
      if isRepeated { throw error("a repetition cannot be repeated", back: 1) }
      isRepeated = true
      node = .repeated(node, least, most, isGreedy: !consume("?"))
    }
    return node
  }

  private mutating func quantifier() throws(PatternError) -> (Int, Int?)? {
    if consume("*") { return (0, nil) }
    if consume("+") { return (1, nil) }
    if consume("?") { return (0, 1) }
    guard next == "{" else { return nil }
    let begin = index
    index += 1
    if let least = number() {
      if consume("}") { return try checked(least, least, at: begin) }
      if consume(",") {
        if consume("}") { return try checked(least, nil, at: begin) }
        if let most = number(), consume("}") { return try checked(least, most, at: begin) }
      }
    }
    index = begin
    throw error("expected {m}, {m,} or {m,n}; write \\{ for the character")
  }

  private mutating func checked(
    _ least: Int, _ most: Int?, at begin: Int
  ) throws(PatternError) -> (Int, Int?) {
    if max(least, most ?? 0) > Self.maximalCount {
      throw error("repeated more than \(Self.maximalCount) times", at: begin)
    }
    if let most, most < least {
      throw error("the first number is larger than the second", at: begin)
    }
    return (least, most)
  }

  /// Parses a number of up to four digits.
  private mutating func number() -> Int? {
    let digits = scalars[index...].prefix(4).prefix { ("0"..."9").contains($0) }
    index += digits.count
    return digits.isEmpty ? nil : digits.reduce(0) { $0 * 10 + Int($1.value) - 0x30 }
  }

  private mutating func atom() throws(PatternError) -> PatternNode {
    let scalar = scalars[index]
    switch scalar {
    case "(": return try group()
    case "[": return .set(try scalarClass())
    case ".": return single(dot)
    case "^": return assertion(.lineStart)
    case "$": return assertion(.lineEnd)
    case "\\": return try escape()
    case "*", "+", "?", "{":
      throw error("nothing to repeat; write \\\(scalar) for the character")
    default: return single(ScalarSet(scalar.value...scalar.value))
    }
  }

  private mutating func single(_ set: ScalarSet) -> PatternNode {
    index += 1
    return .set(foldsCase ? set.foldingCase : set)
  }

  private mutating func assertion(_ assertion: PatternAssertion) -> PatternNode {
    index += 1
    return .assertion(assertion)
  }

  private mutating func group() throws(PatternError) -> PatternNode {
    let begin = index
    index += 1
    let name = try groupName()
    let captures = name != nil || next != "?"
    if !captures, !consume("?:") {
      throw error(
        "not supported: of the groups that start with (?, only (?:, (?<NAME> and a leading (?i), (?s) "
          + "or (?is) are")
    }
    depth += 1
    if depth > Self.maximalDepth {
      throw error("more than \(Self.maximalDepth) nested groups; simplify it")
    }
    if captures { groupNames.append(name) }
    let number = groupNames.count
    if number > Self.maximalGroups {
      throw error(
        "more than \(Self.maximalGroups) groups; write (?: for those not needed", at: begin)
    }
    let node = try choice()
    depth -= 1
    guard consume(")") else { throw error("unmatched '('; write \\( for the character", at: begin) }
    return captures ? .group(number, node) : node
  }

  /// Parses `?<NAME>` or `?P<NAME>`. Returns nil, and consumes nothing, if there is something else.
  private mutating func groupName() throws(PatternError) -> String? {
    let begin = index
    guard consume("?<") || consume("?P<"), next != "=", next != "!" else {
      // `(?<=` and `(?<!` are lookbehind.
      index = begin
      return nil
    }
    let start = index
    while let next, Self.isName(next, atStart: index == start) { index += 1 }
    let name = String(String.UnicodeScalarView(scalars[start..<index]))
    guard !name.isEmpty, consume(">") else {
      throw error("expected a name of ASCII letters, digits and _, and '>' after it")
    }
    guard !groupNames.contains(name) else {
      throw error("another group has the name '\(name)' too", at: start)
    }
    return name
  }

  private static func isName(_ scalar: Unicode.Scalar, atStart: Bool) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "_": true
    case "0"..."9": !atStart
    default: false
    }
  }

  // MARK: Characters

  private mutating func escape() throws(PatternError) -> PatternNode {
    if consume("\\b") { return .assertion(.wordBoundary) }
    if consume("\\B") { return .assertion(.noWordBoundary) }
    let set = try escapedSet().set
    return .set(foldsCase ? set.foldingCase : set)
  }

  /// Parses an escape sequence. Returns the set that it stands for, and the character if it stands
  /// for a single one.
  private mutating func escapedSet() throws(PatternError) -> (set: ScalarSet, scalar: UInt32?) {
    index += 1
    guard let scalar = next else { throw error("nothing follows the '\\'", back: 1) }
    index += 1
    switch scalar {
    case "d": return (.digits, nil)
    case "D": return (ScalarSet.digits.inverted, nil)
    case "w": return (.word, nil)
    case "W": return (ScalarSet.word.inverted, nil)
    case "s": return (.space, nil)
    case "S": return (ScalarSet.space.inverted, nil)
    case "t": return one(0x09)
    case "n": return one(0x0A)
    case "r": return one(0x0D)
    case "f": return one(0x0C)
    case "e": return one(0x1B)
    case "0": return one(0x00)
    case "x":
      guard let value = hexadecimal() else {
        throw error("\\x needs two hexadecimal digits", back: 2)
      }
      return one(value)
    case "1"..."9": throw error("back-references are not supported", back: 2)
    case "a"..."z", "A"..."Z": throw error("'\\\(scalar)' has no meaning", back: 2)
    default: return one(scalar.value)
    }
  }

  private func one(_ scalar: UInt32) -> (set: ScalarSet, scalar: UInt32?) {
    (ScalarSet(scalar...scalar), scalar)
  }

  private mutating func hexadecimal() -> UInt32? {
    let digits = scalars[index...].prefix(2).compactMap { Character($0).hexDigitValue }
    guard digits.count == 2 else { return nil }
    index += 2
    return UInt32(digits[0] * 16 + digits[1])
  }

  private mutating func scalarClass() throws(PatternError) -> ScalarSet {
    let begin = index
    index += 1
    let isInverted = consume("^")
    var set = ScalarSet()
    var isFirst = true
    while let scalar = next {
      // As in other dialects, a ']' in the first position stands for itself.
      if scalar == "]", !isFirst { break }
      if scalar == "[" { throw error("write \\[ for a '[' in a class") }
      isFirst = false
      if set.rangeCount > Self.maximalRanges {
        throw error("more than \(Self.maximalRanges) characters beyond ASCII; use a range")
      }
      let low = try classItem()
      guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else {
        set.insert(low.set)
        continue
      }
      index += 1
      let high = try classItem()
      guard let low = low.scalar, let high = high.scalar, low <= high else {
        throw error("not a range of characters", back: 1)
      }
      set.insert(low...high)
    }
    guard consume("]") else { throw error("unmatched '['; write \\[ for the character", at: begin) }
    if foldsCase { set = set.foldingCase }
    return isInverted ? set.inverted : set
  }

  /// Parses a character of a class, or an escaped class inside of it.
  private mutating func classItem() throws(PatternError) -> (set: ScalarSet, scalar: UInt32?) {
    if next == "\\" { return try escapedSet() }
    index += 1
    return one(scalars[index - 1].value)
  }

  // MARK: The text

  private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  private mutating func consume(_ word: String) -> Bool {
    let word = word.unicodeScalars
    guard scalars[index...].starts(with: word) else { return false }
    index += word.count
    return true
  }

  private func error(_ reason: String, back: Int = 0) -> PatternError {
    error(reason, at: index - back)
  }

  private func error(_ reason: String, at place: Int) -> PatternError {
    PatternError(text: text, place: place + 1, reason: reason)
  }
}
