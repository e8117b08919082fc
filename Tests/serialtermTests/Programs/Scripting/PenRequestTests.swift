import Sessions
import Telnet
import TestSupport
import Testing
import TextTools

@testable import serialterm

/// A member that has joined a session.
private final class FakeParticipant: Participant {
  private(set) var isRefused = false
  func resumeWriting() {}
  func revoke() {}
  func rosterDidChange(_ event: Roster.Event) { if case .kept = event { isRefused = true } }
  func end(because reason: String) {}
}

/// A program without a user that has the session, and another member.
@Suite(.timeLimit(.minutes(30))) struct PenRequestTests {
  private let bench: PortBench
  private let anna = FakeParticipant()
  private let id: Sharing.ID

  private var sharing: SharingController { bench.port.controller.sharing }

  init() throws {
    bench = try PortBench()
    bench.port.share(.one, home: { MemberName(given: "max") })
    bench.port.model.update { $0.user = .script }
    id = bench.port.controller.sharing.join(anna) {
      Roster.Member(id: $0, name: MemberName(given: "anna"), answers: true, mayTake: true)
    }
  }

  private func refusal(of line: String) throws -> String? {
    var outcome: CommandOutcome?
    let call = CommandCall(from: .json, at: bench.port) { outcome = $0 }
    let request = try #require(try PenRequest(try JSON(parsing: line)))
    request.perform(call)
    return try #require(outcome).refusal
  }

  private func ask(_ name: String) throws -> String? {
    try refusal(of: #"{"command":"\#(name)-pen"}"#)
  }

  @Test func `The holder gives the pen to a member, and asks for it again`() throws {
    #expect(try ask("ask") == "you have the pen")
    #expect(
      try refusal(of: #"{"command":"give-pen","to":99}"#)
        == "to: no other member has the id 99")
    #expect(try refusal(of: #"{"command":"give-pen","to":\#(id)}"#) == nil)
    #expect(sharing.roster.holder == id)
    for name in ["keep", "return"] { #expect(try ask(name) == "anna has the pen") }
    #expect(try refusal(of: #"{"command":"give-pen","to":\#(id)}"#) == "anna has the pen")
    #expect(try ask("ask") == nil)
    #expect(bench.port.model.state.sharing.isAsking)
    #expect(try ask("take") == nil)
    #expect(sharing.roster.holder == 0)
    #expect(try ask("take") == "you have the pen")
  }

  @Test func `Keeping the pen refuses who asks, and giving it back is for who asks`() throws {
    sharing.ask(id)
    #expect(try ask("keep") == nil)
    #expect(anna.isRefused)
    sharing.ask(id)
    #expect(try ask("return") == nil)
    #expect(sharing.roster.holder == id)
  }

  @Test func `The reason is the palette's`() throws {
    bench.port.model.update { $0.isReadOnly = true }
    for name in ["ask", "keep", "return", "take"] { #expect(try ask(name) == "read-only") }
    sharing.leave(id)
    for name in ["ask", "keep", "return", "take"] {
      #expect(try ask(name) == Command.pen.needs.unmet(in: bench.port.model.state)?.text)
    }
  }

  @Test func `The command pen asks without a user, and says how to give it`() throws {
    var outcome: CommandOutcome?
    func pen() { Command.pen.perform(CommandCall(from: .json, at: bench.port) { outcome = $0 }) }
    pen()
    #expect(outcome?.refusal == "name who gets it: give-pen")
    sharing.takePen(id)
    pen()
    #expect(outcome?.refusal == nil)
    #expect(sharing.roster.applicants.map(\.id) == [0])
  }
}
