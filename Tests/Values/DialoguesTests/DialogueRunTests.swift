import Testing

@testable import Dialogues

@Suite("A running dialogue", .timeLimit(.minutes(30)))
struct DialogueRunTests {
  /// The lines of the performed steps. The answers determine which expectations match.
  private func lines(_ script: String, answers: [Int] = []) throws -> [Int] {
    var run = DialogueRun(try Dialogue(parsing: Array(script.utf8)))
    var answers = answers[...]
    var lines: [Int] = []
    while lines.count < 1_000, let instruction = run.next() {
      lines.append(instruction.line)
      if case .expect = instruction.action {
        let index = answers.popFirst() ?? 0
        run.matched(index, captures: [[]])
      }
    }
    return lines
  }

  @Test("steps are done one after the other")
  func order() throws {
    #expect(try lines("wait 1s\nexpect /a/\nset dtr on\nset baud 9600\n") == [1, 2, 3, 4])
  }

  @Test("blocks are repeated, also within each other")
  func repeated() throws {
    let script = "repeat 2 {\nwait 1s\nrepeat 3 {\nbreak 1ms\n}\n}\nwait 2s\n"
    #expect(try lines(script) == [2, 4, 4, 4, 2, 4, 4, 4, 7])
  }

  @Test("the steps of the matched expression are done, then the next ones")
  func cases() throws {
    let script = "expect-one-of {\n/a/ {\nwait 1s\n}\n/b/\n/c/ {\nwait 2s\n}\n}\nwait 3s\n"
    #expect(try lines(script, answers: [0]) == [1, 3, 10])
    #expect(try lines(script, answers: [1]) == [1, 10])
    #expect(try lines(script, answers: [2]) == [1, 7, 10])
  }

  @Test("the matched text is kept until the next match")
  func captures() throws {
    let script = #"""
      expect /(.)x/
      send "$1"
      print "$1$1"
      expect /(.)y/
      send "$1"
      """#
    var run = DialogueRun(try Dialogue(parsing: Array(script.utf8)))
    _ = run.next()
    run.matched(0, captures: [[1, 2], [3]])
    guard case .send([3]) = run.next()?.action else { return #expect(Bool(false)) }
    guard case .print([3, 3]) = run.next()?.action else { return #expect(Bool(false)) }
    _ = run.next()
    run.matched(0, captures: [[4, 5], [6]])
    guard case .send([6]) = run.next()?.action else { return #expect(Bool(false)) }
    #expect(run.next() == nil)
  }
}
