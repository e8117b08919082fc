import EventLoop
import NetworkLinks
import SerialCore
import Sessions
import Telnet
import TestSupport
import Testing
import Time

@testable import serialterm

/// A member that has joined a session.
private final class FakeParticipant: Participant {
  private(set) var events: [Roster.Event] = []
  private(set) var endReason: String?
  func resumeWriting() {}
  func revoke() {}
  func rosterDidChange(_ event: Roster.Event) { events.append(event) }
  func end(because reason: String) { endReason = reason }
}

/// A session with a person at a keyboard, which others join.
@Suite(.timeLimit(.minutes(30))) struct SharingInSessionTests {
  private func bench() throws -> InterfaceBench {
    let bench = try InterfaceBench()
    try bench.begin()
    return bench
  }

  private func join(
    _ bench: InterfaceBench, _ participant: FakeParticipant, as name: MemberName,
    answers: Bool = true
  ) throws -> Roster.ID {
    let id = bench.interface.focus.port.controller.sharing.join(participant) {
      Roster.Member(id: $0, name: name, answers: answers, takesFreePen: !answers, mayTake: true)
    }
    try bench.turn()
    return id
  }

  /// Whether a message is on the screen, in one line or wrapped.
  private func says(_ bench: InterfaceBench, _ text: String) -> Bool {
    bench.terminal.look()
    let shown = bench.terminal.lines.joined(separator: " ").split(separator: " ")
    return shown.joined(separator: " ").contains(text)
  }

  private func sharing(_ bench: InterfaceBench) -> SharingController {
    bench.interface.focus.port.controller.sharing
  }

  @Test func `What an agent writes is shown, and what others write is not`() throws {
    let bench = try bench()
    let (agent, anna) = (FakeParticipant(), FakeParticipant())
    let agentID = try join(bench, agent, as: MemberName(.init(name: "coder", kind: .agent)))
    let annaID = try join(bench, anna, as: MemberName(given: "anna"))
    func write(_ text: String, by id: Roster.ID) throws {
      sharing(bench).takePen(id)
      #expect(
        Array(text.utf8).withUnsafeBytes { sharing(bench).write($0, by: id) }
          == .queued(text.utf8.count))
      try bench.turn()
      try bench.turn()
    }
    try write("help\r\u{1B}[2J", by: agentID)
    #expect(says(bench, #"--- coder (agent): "help\r\e[2J" ---"#))
    try write(#"say "hi" ---"#, by: agentID)
    #expect(says(bench, #"--- coder (agent): "say \"hi\" ---" ---"#))
    try write(String(repeating: "x", count: 61), by: agentID)
    #expect(says(bench, "and 1 byte ---"))
    try write("hidden", by: annaID)
    #expect(!says(bench, "hidden"))
  }

  @Test func `Who comes, asks and leaves is said`() throws {
    let bench = try bench()
    let anna = FakeParticipant()
    let id = try join(bench, anna, as: MemberName(given: "anna"))
    #expect(says(bench, "anna is here."))
    sharing(bench).ask(id)
    try bench.turn()
    #expect(says(bench, "anna asks for the pen. ctrl-t w gives it."))
    sharing(bench).leave(id)
    try bench.turn()
    #expect(says(bench, "anna has left."))
    bench.end()
  }

  @Test func `The key gives the pen to who has asked, and typing goes nowhere then`() throws {
    let bench = try bench()
    let anna = FakeParticipant()
    let id = try join(bench, anna, as: MemberName(given: "anna"))
    sharing(bench).ask(id)
    try bench.command("w")
    try bench.type("\r")
    #expect(sharing(bench).roster.holder == id)
    #expect(bench.state.sharing.pen == .others(.init(id: id, name: "anna", answers: true)))
    try bench.type("lost")
    #expect(bench.links[0].sent.isEmpty)
    let written = sharing(bench).write(Array("kept".utf8), by: id)
    #expect(written == .queued(4))
    #expect(String(decoding: bench.links[0].sent, as: UTF8.self) == "kept")
    // The key asks for the pen again.
    try bench.command("w")
    #expect(
      anna.events.contains { if case .asked(let member, _) = $0 { member.id == 0 } else { false } })
    #expect(bench.state.sharing.isAsking)
    sharing(bench).returnPen(by: id)
    try bench.type("mine")
    #expect(String(decoding: bench.links[0].sent, as: UTF8.self) == "keptmine")
    bench.end()
  }

  @Test(arguments: ["max", "Max", "nobody", "élan"])
  func `A name is shown as it was typed`(_ name: String) throws {
    let bench = try bench()
    let id = try join(bench, FakeParticipant(), as: MemberName(.init(name: name)))
    #expect(says(bench, "\(name) is here."))
    sharing(bench).takePen(id)
    try bench.turn()
    #expect(says(bench, "\(name) has taken the pen from you."))
    try bench.command("b")
    #expect(says(bench, "Not available: \(name) has the pen."))
    sharing(bench).update(id) { $0.memberName = $0.memberName.renamed("other") }
    try bench.turn()
    #expect(says(bench, "\(name) is now called other."))
    bench.end()
  }

  @Test func `Keeping the pen answers who has asked`() throws {
    let bench = try bench()
    let anna = FakeParticipant()
    let id = try join(bench, anna, as: MemberName(given: "anna"))
    sharing(bench).ask(id)
    try bench.command("w")
    try bench.type("keep\r")
    #expect(sharing(bench).roster.holder == 0)
    #expect(anna.events.contains { if case .kept = $0 { true } else { false } })
    bench.end()
  }

  @Test func `The palette greys what needs the pen while somebody else has it`() throws {
    let bench = try bench()
    let id = try join(bench, FakeParticipant(), as: MemberName(given: "anna"))
    try bench.command(":")
    try bench.type("baud")
    #expect(!bench.terminal.panel.joined().contains("anna has the pen"))
    sharing(bench).takePen(id)
    try bench.turn()
    bench.clock.advance(by: .milliseconds(200))
    try bench.turn()
    #expect(bench.terminal.panel.joined().contains("anna has the pen"))
    bench.end()
  }

  @Test func `A program cannot be asked`() throws {
    let bench = try bench()
    let id = try join(bench, FakeParticipant(), as: MemberName(given: "tool"), answers: false)
    sharing(bench).give(to: id)
    try bench.command("w")
    #expect(says(bench, "tool is a program and cannot be asked."))
    #expect(sharing(bench).roster.applicants.isEmpty)
    bench.end()
  }

  @Test func `The end of the session is told with its reason`() throws {
    let bench = try bench()
    let anna = FakeParticipant()
    _ = try join(bench, anna, as: MemberName(given: "anna"))
    try bench.command("q")
    bench.end()
    #expect(anna.endReason == "it was closed")
  }

  @Test func `Who joins gets what the scrollback has, without marks, with its times`() throws {
    let bench = try bench()
    try bench.receive("one\r\ntwo")
    _ = bench.interface.focus.port.controller.marks.add(nil, at: .now)
    try bench.receive(" goes on\r\n")
    let pieces = try #require(sharing(bench).scrollback).lastPieces
    #expect(String(decoding: pieces.flatMap(\.bytes), as: UTF8.self) == "one\r\ntwo goes on\r\n")
    let now = Moment.now.wallClock
    #expect(pieces.allSatisfy { now - $0.time < 60_000_000_000 })
    bench.end()
  }

  // MARK: Places

  @Test(
    arguments: [
      ("4000", "127.0.0.1:4000", nil), ("lab:4000", "lab:4000", nil),
      ("4000,raw", "127.0.0.1:4000", .raw), ("[::1]:23,telnet", "[::1]:23", .telnet),
      ("./board.sock", "./board.sock", nil), ("/run/a,b", "/run/a,b", nil),
      ("/run/b.sock,raw", "/run/b.sock", .raw),
    ] as [(String, String, StreamProtocol?)])
  func `A place is read`(_ text: String, _ name: String, _ clientProtocol: StreamProtocol?) throws {
    let listenAddress = try #require(PortServer.ListenAddress(naming: text))
    #expect(listenAddress.name == name)
    #expect(listenAddress.clientProtocol == clientProtocol)
  }

  @Test(arguments: ["", "0", "65536", "lab", "4000,ser2net", "4000,", "::1:4000"])
  func `Anything else is no place`(_ text: String) {
    #expect(PortServer.ListenAddress(naming: text) == nil)
  }

  @Test(arguments: [
    ("4000", false), ("localhost:1", false), ("[::1]:1", false), ("127.9.9.9:1", false),
    ("0.0.0.0:1", true), ("[::]:1", true), ("192.0.2.1:1", true), ("lab:1", true),
    ("/run/x", false),
  ])
  func `An address that others reach is said aloud`(_ text: String, _ isLoud: Bool) throws {
    let listenAddress = try #require(PortServer.ListenAddress(naming: text))
    #expect((listenAddress.warning(allowing: []) != nil) == isLoud)
  }
}

extension SharingController {
  fileprivate func write(_ bytes: [UInt8], by id: Roster.ID) -> Writing {
    bytes.withUnsafeBytes { write($0, by: id) }
  }
}
