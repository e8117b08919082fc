import DeviceWatch
import SerialCore
import Sessions
import Testing

@testable import serialterm

@Suite struct AgentRulesTests {
  private func isAllowed(_ target: String, by allowed: [String]) throws -> Bool {
    var rules = AgentRules()
    rules.allowed = try allowed.map { try Target(parsing: $0) }
    return rules.refusal(of: try Target(parsing: target), among: []) == nil
  }

  @Test func withoutAListOnlyPortsOfThisComputerAreAllowed() throws {
    for target in ["/dev/null", "/etc/passwd", "/"] {
      #expect(try !isAllowed(target, by: []))
      #expect(try isAllowed(target, by: [target]))
    }
    #expect(try isAllowed("loopback:board", by: []))
    // It may come, and is judged then.
    #expect(try isAllowed("/dev/ttyUSB99", by: []))
    #expect(try isAllowed("usb:0403:6001", by: []))
    #expect(AgentRules().admission == .serialPorts)
    let remote = ["tcp://127.0.0.1:9", "rfc2217://127.0.0.1:9", "ssh://host/tty0", "labgrid:board"]
    for target in remote {
      #expect(try !isAllowed(target, by: []))
      #expect(try isAllowed(target, by: [target]))
    }
  }

  @Test func aListAllowsNothingElse() throws {
    #expect(try isAllowed("loopback:board", by: ["/dev/null", "loopback:board"]))
    #expect(try !isAllowed("loopback:", by: ["loopback:board"]))
    #expect(try !isAllowed("/dev/zero", by: ["/dev/null"]))
    #expect(try !isAllowed("tcp://127.0.0.1:9", by: ["tcp://127.0.0.1:8"]))
  }

  @Test func aPortIsTheSameByEveryPathThatLeadsToIt() throws {
    #expect(try isAllowed("/dev/../dev/null", by: ["/dev/null"]))
  }
}
