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

  @Test("32 blocks may be within each other")
  func nested() throws {
    func script(_ depth: Int) -> String {
      let repetitions = String(repeating: "repeat 2 {\n", count: depth)
      return repetitions + "wait 1s\n" + String(repeating: "}\n", count: depth)
    }
    #expect(try steps(script(32)).count == 1)
    #expect { try steps(script(33)) } throws: { ($0 as? DialogueError)?.line == 33 }
  }

  @Test("invalid or large text is refused")
  func bounds() {
    #expect(throws: DialogueError.self) { try Dialogue(parsing: [0xFF]) }
    let large = [UInt8](repeating: 0x23, count: Dialogue.largestScript + 1)
    #expect(throws: DialogueError.self) { try Dialogue(parsing: large) }
  }
}
