import Patterns
import TextTools
import TransferProtocols

/// The tokens of a line of a script, taken one by one.
struct TokenLine {
  let number: Int
  private var rest: ArraySlice<Token>

  init(_ line: (number: Int, tokens: [Token])) {
    number = line.number
    rest = line.tokens[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  func error(_ what: String) -> DialogueError { DialogueError(line: number, what: what) }

  private func expected(_ what: String) -> DialogueError {
    error("expected \(what), not \(rest.first?.shown ?? "the end of the line")")
  }

  func end() throws(DialogueError) {
    guard rest.isEmpty else { throw expected("the end of the line") }
  }

  /// Checks that nothing follows the closing brace of a block that is not the block of `try`.
  func endOfBlock() throws(DialogueError) {
    if case .word("else") = rest.first {
      throw error("'else' without 'try': this brace does not close the block of try")
    }
    try end()
  }

  mutating func consumeClosing() -> Bool {
    guard case .closing = rest.first else { return false }
    rest.removeFirst()
    return true
  }

  /// Reads an opening brace, which must end the line.
  mutating func opening() throws(DialogueError) {
    guard case .opening = rest.first else { throw expected("'{'") }
    rest.removeFirst()
    try end()
  }

  mutating func word(_ what: String) throws(DialogueError) -> String {
    guard case .word(let word) = rest.first else { throw expected(what) }
    rest.removeFirst()
    return word
  }

  /// Consumes a word, if it comes next.
  mutating func consumeWord(_ expected: String) -> Bool {
    guard case .word(expected) = rest.first else { return false }
    rest.removeFirst()
    return true
  }

  /// Reads `by ymodem`.
  mutating func transferProtocol(
    among protocols: [TransferProtocol]
  ) throws(DialogueError) -> TransferProtocol {
    guard consumeWord("by") else { throw expected("'by' and a protocol, such as ymodem") }
    let name = try word("a protocol, such as ymodem")
    guard let found = protocols.first(where: { $0.rawValue == name }) else {
      let names = protocols.map(\.rawValue).joined(separator: ", ")
      throw error("'\(name)' is not a protocol: expected one of \(names)")
    }
    return found
  }

  /// The error that describes the form of a step that receives.
  var expectedReception: DialogueError {
    let named = TransferProtocol.receiving.filter(\.sendsNames).alternatives
    let unnamed = TransferProtocol.receiving.filter { !$0.sendsNames }.alternatives
    return error(
      "expected receive into \"FOLDER\" by \(named); or receive file \"FILE\" by \(unnamed)")
  }

  mutating func text() throws(DialogueError) -> Text {
    guard case .text(let text) = rest.first else { throw expected("a text between quotes") }
    rest.removeFirst()
    return text
  }

  mutating func expression() throws(DialogueError) -> ExpectedPattern {
    guard case .expression(let expression) = rest.first else {
      throw expected("an expression between slashes")
    }
    rest.removeFirst()
    return expression
  }

  /// Whether an expression comes next.
  var hasExpression: Bool {
    if case .expression = rest.first { true } else { false }
  }

  // MARK: Phrases

  /// Reads `within 2s`, if present.
  mutating func limit() throws(DialogueError) -> Duration? {
    guard case .word = rest.first else { return nil }
    let word = try word("within")
    guard word == "within" else { throw error("'\(word)': expected within") }
    return try duration()
  }

  /// Reads a time: `250ms`, `2s`, `1.5min`, or a number of seconds, up to a day.
  mutating func duration() throws(DialogueError) -> Duration {
    let word = try word("a time, such as 250ms or 2s")
    guard let time = WrittenTime(word), time.seconds <= 86_400 else {
      throw error("'\(word)' is not a time: expected, for example, 250ms or 2s, up to a day")
    }
    return .milliseconds(Int64((time.seconds * 1_000).rounded()))
  }

  /// Reads the time between two rounds: a time that is not zero.
  mutating func interval() throws(DialogueError) -> Duration {
    let interval = try duration()
    guard interval > .zero else { throw error("every: expected a time of at least 1ms") }
    return interval
  }

  mutating func outputLine() throws(DialogueError) -> OutputLine {
    let word = try word("dtr or rts")
    guard let line = OutputLine(rawValue: word) else {
      throw error("'\(word)' is not a line: expected dtr or rts")
    }
    return line
  }

  mutating func count() throws(DialogueError) -> Int {
    let word = try word("a number of repetitions")
    guard let count = number(word), (1...1_000_000).contains(count) else {
      throw error("'\(word)': expected a whole number from 1 to 1000000")
    }
    return count
  }

  /// Reads `dtr on` or `baud 9600`.
  mutating func setting() throws(DialogueError) -> Step.Action {
    guard case .word("baud") = rest.first else {
      if case .word(let word) = rest.first, OutputLine(rawValue: word) == nil {
        throw error(
          "'\(word)' cannot be set: expected dtr, rts or baud; other settings are options")
      }
      let line = try outputLine()
      let value = try word("on or off")
      guard value == "on" || value == "off" else {
        throw error("'\(value)': expected on or off")
      }
      return .set(line, isOn: value == "on")
    }
    rest.removeFirst()
    let value = try word("a baud rate")
    guard let rate = number(value), (1...Int(Int32.max)).contains(rate) else {
      throw error("'\(value)' is not a baud rate: expected a whole number from 1 to \(Int32.max)")
    }
    return .setBaudRate(UInt32(rate))
  }

  /// Parses digits. Int.init would also accept a sign.
  private func number(_ word: String) -> Int? {
    word.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(word) : nil
  }
}
