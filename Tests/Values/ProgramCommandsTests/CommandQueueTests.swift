import ProgramCommands
import Testing
import TextTools

@Suite final class CommandQueueTests {
  private var queue = CommandQueue()

  private func line(_ command: String) -> ProgramLine {
    ProgramLine(#"{"id":"\#(command)","command":"\#(command)"}"#)
  }

  /// Adds commands, and returns those that stop the running one.
  private func stopping(_ commands: String...) -> [String] {
    commands.filter { queue.add(line($0)) }
  }

  /// The next step in words; nil if there is none.
  private func next(canBegin: Bool = true) -> String? {
    switch queue.next(where: { _ in canBegin }) {
    case .perform(let line): line.name ?? "no command"
    case .drop(let line): "not \(line.name ?? "a command")"
    case nil: nil
    }
  }

  /// All steps, if each command is answered at once.
  private func steps(canBegin: Bool = true) -> [String] {
    var steps: [String] = []
    while let step = next(canBegin: canBegin) {
      steps.append(step)
      queue.answered()
    }
    return steps
  }

  @Test func commandsRunOneAfterTheOther() {
    #expect(queue.isIdle)
    #expect(stopping("a", "b") == [])
    #expect(!queue.isIdle)
    #expect(next() == "a")
    #expect(next() == nil)
    queue.answered()
    #expect(next() == "b")
    #expect(!queue.isIdle)
    queue.answered()
    #expect(next() == nil)
    #expect(queue.isIdle)
  }

  @Test func aCancelStopsWhatRunsAndWhatWaitsBeforeIt() {
    #expect(stopping("a", "b", "c") == [])
    #expect(next() == "a")
    #expect(stopping("cancel", "d") == ["cancel"])
    // A command that cannot be stopped runs to its end.
    #expect(next() == nil)
    queue.answered()
    #expect(steps() == ["not b", "not c", "cancel", "d"])
  }

  @Test func aSecondCancelIsAnsweredToo() {
    #expect(stopping("a") == [])
    #expect(next() == "a")
    #expect(stopping("cancel", "b", "cancel", "c") == ["cancel"])
    queue.answered()
    #expect(steps() == ["cancel", "not b", "cancel", "c"])
    // The next command can be stopped again.
    #expect(stopping("d") == [])
    #expect(next() == "d")
    #expect(stopping("cancel") == ["cancel"])
  }

  @Test func aCancelIsAnsweredIfNothingRuns() {
    #expect(stopping("cancel") == [])
    #expect(steps() == ["cancel"])
    #expect(stopping("a", "cancel") == [])
    #expect(steps() == ["not a", "cancel"])
  }

  @Test func whatCannotBeginWaitsButForACancel() {
    #expect(stopping("a", "b") == [])
    #expect(steps(canBegin: false) == [])
    #expect(stopping("cancel", "cancel", "c") == [])
    #expect(steps(canBegin: false) == ["not a", "not b", "cancel", "cancel"])
    #expect(steps() == ["c"])
  }

  @Test func aMistakeIsCancelledLikeACommand() {
    let hasStopped = queue.add(ProgramLine("nonsense"))
    #expect(!hasStopped)
    #expect(stopping("cancel") == [])
    #expect(steps() == ["not a command", "cancel"])
  }

  @Test func aFullQueueTakesNothing() {
    queue = CommandQueue(countLimit: 2, byteLimit: 1_000)
    #expect(stopping("a") == [])
    #expect(queue.hasRoom)
    #expect(stopping("b") == [])
    #expect(!queue.hasRoom)
    // What runs does not wait.
    #expect(next() == "a")
    #expect(queue.hasRoom)
  }

  @Test func longLinesFillTheQueue() {
    let name = String(repeating: "x", count: 100)
    queue = CommandQueue(countLimit: 10, byteLimit: line(name).length + 1)
    #expect(stopping(name) == [])
    #expect(queue.hasRoom)
    #expect(stopping(name) == [])
    #expect(!queue.hasRoom)
    #expect(next() == name)
    #expect(queue.hasRoom)
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
    let line = ProgramLine(text)
    #expect(line.isCancel == isCancel)
    #expect(line.length == text.utf8.count)
  }

  @Test func aLineHasTheIDOfItsCommand() {
    #expect(ProgramLine(#"{"id":["a",1],"command":"x"}"#).id.description == #"["a",1]"#)
    for text in [#"{"command":"x"}"#, #"{"id":1"#, "[1]"] {
      #expect(ProgramLine(text).id.description == "null")
    }
  }
}
