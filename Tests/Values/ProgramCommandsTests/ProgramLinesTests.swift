import Framing
import ProgramCommands
import Testing
import TextTools

@Suite("Lines of a program: messages that begin in turn")
final class ProgramLinesTests {
  private var lines = ProgramLines<ProgramLine>()

  /// The input of some commands.
  private func input(_ commands: [String]) -> [UInt8] {
    commands.flatMap { Array("{\"id\":\"\($0)\",\"command\":\"\($0)\"}\n".utf8) }
  }

  /// The actions of a turn, in words.
  private func turn(
    _ commands: String..., isCrowded: Bool = false, isJoining: Bool = false
  ) -> String {
    lines.words(of: .bytes(input(commands)))
      + lines.words(of: .turn(isCrowded: isCrowded, isJoining: isJoining))
  }

  /// The actions when the message that runs was answered, and those of the turn that they ask for.
  private func answer() -> String {
    lines.words(of: .answered) + ", " + lines.words(of: .turn(isCrowded: false))
  }

  @Test func messagesRunOneAfterTheOther() {
    #expect(turn() == "read")
    #expect(turn("a", "b") == "perform a, read")
    #expect(turn() == "read")
    #expect(answer() == "turn, perform b, read")
    #expect(answer() == "turn, read")
  }

  @Test func aCancelStopsWhatRunsAndWhatWaitsBeforeIt() {
    #expect(turn("a", "b", "c") == "perform a, read")
    #expect(turn("cancel", "d") == "stop, read")
    // A message that cannot be stopped runs to its end.
    #expect(turn() == "read")
    #expect(answer() == "turn, drop b, drop c, confirm cancel, perform d, read")
  }

  @Test func aSecondCancelIsAnsweredToo() {
    #expect(turn("a") == "perform a, read")
    #expect(turn("cancel", "b", "cancel", "c") == "stop, read")
    #expect(answer() == "turn, confirm cancel, drop b, confirm cancel, perform c, read")
    // The next message can be stopped again.
    #expect(turn("cancel") == "stop, read")
    #expect(answer() == "turn, confirm cancel, read")
  }

  @Test func aCancelIsAnsweredIfNothingRuns() {
    #expect(turn("cancel") == "confirm cancel, read")
    #expect(turn("a", "cancel") == "drop a, confirm cancel, read")
    #expect(turn("a") == "perform a, read")
  }

