import Testing
import TextTools

@testable import serialterm

@Suite struct AgentArgumentsTests {
  private static let parameters = [
    AgentParameter("target", .text, "A port.", isRequired: true),
    AgentParameter("count", .wholeNumber(1...9), "A number."),
    AgentParameter("timeout", .seconds(0...600), "A time."),
    AgentParameter("wait", .flag, "Whether to wait."),
    AgentParameter("parity", .choice(["none", "odd"]), "The parity."),
    AgentParameter("pattern", .text, "An expression.", alias: "until"),
    AgentParameter("linger", .seconds(0...60), "A silence."),
  ]

  private func arguments(_ text: String?) throws -> AgentArguments {
    try AgentArguments(text.map { try JSON(parsing: $0) }, of: Self.parameters)
  }

  @Test func argumentsAreRead() throws {
    let all = try arguments(
      #"{"target": "x", "count": 9, "timeout": 0.25, "wait": true, "parity": "odd"}"#)
    #expect(all.text("target") == "x")
    #expect(all.number("count") == 9)
    #expect(all.duration("timeout") == .milliseconds(250))
    #expect(all.flag("wait"))
    for name in ["pattern", "until"] {
      #expect(try arguments(#"{"target": "x", "\#(name)": "a"}"#).text("pattern") == "a")
    }
    let one = try arguments(#"{"target": "x"}"#)
    #expect(one.number("count") == nil)
    #expect(!one.flag("wait"))
  }

  @Test(
    arguments: [
      (nil, "target is missing: A port."), ("{}", "target is missing: A port."),
      ("[]", "arguments: expected an object"), (#"{"target": 7}"#, "target: expected a text"),
      (#"{"target": "", "count": 10}"#, "count: expected a whole number from 1 to 9"),
      (#"{"target": "", "count": 1.5}"#, "count: expected a whole number from 1 to 9"),
      (#"{"target": "", "timeout": -1}"#, "timeout: expected seconds from 0.0 to 600.0"),
      (#"{"target": "", "timeout": 1e300}"#, "timeout: expected seconds from 0.0 to 600.0"),
      (#"{"target": "", "wait": 1}"#, "wait: expected true or false"),
      (#"{"target": "", "pattern": "a", "until": "a"}"#, "pattern is given twice"),
      (#"{"target": "", "silence": 1}"#, "'silence' is now 'linger'"),
      (#"{"target": "", "parity": "both"}"#, "parity: expected one of none, odd"),
      (
        #"{"target": "", "\u001b[2J": 1}"#,
        "there is no argument '\u{FFFD}[2J'; there are target, count, timeout, wait, parity, pattern, linger"
      ),
    ] as [(String?, String)])
  func mistakesAreNamed(_ text: String?, _ mistake: String) {
    #expect(throws: AgentMistake(mistake)) { try arguments(text) }
  }

  @Test func toolsHaveNamesThatEveryClientAccepts() {
    #expect(Set(AgentTool.all.map(\.name)).count == AgentTool.all.count)
    for tool in AgentTool.all {
      #expect(tool.name.utf8.allSatisfy { $0 == 0x5F || (0x61...0x7A).contains($0) })
      #expect(tool.json["inputSchema"]?["additionalProperties"]?.bool == false)
    }
  }
}
