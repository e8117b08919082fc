import Patterns
import Testing

@testable import Dialogues

@Suite("Reading a script", .timeLimit(.minutes(30)))
struct DialogueReaderTests {
  private func steps(_ text: String) throws -> [Step] {
    try Dialogue(parsing: Array(text.utf8)).steps
  }

  private func text(_ script: String) throws -> Text? {
    guard case .send(let text) = try steps(script).first?.action else { return nil }
    return text
  }

  @Test("comments and empty lines are no steps, and lines are counted")
  func lines() throws {
    let steps = try steps("# one\n\n  send \"a\" # two\r\n\twait 5ms\n")
    #expect(steps.map(\.line) == [3, 4])
  }

  @Test(
    "escapes are bytes",
    arguments: [
      (#"send "\r\n\t\e\0\\\"\$\x41\xff""#, [13, 10, 9, 27, 0, 92, 34, 36, 65, 255] as [UInt8]),
      ("send \"# no { comment } / $\"", Array("# no { comment } / $".utf8)),
      ("send \"ü\"", [0xC3, 0xBC]),
    ])
  func escapes(_ script: String, _ bytes: [UInt8]) throws {
    #expect(try text(script)?.bytes(with: []) == bytes)
  }

  @Test("groups of the last match replace their references")
  func groups() throws {
    let steps = try steps(#"expect /(a)(b)/"# + "\n" + #"send "<$0 $2$1>""#)
    guard case .send(let text) = steps[1].action else { return #expect(Bool(false)) }
    #expect(text.bytes(with: [[1], [2], nil]) == Array("<".utf8) + [1, 0x20, 2] + Array(">".utf8))
  }

  @Test("a slash in an expression is written with a backslash")
  func slash() throws {
    guard case .expect(let cases, let limit) = try steps(#"expect /a\/b\.c/ within 1.5s"#)[0].action
    else { return #expect(Bool(false)) }
    #expect(cases.map(\.expression.text) == [#"a/b\.c"#])
    #expect(limit == .milliseconds(1_500))
  }

  @Test(
    "a mistake is reported with its line",
    arguments: [
      ("sen \"a\"", 1), ("send a", 1), ("send \"a", 1), ("send \"\\q\"", 1), ("send \"\\x4\"", 1),
      ("send \"a\" \"b\"", 1), ("send", 1), ("expect \"a\"", 1), ("expect /a", 1),
      ("expect /(/", 1), ("expect /a/ in 5s", 1), ("expect /a/ within", 1), ("wait", 1),
      ("wait 5 s", 1), ("wait -5s", 1), ("wait 1e3s", 1), ("wait 2d", 1), ("wait 90000s", 1),
      ("\nset cts on", 2), ("set dtr yes", 1), ("set baud 0", 1), ("set baud +9600", 1),
      ("repeat 0 {\nwait 1s\n}", 1), ("repeat 2 {\nwait 1s", 1), ("repeat 2 {\n}", 1),
      ("repeat 2\nwait 1s\n", 1), ("}", 1), ("wait 1s }", 1), ("repeat 2 { wait 1s }", 1),
      ("expect-one-of {\n}", 1), ("expect-one-of {\n\"a\"\n}", 2), ("expect-one-of {\n/a/ x\n}", 2),
      ("expect-one-of {\n/a/", 1), ("print \"$1\"", 1), ("expect /a/\nprint \"$1\"", 2),
      ("pulse dtr", 1), ("pulse 5ms", 1), ("break now", 1), ("fail", 1),
    ])
  func refuses(_ script: String, _ line: Int) {
    #expect { try steps(script) } throws: { ($0 as? DialogueError)?.line == line }
  }

  @Test(
    "a mistake in try, else and the rounds of repeat is reported",
    arguments: [
      ("try\nwait 1s\n}", "1: expected '{', not the end of the line"),
      ("try {\n}", "1: there is nothing to try"),
      ("try {\nwait 1s", "1: '{' is not closed"),
      ("try {\nwait 1s\n} else", "3: expected '{', not the end of the line"),
      ("try {\nwait 1s\n} els {", "3: expected the end of the line, not 'els'"),
      ("try {\nwait 1s\n} else {\nwait 1s", "3: '{' is not closed"),
      (
        "try {\nwait 1s\n}\nelse {\n}",
        "4: 'else' without 'try': write '} else {' where the block of try ends"
      ),
      (
        "repeat 2 {\nwait 1s\n} else {\n}",
        "3: 'else' without 'try': this brace does not close the block of try"
      ),
      (
        "try {\nwait 1s\n} else {\nwait 1s\n} else {\n}",
        "5: 'else' without 'try': this brace does not close the block of try"
      ),
      (
        "expect-one-of {\n/a/\n} else {\n}",
        "3: 'else' without 'try': this brace does not close the block of try"
      ),
      ("repeat 2 every {\nwait 1s\n}", "1: expected a time, such as 250ms or 2s, not '{'"),
      ("repeat 2 every 0s {\nwait 1s\n}", "1: every: expected a time of at least 1ms"),
      ("repeat 2 until {\nwait 1s\n}", "1: expected an expression between slashes, not '{'"),
      ("repeat 2 until /a/ every 1s {\n}", "1: expected '{', not 'every'"),
      ("repeat 2 until /a/ {\n}", "1: there is nothing to repeat"),
      ("repeat until /a/ {\n}", "1: 'until': expected a whole number from 1 to 1000000"),
      (
        "repeat 2 until /(a)/ {\nwait 1s\n}\nprint \"$2\"",
        "4: $2: no expression above has this group; write \\$ for a dollar sign"
      ),
    ])
  func explains(_ script: String, _ mistake: String) {
    #expect { try steps(script) } throws: { "\($0)" == mistake }
  }

  @Test("a repetition has a time, an end, or both")
  func rounds() throws {
    func rounds(_ words: String) throws -> Rounds? {
      let dialogue = try Dialogue(parsing: Array("repeat 7 \(words) {\nwait 1s\n}\n".utf8))
      guard case .rounds(let rounds, _) = dialogue.steps[0].action else { return nil }
      #expect((dialogue.frameLine == 1) == words.contains("frame"))
      return rounds
    }
    let ok = try ExpectedPattern.regex("OK")
    let second = Duration.seconds(1)
    #expect(try rounds("") == nil)
    #expect(try rounds("every 1s") == Rounds(count: 7, interval: second, expression: nil))
    #expect(try rounds("until /OK/") == Rounds(count: 7, interval: nil, expression: ok))
    #expect(try rounds("every 1s until /OK/")?.interval == second)
    #expect(try rounds("until frame /OK/")?.expression == ok)
    #expect(try rounds("every 1s until frame")?.expression == .anyLine(named: "frame"))
  }

  @Test("the texts in all blocks are known before the script runs")
  func sentTexts() throws {
    let script = """
      try {
        send "a"
      } else {
        repeat 2 until /x/ {
          send "b"
        }
      }
      """
    let texts = try Dialogue(parsing: Array(script.utf8)).sentTexts
    #expect(texts.map(\.line) == [2, 5])
    #expect(texts.map(\.bytes) == [[0x61], [0x62]])
  }

  @Test("32 blocks may be within each other")
  func nested() throws {
    func script(_ depth: Int) -> String {
      let repetitions = String(repeating: "repeat 2 {\n", count: depth)
      return repetitions + "wait 1s\n" + String(repeating: "}\n", count: depth)
    }
    #expect(try steps(script(32)).count == 1)
    #expect { try steps(script(33)) } throws: { ($0 as? DialogueError)?.line == 33 }
    // An else block is as deep as its try block.
    func attempt(_ depth: Int) -> String {
      let repetitions = String(repeating: "repeat 2 {\n", count: depth - 1)
      return repetitions + "try {\nwait 1s\n} else {\nwait 1s\n}\n"
        + String(repeating: "}\n", count: depth - 1)
    }
    #expect(try steps(attempt(32)).count == 1)
    #expect { try steps(attempt(33)) } throws: { ($0 as? DialogueError)?.line == 33 }
  }

  @Test("invalid or large text is refused")
  func bounds() {
    #expect(throws: DialogueError.self) { try Dialogue(parsing: [0xFF]) }
    let large = [UInt8](repeating: 0x23, count: Dialogue.largestScript + 1)
    #expect(throws: DialogueError.self) { try Dialogue(parsing: large) }
  }
}
