import Dialogues
import Terminal
import TextTools

extension Command {
  /// Sends a text or a snippet at intervals, until it is stopped or cannot be sent.
  static let repeatText = CommandWithArgument(
    nil, "repeat", "send a text at intervals",
    or: ["every", "again", "interval", "periodic", "poll", "keep sending", "timer", "loop"],
    users: .exceptAgents, needs: RepeatOrder.needs,
    // Programs get the count by itself, so that it changes no record.
    value: { state in state.repeating.map { state.user == .person ? "\($0)" : $0.order } },
    argument: .text(
      "repeat", expected: RepeatOrder.expected,
      [
        Suggestion(text: "1s ", detail: "every second, until 'stop'", isStart: true),
        Suggestion(text: "500ms 10x ", detail: "10 times, twice a second", isStart: true),
      ],
      own: { state in
        state.snippets.map {
          Suggestion(text: "1s \($0.commandName)", detail: "every second, until 'stop'")
        }
      },
      check: {
        _ = try RepeatOrder(parsing: $0, as: $1.inputMode, snippets: $1.snippets)
      }, parse: { $0 })
  ) { typed, call in
    guard let messages = call.messages else { return call.answer(.withoutUser) }
    do {
      try messages.startRepeating(
        try RepeatOrder(
          parsing: typed, as: call.state.inputMode, snippets: call.state.snippets))
      call.answer(.done)
    } catch let failure as Failure {
      call.answer(.failed(failure.message))
    } catch {
      call.answer(.failed("repeat: \(error)".sentence))
    }
  }
}

/// What to send at which intervals: `1s status`, `500ms 10x status`; `1s snippet: NAME`; with
/// hexadecimal input `1s 01 03`.
struct RepeatOrder: Hashable {
  let interval: Duration
  /// The number of times; nil for no end.
  let count: Int64?
  /// What was typed after the time and the number of times.
  let text: String
  /// What that means.
  let content: Content

  /// What is sent each time.
  enum Content: Hashable {
    /// A text, which ends as a snippet does.
    case snippet(Snippet)
    /// The bytes of hexadecimal numbers, which nothing changes.
    case numbers([UInt8])

    /// The number of bytes, without what Enter sends.
    var byteCount: Int {
      switch self {
      case .snippet(let snippet): snippet.text.count
      case .numbers(let bytes): bytes.count
      }
    }

    /// The message.
    ///
    /// - Parameter enter: the line ending that Enter sends.
    func message(enter: LineEnding) -> OutgoingMessage {
      switch self {
      case .snippet(let snippet): .text(snippet.bytes(enter: enter))
      case .numbers(let bytes): .numbers(bytes)
      }
    }
  }

  /// The conditions. When one of them is no longer met, the repetition ends.
  static let needs: [Need] = Need.toSend + [.noSequence]
  /// The form, for messages.
  static let expected = "a time and a text, such as '1s status' or '500ms 10x status'"
  /// The intervals in seconds.
  static let intervals = 0.001...86_400.0

  /// Reads a time, a number of times if there is one, and what to send: hexadecimal numbers where
  /// the user types those, otherwise a text with escapes as in snippets. The name of a snippet's
  /// command is that snippet.
  ///
  /// - Parameter snippets: the snippets of the session.
  /// - Throws: ``Mistake``.
  init(
    parsing typed: String, as mode: InputMode, snippets: [Snippet] = []
  ) throws(Mistake) {
    var rest = typed[...]
    let time = Self.takeWord(&rest)
    guard let seconds = WrittenTime(String(time))?.seconds else {
      throw Mistake(description: "expected \(Self.expected)")
    }
    guard Self.intervals.contains(seconds) else {
      throw Mistake(description: "'\(time)': expected a time from 1 ms to 1 day")
    }
    interval = Duration(rounding: seconds)
    let afterTime = rest
    if let digits = Self.digits(ofCount: Self.takeWord(&rest)) {
      guard let count = Int64(digits), count > 0 else {
        throw Mistake(description: "'\(digits)x': expected 1x or more, as in '500ms 10x status'")
      }
      self.count = count
    } else {
      (count, rest) = (nil, afterTime)
    }
    text = String(rest)
    if let snippet = try Self.named(text, among: snippets) {
      content = .snippet(snippet)
      return
    }
    content = mode == .hex ? try Self.numbers(text, time) : try Self.snippet(text, time)
  }

  /// The snippet that a text names; nil if it names none.
  private static func named(
    _ text: String, among snippets: [Snippet]
  ) throws(Mistake) -> Snippet? {
    guard text.hasPrefix(Snippet.commandPrefix) else { return nil }
    if let snippet = snippets.first(where: { $0.commandName == text }) { return snippet }
    let name = text.dropFirst(Snippet.commandPrefix.count)
    throw Mistake(description: "there is no snippet '\(String(name).harmless)'")
  }

  private static func numbers(
    _ text: String, _ time: Substring
  ) throws(Mistake) -> Content {
    do throws(HexTextError) {
      let bytes = try HexText.parse(text)
      if !bytes.isEmpty { return .numbers(bytes) }
    } catch {
      throw Mistake(description: "'\(text.harmless)': \(error)")
    }
    throw Mistake(description: "there are no hexadecimal numbers to send, as in '\(time) 01 03'")
  }

  private static func snippet(
    _ text: String, _ time: Substring
  ) throws(Mistake) -> Content {
    guard !text.isEmpty else {
      throw Mistake(description: #"there is no text to send; for Enter alone: '\#(time) \r'"#)
    }
    do throws(EscapedText.Mistake) {
      return .snippet(Snippet(name: text, text: try EscapedText.bytes(of: text)))
    } catch {
      throw Mistake(description: "\(error)")
    }
  }

  /// Removes the first word, and the blanks around it.
  private static func takeWord(_ rest: inout Substring) -> Substring {
    rest = rest.drop { $0 == " " }
    let word = rest.prefix { $0 != " " }
    rest = rest.dropFirst(word.count).drop { $0 == " " }
    return word
  }

  /// The digits of a number of times, `10x`; nil for any other word.
  private static func digits(ofCount word: Substring) -> Substring? {
    let digits = word.dropLast()
    let isCount =
      word.last == "x" && !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isCount ? digits : nil
  }

  /// Why a text is no order.
  struct Mistake: Error, Hashable, CustomStringConvertible {
    let description: String
  }
}
