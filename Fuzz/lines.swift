import Patterns
import Time

/// Hidden and equal lines, against a model that judges whole lines.
///
/// The first byte determines the size of the pieces, the second the rules. A terminal that only
/// prints must get exactly the lines of the model. A terminal that draws must show the same lines,
/// however the stream is cut. With changing rules, memory is bounded, and no byte of the device
/// appears twice.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLines(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = FuzzInput(bytes, count)
  guard let choice = input.stream.first else { return 0 }
  let stream = Array(input.stream.dropFirst())
  let length = Int(bytes?.pointee ?? 0) % 9 + 1
  let number = Int(choice) % choices.count
  let plain = filtered(stream)

  // Whole lines only: the end of the stream is another case.
  let model = Model(plain + [0x0A], choices[number])
  for length in [length, plain.count + 1] {
    var stage = filter(number, draws: false)
    let output = feed(plain + [0x0A], to: &stage, by: length)
    precondition(withoutStyles(output) == model.text, "other lines than those of the model")
    precondition(stage.hiddenCount == model.hiddenCount, "a wrong number of hidden lines")
    var changing = filter(number, draws: false)
    _ = feed(plain, to: &changing, by: length) {
      if $1 % 4 == 3 { $0.rules = choices[$1 / 4 % choices.count] }
    }
  }

  for number in [number, number + choices.count] {
    var (whole, cut) = (filter(number, draws: true), filter(number, draws: true))
    let one = Paper(feed(plain, to: &whole, by: plain.count + 1))
    let other = Paper(feed(plain, to: &cut, by: length))
    if !hasOverwriting(plain) {
      precondition(whole.hiddenCount == cut.hiddenCount, "what is hidden depends on the pieces")
      // The beginning of a hidden line can have been shown: it ends the equal lines before.
      if !whole.rules.collapses || !whole.rules.hidesLines {
        precondition(one.text == other.text, "the screen depends on how the stream is cut")
      }
    }
    var changing = filter(number, draws: true)
    let shown = feed(plain, to: &changing, by: length) { stage, number in
      if number % 4 == 2 { stage.rules = (choices + collapsing)[number / 4 % (2 * choices.count)] }
      if number % 5 == 0 { stage.cursorDidMove(toMargin: number % 2 == 0) }
    }
    let limit = plain.count + 64 * (plain.count / length + 2)
    precondition(shown.count <= 4 * limit, "more output than input")
  }
  return 0
}

private let choices: [LineRules] = [
  LineRules(), LineRules(shown: [pattern("ab")]), LineRules(hidden: [pattern("ab")]),
  LineRules(level: .warning), LineRules(shown: [pattern("a")], hidden: [pattern("b")]),
  LineRules(hidden: [pattern("^$")], level: .error),
]

private func pattern(_ text: String) -> Pattern {
  do { return try Pattern(parsing: text) } catch { fatalError("\(error)") }
}

/// The filters for all choices are made once, because making matchers takes longer than a case. The
/// fuzzer has one thread.
nonisolated(unsafe) private let filters: [[LineFilter]] = [false, true].map { draws in
  (choices + collapsing).map { rules in
    LineFilter(rules, draws: draws, size: { (10_000, 1_000) })
  }
}

private let collapsing = choices.map { rules in
  LineRules(hidden: rules.hidden, level: rules.level, collapses: true)
}

private func filter(_ number: Int, draws: Bool) -> LineFilter { filters[draws ? 1 : 0][number] }

/// The stream after the filter of escape sequences.
private func filtered(_ stream: [UInt8]) -> [UInt8] {
  var (stage, output) = (EscapeFilter(), [UInt8]())
  let result = stream.withUnsafeBytes { stage.transform($0, at: start, into: &output) }
  if result == .unchanged { output = stream }
  stage.flush(into: &output)
  return output
}

private let start = Moment(wallClock: 0, monotonic: 0)

/// Feeds characters and sequences in pieces: a piece of the filter of escape sequences ends with
/// none of them.
private func feed(
  _ bytes: [UInt8], to stage: inout LineFilter, by length: Int,
  _ change: (inout LineFilter, Int) -> Void = { _, _ in }
) -> [UInt8] {
  var output: [UInt8] = []
  var index = 0
  var number = 0
  while index < bytes.count {
    var end = index
    for _ in 0..<length where end < bytes.count { end = endOfItem(bytes, end) }
    bytes.withUnsafeBytes { all in
      let piece = UnsafeRawBufferPointer(rebasing: all[index..<end])
      let before = output.count
      if stage.transform(piece, at: start, into: &output) == .unchanged {
        precondition(output.count == before, "unchanged, and yet something was put out")
        output += piece
      }
    }
    precondition(stage.waiting <= 2 * bytes.count + 1_024, "too much is kept")
    change(&stage, number)
    (index, number) = (end, number + 1)
  }
  stage.flush(into: &output)
  return output
}

/// The part of a text that begins with a sequence.
private func kindAndCount(
  ofSequenceAt start: Int, in bytes: [UInt8]
) -> (kind: ScreenPart.Kind, count: Int) {
  bytes[start...].withUnsafeBytes { bytes in
    var parts = ScreenParts(bytes)
    let part = parts.next()
    return (part?.kind ?? .motion, part?.bytes.count ?? 1)
  }
}

private func endOfItem(_ bytes: [UInt8], _ start: Int) -> Int {
  if bytes[start] == 0x1B { return start + kindAndCount(ofSequenceAt: start, in: bytes).count }
  var end = start + 1
  while end < bytes.count, bytes[start] >= 0xC0, (0x80..<0xC0).contains(bytes[end]) { end += 1 }
  return end
}

