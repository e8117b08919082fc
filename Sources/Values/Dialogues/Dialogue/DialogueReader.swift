import Patterns
import TransferProtocols

/// Parses a script: one step on each line, blocks in braces.
struct DialogueReader {
  /// The maximum depth of nested blocks.
  private static let deepestBlock = 32

  private var lines: [(number: Int, tokens: [Token])]
  private var position = 0
  /// The first line that expects a frame; nil if none does.
  private var frameLine: Int?
  /// The maximum number of groups in an expression so far.
  private var groupCount: Int?

  /// Parses a script.
  static func read(_ script: [UInt8]) throws(DialogueError) -> Dialogue {
    guard script.count <= Dialogue.largestScript else {
      throw DialogueError(line: 1, what: "larger than \(Dialogue.largestScript / 1_048_576) MiB")
    }
    var reader = DialogueReader(lines: [])
    let lines = script.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw DialogueError(line: index + 1, what: "not UTF-8")
      }
      let tokens = try LineLexer.tokens(of: text[...], line: index + 1)
      if !tokens.isEmpty { reader.lines.append((index + 1, tokens)) }
    }
    let steps = try reader.block(depth: 0, openedIn: nil)
    return Dialogue(steps: steps, frameLine: reader.frameLine)
  }

  // MARK: Blocks

  /// Parses the steps up to the brace that closes their block, or to the end.
  private mutating func block(depth: Int, openedIn start: Int?) throws(DialogueError) -> [Step] {
    var closing: TokenLine?
    let steps = try block(depth: depth, openedIn: start, closedBy: &closing)
    try closing?.endOfBlock()
    return steps
  }

  /// Parses the steps up to the brace that closes their block, or to the end.
  ///
  /// - Parameter closing: becomes the rest of the line with the closing brace.
  private mutating func block(
    depth: Int, openedIn start: Int?, closedBy closing: inout TokenLine?
  ) throws(DialogueError) -> [Step] {
    var steps: [Step] = []
    while position < lines.count {
      var line = TokenLine(lines[position])
      position += 1
      if line.consumeClosing() {
        guard start != nil else { throw line.error("'}' without '{'") }
        closing = line
        return steps
      }
      steps.append(try step(&line, depth: depth))
    }
    if let start { throw DialogueError(line: start, what: "'{' is not closed") }
    return steps
  }

  private mutating func opened(_ line: inout TokenLine, depth: Int) throws(DialogueError) -> [Step]
  {
    try open(&line, depth: depth)
    return try block(depth: depth + 1, openedIn: line.number)
  }

  private func open(_ line: inout TokenLine, depth: Int) throws(DialogueError) {
    try line.opening()
    guard depth < Self.deepestBlock else { throw line.error("too many nested blocks") }
  }

  /// Parses the blocks of `try {` and, if present, `} else {`.
  private mutating func attempt(
    _ line: inout TokenLine, depth: Int
  ) throws(DialogueError) -> Step.Action {
    try open(&line, depth: depth)
    var closing: TokenLine?
    let steps = try block(depth: depth + 1, openedIn: line.number, closedBy: &closing)
    guard !steps.isEmpty else { throw line.error("there is nothing to try") }
    guard var closing, closing.consumeWord("else") else {
      try closing?.end()
      return .try(steps, otherwise: [])
    }
    return .try(steps, otherwise: try opened(&closing, depth: depth))
  }

  /// Parses the cases of expect-one-of: one expression on each line, with or without a block.
  private mutating func cases(
    openedIn start: Int, depth: Int
  ) throws(DialogueError) -> [Step.Case] {
    var cases: [Step.Case] = []
    while position < lines.count {
      var line = TokenLine(lines[position])
      position += 1
      if line.consumeClosing() {
        try line.endOfBlock()
        guard !cases.isEmpty else {
          throw DialogueError(line: start, what: "expect-one-of has no expression")
        }
        return cases
      }
      let expression = try expression(&line)
      let steps = line.isAtEnd ? [] : try opened(&line, depth: depth)
      cases.append(Step.Case(expression: expression, steps: steps))
    }
    throw DialogueError(line: start, what: "'{' is not closed")
  }

  // MARK: Steps

  private mutating func step(_ line: inout TokenLine, depth: Int) throws(DialogueError) -> Step {
    let number = line.number
    let action = try action(&line, depth: depth)
    return Step(line: number, action: action)
  }

  private mutating func action(
    _ line: inout TokenLine, depth: Int
  ) throws(DialogueError) -> Step.Action {
    let action: Step.Action
    switch try line.word("a step, such as send or expect") {
    case "send":
      let isFile = line.consumeWord("file")
      let content = try text(&line)
      action =
        isFile
        ? .transfer(.send, content, try line.transferProtocol(among: TransferProtocol.allCases))
        : .send(content)
    case "receive":
      let direction: FileStep.Direction = line.consumeWord("file") ? .receiveFile : .receiveInto
      if direction == .receiveInto, !line.consumeWord("into") { throw line.expectedReception }
      let path = try text(&line)
      let kind = try line.transferProtocol(among: TransferProtocol.receiving)
      guard kind.sendsNames == (direction == .receiveInto) else { throw line.expectedReception }
      action = .transfer(direction, path, kind)
    case "print": action = .print(try text(&line))
    case "fail": action = .fail(try text(&line))
    case "expect":
      let found = Step.Case(expression: try expressionOrFrame(&line), steps: [])
      action = .expect([found], within: try line.limit())
    case "expect-one-of":
      let limit = try line.limit()
      try open(&line, depth: depth)
      return .expect(try cases(openedIn: line.number, depth: depth + 1), within: limit)
    case "wait": action = .wait(try line.duration())
    case "break": action = .sendBreak(try line.duration())
    case "pulse": action = .pulse(try line.outputLine(), try line.duration())
    case "set": action = try line.setting()
    case "repeat":
      let count = try line.count()
      let rounds = try rounds(&line, count: count)
      let steps = try opened(&line, depth: depth)
      guard !steps.isEmpty else { throw line.error("there is nothing to repeat") }
      return rounds.map { .rounds($0, steps) } ?? .repeat(count, steps)
    case "try": return try attempt(&line, depth: depth)
    case "else":
      throw line.error("'else' without 'try': write '} else {' where the block of try ends")
    case let word:
      throw line.error(
        "'\(word)' is not a step: expected send, receive, expect, expect-one-of, wait, set, break, "
          + "pulse, repeat, try, print or fail")
    }
    try line.end()
    return action
  }

  /// Parses `every 1s until /OK/` of a repetition; nil if it has neither.
  private mutating func rounds(
    _ line: inout TokenLine, count: Int
  ) throws(DialogueError) -> Rounds? {
    let interval = line.consumeWord("every") ? try line.interval() : nil
    let expression = line.consumeWord("until") ? try expressionOrFrame(&line) : nil
    if interval == nil, expression == nil { return nil }
    return Rounds(count: count, interval: interval, expression: expression)
  }

  /// Parses `/REGEX/`, `frame` or `frame /REGEX/`.
  private mutating func expressionOrFrame(
    _ line: inout TokenLine
  ) throws(DialogueError) -> ExpectedPattern {
    let isFrame = line.consumeWord("frame")
    if isFrame { frameLine = frameLine ?? line.number }
    return isFrame && !line.hasExpression ? anyFrame() : try expression(&line)
  }

  private mutating func expression(_ line: inout TokenLine) throws(DialogueError) -> ExpectedPattern
  {
    let expression = try line.expression()
    groupCount = max(groupCount ?? 0, expression.groupCount)
    return expression
  }

  /// The expression that matches the line of any frame.
  private mutating func anyFrame() -> ExpectedPattern {
    groupCount = max(groupCount ?? 0, 1)
    return .anyLine(named: "frame")
  }

  private func text(_ line: inout TokenLine) throws(DialogueError) -> Text {
    let text = try line.text()
    guard let group = text.largestGroup, group > groupCount ?? -1 else { return text }
    throw line.error("$\(group): no expression above has this group; write \\$ for a dollar sign")
  }
}

extension Dialogue {
  /// Parses a complete script, before anything is sent.
  ///
  /// - Throws: ``DialogueError`` for the first mistake.
  public init(parsing script: [UInt8]) throws(DialogueError) {
    self = try DialogueReader.read(script)
  }
}
