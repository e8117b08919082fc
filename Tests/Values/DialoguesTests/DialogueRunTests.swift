import Testing
import Time

@testable import Dialogues

@Suite("A running dialogue", .timeLimit(.minutes(30)))
struct DialogueRunTests {
  private let start = MonotonicTime(nanoseconds: 0)

  /// The lines of the performed steps. The answers determine which expectations match.
  private func lines(_ script: String, answers: [Int] = []) throws -> [Int] {
    var run = DialogueRun(try Dialogue(parsing: Array(script.utf8)))
    var answers = answers[...]
    var lines: [Int] = []
    while lines.count < 1_000, let instruction = run.next(at: start) {
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
    _ = run.next(at: start)
    run.matched(0, captures: [[1, 2], [3]])
    guard case .send([3]) = run.next(at: start)?.action else { return #expect(Bool(false)) }
    guard case .print([3, 3]) = run.next(at: start)?.action else { return #expect(Bool(false)) }
    _ = run.next(at: start)
    run.matched(0, captures: [[4, 5], [6]])
    guard case .send([6]) = run.next(at: start)?.action else { return #expect(Bool(false)) }
    let end = run.next(at: start)
    #expect(end == nil)
  }

  // MARK: Timeouts

  /// The lines of the performed steps. The expectations of some lines time out.
  ///
  /// - Returns: the lines, and whether the script has ended well.
  private func lines(_ script: String, timeouts: Set<Int>) throws -> (lines: [Int], isDone: Bool) {
    var run = DialogueRun(try Dialogue(parsing: Array(script.utf8)))
    var lines: [Int] = []
    while lines.count < 1_000, let instruction = run.next(at: start) {
      lines.append(instruction.line)
      guard case .expect = instruction.action else { continue }
      if !timeouts.contains(instruction.line) {
        run.matched(0, captures: [[]])
      } else if !run.timedOut() {
        return (lines, false)
      }
    }
    return (lines, true)
  }

  @Test("after a timeout, the rest of the try block is skipped, and its else block is performed")
  func otherwise() throws {
    let script = "try {\nexpect /a/\nwait 1s\n} else {\nwait 2s\n}\nwait 3s\n"
    #expect(try lines(script, timeouts: []) == ([2, 3, 7], true))
    #expect(try lines(script, timeouts: [2]) == ([2, 5, 7], true))
    let alone = "try {\nexpect /a/\nwait 1s\n}\nwait 3s\n"
    #expect(try lines(alone, timeouts: [2]) == ([2, 5], true))
  }

  @Test("blocks in the try block are skipped too")
  func skipped() throws {
    let script = """
      try {
        repeat 3 {
          expect-one-of {
            /a/ {
              expect /b/
              wait 1s
            }
          }
          wait 2s
        }
      }
      wait 3s
      """
    #expect(try lines(script, timeouts: [5]) == ([3, 5, 12], true))
    #expect(try lines(script, timeouts: [3]) == ([3, 12], true))
  }

  @Test("the innermost try takes a timeout, and the next outer one that of an else block")
  func nestedTries() throws {
    let script = """
      try {
        try {
          expect /a/
        } else {
          expect /b/
          wait 1s
        }
        wait 2s
      } else {
        wait 3s
        expect /c/
      }
      wait 4s
      """
    #expect(try lines(script, timeouts: [3]) == ([3, 5, 6, 8, 13], true))
    #expect(try lines(script, timeouts: [3, 5]) == ([3, 5, 10, 11, 13], true))
    #expect(try lines(script, timeouts: [3, 5, 11]) == ([3, 5, 10, 11], false))
  }

  @Test("a try in a repetition takes the timeout of each time, and ends with its block")
  func repeatedTry() throws {
    let script = "repeat 2 {\ntry {\nexpect /a/\n}\n}\nexpect /b/\n"
    #expect(try lines(script, timeouts: [3]) == ([3, 3, 6], true))
    #expect(try lines(script, timeouts: [3, 6]) == ([3, 3, 6], false))
    #expect(try lines("try {\nwait 1s\n}\nexpect /a/\n", timeouts: [4]) == ([2, 4], false))
  }

  @Test("the matched text is kept after a timeout")
  func capturesAfterTimeout() throws {
    let script = "expect /(.)/\ntry {\nexpect /b/\n} else {\nsend \"$1\"\n}"
    var run = DialogueRun(try Dialogue(parsing: Array(script.utf8)))
    _ = run.next(at: start)
    run.matched(0, captures: [[1], [1]])
    _ = run.next(at: start)
    let isTaken = run.timedOut()
    #expect(isTaken)
    guard case .send([1]) = run.next(at: start)?.action else { return #expect(Bool(false)) }
  }

  // MARK: Rounds

  /// The steps of a script as text. Each `wait` takes its time; the round that is given matches.
  private func rounds(
    _ script: String, delay: Duration = .zero, matching match: Int? = nil
  ) throws -> [String] {
    var run = DialogueRun(try Dialogue(parsing: Array(script.utf8)))
    var now = start
    var texts: [String] = []
    while texts.count < 1_000, let instruction = run.next(at: now) {
      let time = now.nanoseconds / 1_000_000
      switch instruction.action {
      case .wait(let duration):
        texts.append("\(time): wait")
        now = now + duration
      case .beginRounds: texts.append("\(time): begin")
      case .awaitRound(_, let number, let end):
        let until = end.map { "\($0.nanoseconds / 1_000_000)" } ?? "-"
        texts.append("\(time): round \(number) until \(until)")
        if number == match {
          run.matched(0, captures: [[7]])
        } else {
          now = max(now, end ?? now + .seconds(5)) + delay
          if !run.roundIsOver(at: now) { return texts + ["over"] }
        }
      case .send(let bytes): texts.append("\(time): send \(bytes)")
      default: texts.append("\(time): other")
      }
    }
    return texts
  }

  @Test("a match ends the rounds, and its groups are known to the steps after it")
  func matchedRound() throws {
    let script = "repeat 9 every 1s until /OK/ {\nwait 100ms\n}\nsend \"$0\""
    #expect(
      try rounds(script, matching: 2) == [
        "0: begin", "0: wait", "100: round 1 until 1000", "1000: wait", "1100: round 2 until 2000",
        "1100: send [7]",
      ])
  }

  @Test("after the last round without a match, the repetition has timed out")
  func noMatch() throws {
    let script = "repeat 2 every 1s until /OK/ {\nwait 100ms\n}\nwait 1s"
    #expect(
      try rounds(script) == [
        "0: begin", "0: wait", "100: round 1 until 1000", "1000: wait", "1100: round 2 until 2000",
        "over",
      ])
  }

  @Test("delays of the rounds do not add up")
  func delays() throws {
    let script = "repeat 3 every 1s {\nwait 100ms\n}"
    #expect(
      try rounds(script, delay: .milliseconds(30)) == [
        "0: begin", "0: wait", "100: round 1 until 1000", "1030: wait", "1130: round 2 until 2000",
        "2030: wait", "2130: round 3 until 2130",
      ])
  }

  @Test("after a round that takes longer than the interval, the next one begins at once")
  func longRound() throws {
    let script = "repeat 3 every 1s until /OK/ {\nwait 2500ms\n}"
    #expect(
      try rounds(script) == [
        "0: begin", "0: wait", "2500: round 1 until 2500", "2500: wait",
        "5000: round 2 until 5000", "5000: wait", "7500: round 3 until 7500", "over",
      ])
  }

  @Test("without an interval, the usual time limit counts from the end of each round's steps")
  func usualLimit() throws {
    let script = "repeat 2 until /OK/ {\nwait 100ms\n}"
    #expect(
      try rounds(script) == [
        "0: begin", "0: wait", "100: round 1 until -", "5100: wait", "5200: round 2 until -",
        "over",
      ])
  }

  @Test("no time of a script overflows")
  func latest() throws {
    let script = "repeat 1000000 every 86400s until /OK/ {\nwait 1s\n}"
    var run = DialogueRun(try Dialogue(parsing: Array(script.utf8)))
    let end = MonotonicTime(nanoseconds: .max)
    _ = (run.next(at: end), run.next(at: end))
    guard case .awaitRound(_, 1, until: end) = run.next(at: end)?.action else {
      return #expect(Bool(false))
    }
    let goesOn = run.roundIsOver(at: end)
    #expect(goesOn)
  }

  @Test("try takes the timeout of a repetition in it")
  func triedRounds() throws {
    let script = "try {\nrepeat 1 until /a/ {\nwait 1s\n}\n} else {\nwait 2s\n}\nwait 3s"
    var run = DialogueRun(try Dialogue(parsing: Array(script.utf8)))
    var lines: [Int] = []
    while lines.count < 100, let instruction = run.next(at: start) {
      lines.append(instruction.line)
      guard case .awaitRound = instruction.action else { continue }
      let (goesOn, isTaken) = (run.roundIsOver(at: start), run.timedOut())
      #expect(!goesOn && isTaken)
    }
    #expect(lines == [2, 3, 2, 6, 8])
  }
}
