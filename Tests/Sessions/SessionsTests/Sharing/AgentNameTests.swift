import Sessions
import Testing

@Suite struct AgentNameTests {
  @Test func anAgentIsNamedAfterItselfAndSafeToShow() {
    #expect(UserName.ofAgent("coder") == "coder (agent)")
    #expect(UserName.ofAgent("") == "unnamed (agent)")
    #expect(UserName.ofAgent("\u{1B}[2J") == "\u{FFFD}[2J (agent)")
    #expect(
      UserName.ofAgent(String(repeating: "x", count: 99))
        == String(repeating: "x", count: 40) + " (agent)")
  }

  @Test func agentsAreToldFromPeople() {
    for name in ["coder (agent)", "coder (agent) (2)", "coder (agent) (max)", " (agent)"] {
      #expect(UserName.isOfAgent(name))
    }
    for name in ["max on pts/3", "agent", "(agent)", ""] { #expect(!UserName.isOfAgent(name)) }
  }
}