  @Test func beforeTheProgramHasJoinedItMayWatchCloseAndCancel() {
    #expect(turn("watch", isJoining: true) == "perform watch, read")
    #expect(lines.words(of: .answered) == "turn")
    #expect(turn("a", "watch", isJoining: true) == "read")
    #expect(
      turn("cancel", "close", isJoining: true) == """
        drop a, drop watch, confirm cancel, perform close, read
        """)
    #expect(lines.words(of: .answered) == "turn")
    #expect(turn("b", isJoining: true) == "read")
    #expect(turn() == "perform b, read")
  }

  @Test func aMistakeIsPerformedAndCancelledLikeACommand() {
    _ = lines.handle(.bytes(Array("nonsense\n[1]\n".utf8)))
    #expect(turn("cancel", isJoining: true) == "drop null, drop null, confirm cancel, read")
    _ = lines.handle(.bytes(Array("nonsense\n[1]\n".utf8)))
    // Its answer does not depend on a session.
    #expect(turn(isJoining: true) == "perform null, read")
    #expect(lines.words(of: .answered) == "turn")
    // What is no command may be one that serialterm does not know.
    #expect(turn(isJoining: true) == "read")
  }

  @Test func whileAnswersAreNotReadNothingBegins() {
    #expect(turn("a", isCrowded: true) == "pause")
    #expect(turn("cancel", isCrowded: true) == "pause")
    #expect(turn() == "drop a, confirm cancel, read")
  }

  @Test func aFullQueueTakesNoMoreLines() {
    lines = ProgramLines(countLimit: 2)
    // What runs does not wait.
    #expect(turn("a") == "perform a, read")
    #expect(turn("b") == "read")
    #expect(turn("c", "cancel") == "pause")
    #expect(turn() == "pause")
    // There is room for the cancel now. It cannot stop what has begun before it was read.
    #expect(answer() == "turn, perform b, turn, read")
    #expect(turn() == "stop, pause")
    #expect(answer() == "turn, drop c, confirm cancel, turn, read")
  }

  @Test func whatFollowsACancelThatFillsTheQueueBegins() {
    lines = ProgramLines(countLimit: 3)
    #expect(turn("a", "b", "cancel", "c") == "drop a, drop b, confirm cancel, turn, read")
    #expect(turn() == "perform c, read")
    #expect(answer() == "turn, read")
    _ = lines.handle(.bytes(input(["a", "b", "cancel", "c"])))
    _ = lines.handle(.end)
    #expect(turn() == "drop a, drop b, confirm cancel, turn, read")
    #expect(turn() == "perform c, read")
    #expect(answer() == "turn, finish, read")
  }

  @Test func longLinesFillTheQueue() {
    let name = String(repeating: "x", count: 100)
    lines = ProgramLines(byteLimit: input([name]).count)
    #expect(turn("a") == "perform a, read")
    #expect(turn(name) == "read")
    #expect(turn("b") == "pause")
    #expect(answer() == "turn, perform \(name), turn, read")
    #expect(answer() == "turn, perform b, read")
  }

  @Test func theEndComesWhenAllIsAnswered() {
    #expect(turn("a", "b") == "perform a, read")
    // The last line needs no end.
    _ = lines.handle(.bytes(Array(#"{"id":"c"}"#.utf8)))
    #expect(lines.words(of: .end) == "")
    #expect(turn() == "read")
    #expect(answer() == "turn, perform b, read")
    #expect(answer() == "turn, perform c, read")
    #expect(lines.words(of: .answered) == "turn")
    #expect(turn(isJoining: true) == "read")
    #expect(turn(isCrowded: true) == "pause")
    #expect(turn() == "finish, read")
    #expect(turn() == "")
  }

  @Test func aLineThatIsTooLongIsAMessage() {
    let limit = ProgramLines<ProgramLine>.longestLine
    _ = lines.handle(.bytes([UInt8](repeating: 0x61, count: limit + 1) + [0x0A]))
    let steps = lines.handle(.turn(isCrowded: false)).compactMap { action in
      if case .step(.perform(let line)) = action { line.content } else { nil }
    }
    #expect(steps.count == 1)
    #expect(throws: FrameDamage.self) { try steps.first?.get() }
  }

  @Test(
    "the lines that are a cancel",
    arguments: [
      (#"{"command":"cancel"}"#, true), (#" {"id": 1, "command": "c\u0061ncel"} "#, true),
      (#"{"command":"cancel""#, false), (#"{"command":["cancel"]}"#, false),
      (#"{"command":"send","text":"{\"command\":\"cancel\"}"}"#, false), (#""cancel""#, false),
      ("", false),
    ])
  func cancels(_ text: String, _ isCancel: Bool) {
    #expect(ProgramLine.messages(of: .success(text)).map(\.isCancel) == [isCancel])
  }

  @Test func aLineHasTheIDOfItsCommand() {
    func id(_ text: String) -> [String] {
      ProgramLine.messages(of: .success(text)).map(\.id.description)
    }
    #expect(id(#"{"id":["a",1],"command":"x"}"#) == [#"["a",1]"#])
    for text in [#"{"command":"x"}"#, #"{"id":1"#, "[1]"] { #expect(id(text) == ["null"]) }
  }
}

@Suite("Lines of a program: messages that begin at once")
final class ProgramLinesAtOnceTests {
  /// A line has a message for each word.
  private struct Word: ProgramMessage, CustomStringConvertible {
    let description: String

    static let beginsInTurn = false

    static func messages(of line: Result<String, FrameDamage>) -> [Word] {
      switch line {
      case .success(let text): text.split(separator: " ").map { Word(description: "\($0)") }
      case .failure(let damage):
        [Word(description: damage == .notUTF8 ? "not UTF-8" : "too long")]
      }
    }
  }

  private var lines = ProgramLines<Word>()

  private func turn(_ input: String = "", isCrowded: Bool = false) -> String {
    lines.words(of: .bytes(Array(input.utf8))) + lines.words(of: .turn(isCrowded: isCrowded))
  }

  @Test func oneMessageBeginsInATurn() {
    #expect(turn("a b\n\nc\n") == "perform a, turn, read")
    #expect(turn() == "perform b, turn, read")
    #expect(turn() == "perform c, turn, read")
    #expect(turn() == "read")
  }

  @Test func aLineThatIsNotUTF8IsDamage() {
    _ = lines.handle(.bytes([0x61, 0xFF, 0x0A, 0x62, 0x0A, 0x63]))
    #expect(turn() == "perform not UTF-8, turn, read")
    #expect(turn() == "perform b, turn, read")
    _ = lines.handle(.end)
    #expect(turn() == "perform c, finish, turn, read")
  }

  @Test func theMessagesOfALineFillTheQueueTogether() {
    lines = ProgramLines(byteLimit: 3)
    #expect(turn("a b\nc\n") == "perform a, turn, pause")
    #expect(turn() == "perform b, turn, read")
    #expect(turn() == "perform c, turn, read")
    lines = ProgramLines(countLimit: 2)
    #expect(turn("a b c\nd\n") == "perform a, turn, pause")
    #expect(turn(isCrowded: true) == "pause")
    #expect(turn() == "perform b, turn, read")
  }

  @Test func theEndComesWhenAllHasBegun() {
    _ = lines.handle(.bytes(Array("a b".utf8)))
    _ = lines.handle(.end)
    #expect(turn() == "perform a, turn, read")
    #expect(turn() == "perform b, finish, turn, read")
    #expect(turn() == "")
  }

  @Test func anEmptyInputEnds() {
    _ = lines.handle(.end)
    #expect(turn() == "finish, read")
  }
}

@Suite("Lines of a program: pieces")
struct ProgramLinePieceTests {
  /// How the input is divided changes when a message begins, and not which ones do in which order.
  @Test(arguments: [1, 2, 7, 64]) func piecesOfAnySize(_ size: Int) {
    let commands = ["a", "watch", "cancel", "b", "c", "cancel", "close"]
    let input = commands.flatMap { Array("{\"id\":\"\($0)\",\"command\":\"\($0)\"}\n".utf8) }
    var lines = ProgramLines<ProgramLine>()
    var begun: [String] = []
    func handle(_ event: ProgramLines<ProgramLine>.Event) {
      for action in lines.handle(event) {
        switch action {
        case .step(.perform(let line)), .step(.drop(let line)), .step(.confirm(let line)):
          begun.append(line.id.string ?? "")
        case .step(.stop), .step(.finish), .turn, .read: break
        }
        // A message is answered at once, or when it is stopped.
        if case .step(.perform) = action { _ = lines.handle(.answered) }
      }
    }
    for start in stride(from: 0, to: input.count, by: size) {
      handle(.bytes(Array(input[start..<min(start + size, input.count)])))
      handle(.turn(isCrowded: false))
    }
    for _ in commands { handle(.turn(isCrowded: false)) }
    #expect(begun == commands)
  }
}

extension ProgramLines {
  /// The actions that follow from an event.
  fileprivate mutating func words(of event: Event) -> String {
    func name(_ message: Message) -> String {
      (message as? ProgramLine).map { $0.id.string ?? "\($0.id)" } ?? "\(message)"
    }
    return handle(event).map {
      switch $0 {
      case .step(.perform(let message)): "perform \(name(message))"
      case .step(.drop(let message)): "drop \(name(message))"
      case .step(.confirm(let message)): "confirm \(name(message))"
      case .step(.stop): "stop"
      case .step(.finish): "finish"
      case .turn: "turn"
      case .read(let mayRead): mayRead ? "read" : "pause"
      }
    }.joined(separator: ", ")
  }
}
