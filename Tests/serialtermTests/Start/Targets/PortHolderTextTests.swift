import SerialCore
import SystemPackage
import Testing
import TextTools

@testable import serialterm

/// The text about a process that has a port open, and about a session that can be joined.
@Suite(.timeLimit(.minutes(30))) struct PortHolderTextTests {
  private let holder = PortHolder(pid: 4_711, command: "serialterm")

  @Test func `A list names the command that joins a session`() {
    #expect(holder.note(hasSession: false) == "held by pid 4711 (serialterm)")
    #expect(
      holder.note(hasSession: true) == "held by pid 4711 (serialterm): 'serialterm attach 4711'")
  }

  @Test func `JSON says whether there is a session to join`() {
    #expect(
      "\(holder.json(hasSession: true))"
        == #"{"pid":4711,"command":"serialterm","session":true}"#)
    #expect(
      "\(holder.json(hasSession: false))"
        == #"{"pid":4711,"command":"serialterm","session":false}"#)
  }

  @Test func `A process that does not exist has no session`() {
    #expect(!PortHolder(pid: .max, command: "serialterm").hasSession)
  }

  private let busy = SerialError(.busy, in: "open", at: .tty("/dev/ttyUSB0"))

  private func message(_ problem: PortProblem) -> String {
    let failure = Failure(busy, problem, denial: nil)
    #expect(failure.status == .deviceBusy)
    return failure.message
  }

  @Test func `A busy port's message says how to join the session that has it`() {
    #expect(
      message(.busy(holder, hasSession: true))
        == "/dev/ttyUSB0: busy, held by pid 4711 (serialterm). 'serialterm attach 4711' joins that session. "
        + "Or quit it, or lend its port to a command: 'serialterm release /dev/ttyUSB0 -- COMMAND'."
    )
  }

  @Test func `Without a session, there is nothing to join`() {
    #expect(!message(.busy(holder)).contains("attach"))
    #expect(
      message(.busy(PortHolder(pid: 4_711, command: "minicom")))
        == "/dev/ttyUSB0: busy, held by pid 4711 (minicom). End that program: 'kill 4711'.")
    #expect(PortProblem.busy(holder).wayIn == nil)
    #expect(PortProblem.busy(nil).wayIn == nil)
    #expect(
      PortProblem.busy(holder, hasSession: true).wayIn
        == "'serialterm attach 4711' joins that session.")
  }
}