/// The bytes without styles and modes, which may be written elsewhere.
private func withoutStyles(_ bytes: [UInt8]) -> [UInt8] {
  var result: [UInt8] = []
  var index = 0
  while index < bytes.count {
    let end = endOfItem(bytes, index)
    let isSequence = bytes[index] == 0x1B
    if !isSequence || ![.style, .mode].contains(kindAndCount(ofSequenceAt: index, in: bytes).kind) {
      result += bytes[index..<end]
    }
    index = end
  }
  return result
}

/// Whether the cursor moves within a line, so that what is erased depends on what was drawn.
private func hasOverwriting(_ bytes: [UInt8]) -> Bool {
  for (index, byte) in bytes.enumerated() {
    switch byte {
    // Without CR before LF, the column is unknown.
    case 0x0A: if index == 0 || bytes[index - 1] != 0x0D { return true }
    case 0x0D:
      if index + 1 == bytes.count || ![0x0A, 0x0D].contains(bytes[index + 1]) { return true }
    case 0x08, 0x09, 0x07: return true
    case 0x1B: if bytes[endOfItem(bytes, index) - 1] != UInt8(ascii: "m") { return true }
    default: break
    }
  }
  // A coloured background prevents erasing.
  return withoutStyles(bytes).count != bytes.count
}

/// Judges whole lines, without sharing code with the stage.
private struct Model {
  var text: [UInt8] = []
  var hiddenCount = 0

  init(_ bytes: [UInt8], _ rules: LineRules) {
    var (index, wasShown, isAtMargin) = (0, true, true)
    while index < bytes.count {
      // A CR in an empty line belongs to the line end before.
      let end = bytes[index...].firstIndex { $0 != 0x0D } ?? bytes.count
      let isEmpty = end == bytes.count || bytes[end] == 0x0A
      if wasShown {
        text += bytes[index..<end]
      } else if end > index {
        if !isAtMargin { text.append(0x0D) }
        if isEmpty, Self.shows([], rules) { text.append(0x0D) }
      }
      if end > index { isAtMargin = true }
      index = end
      if index == bytes.count { break }
      let begin = index
      while index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
      let line = Array(bytes[begin..<index])
      while index < bytes.count, bytes[index] == 0x0D { index += 1 }
      if index < bytes.count, bytes[index] == 0x0A { index += 1 }
      wasShown = Self.shows(line, rules)
      let isReturned = bytes[begin..<index].contains(0x0D)
      if wasShown {
        text += withoutStyles(Array(bytes[begin..<index]))
        if !line.isEmpty { isAtMargin = false }
      } else {
        hiddenCount += 1
        if isReturned, !isAtMargin { text.append(0x0D) }
      }
      if isReturned { isAtMargin = true }
    }
  }

  private static func shows(_ line: [UInt8], _ rules: LineRules) -> Bool {
    if rules.isEmpty { return true }
    var index = 0
    while index < line.count {
      let end = endOfItem(line, index)
      if line[index] == 0x1B {
        if kindAndCount(ofSequenceAt: index, in: line).kind == .motion { return true }
      }
      index = end
    }
    var text = LineText()
    let plain = line.withUnsafeBytes { text.with($0) { String(decoding: $0, as: UTF8.self) } }
    func has(_ pattern: Pattern) -> Bool {
      switch pattern.text {
      case "^$": plain.isEmpty
      default: Array(plain.utf8).contains(part: Array(pattern.text.utf8))
      }
    }
    if rules.hidden.contains(where: has) { return false }
    if let limit = rules.level, let level = level(of: plain), level < limit { return false }
    return rules.shown.isEmpty || rules.shown.contains(where: has)
  }

  /// The level by the regular expressions of the highlights: that of the match that begins first.
  private static func level(of line: String) -> LogLevel? {
    let scalars = line.unicodeScalars.map(\.value)
    var first: (start: Int, level: LogLevel)?
    for (level, highlight) in zip(LogLevel.allCases, Highlight.levels) {
      var budget = Int.max
      guard let match = highlight.pattern.matches(in: scalars, budget: &budget).first else {
        continue
      }
      if first.map({ match.lowerBound < $0.start }) ?? true { first = (match.lowerBound, level) }
    }
    return first?.level
  }
}

extension [UInt8] {
  fileprivate func contains(part: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: part) }
  }
}

/// The lines on an endless screen.
private struct Paper {
  /// The lines. Empty ones at the end do not count: the line end of a line that others may equal is
  /// held back until text follows, even if that text is then hidden.
  var text: ArraySlice<[UInt8]> { lines[...(lines.lastIndex { !$0.isEmpty } ?? 0)] }
  private var lines: [[UInt8]] = [[]]
  private var column = 0

  init(_ bytes: [UInt8]) {
    var index = 0
    while index < bytes.count {
      let end = endOfItem(bytes, index)
      switch bytes[index] {
      case 0x0A: lines.append([])
      case 0x0D: column = 0
      case 0x08: column = max(0, column - 1)
      case 0x1B:
        if bytes[index..<end].elementsEqual("\u{1B}[2K".utf8) { lines[lines.count - 1] = [] }
      default:
        // One byte stands for a character.
        var line = lines[lines.count - 1]
        while line.count <= column { line.append(0x20) }
        line[column] = bytes[index]
        lines[lines.count - 1] = line
        column += 1
      }
      index = end
    }
  }
}
