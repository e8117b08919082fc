import SerialCore
import SystemPackage
import Testing
import TextTools

@testable import serialterm

/// The text about a process that has a port open, and about a session that can be joined.
@Suite(.timeLimit(.minutes(30))) struct PortHolderTextTests {
  private let holder = PortHolder(pid: 4_711, command: "serialterm")

  @Test func `A list names the command that joins a session`() {
    let note = { holder.note(at: "/dev/ttyUSB0", hasSession: $0, hasOtherPorts: $1) }
    #expect(note(false, false) == "held by pid 4711 (serialterm)")
    #expect(note(true, false) == "held by pid 4711 (serialterm): 'serialterm attach 4711'")
    #expect(note(true, true) == "held by pid 4711 (serialterm): 'serialterm attach /dev/ttyUSB0'")
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
    #expect(PortProblem.busy(holder).wayIn(at: "A") == nil)
    #expect(PortProblem.busy(nil).wayIn(at: "A") == nil)
    #expect(
      PortProblem.busy(holder, hasSession: true).wayIn(at: "A")
        == "'serialterm attach 4711' joins that session.")
  }

  @Test func `A program with other ports is joined at the port, and not to be ended`() {
    #expect(
      message(.busy(holder, hasSession: true, hasOtherPorts: true))
        == "/dev/ttyUSB0: busy, held by pid 4711 (serialterm), which has other ports too. "
        + "'serialterm attach /dev/ttyUSB0' joins that session. Or lend its port to a command: "
        + "'serialterm release /dev/ttyUSB0 -- COMMAND'.")
    #expect(
      message(.busy(PortHolder(pid: 4_711, command: "gpsd"), hasOtherPorts: true))
        == "/dev/ttyUSB0: busy, held by pid 4711 (gpsd), which has other ports too. Close this port "
        + "in that program: its end would close the others too.")
  }

  @Test func `A port that this program has itself is named once`() {
    let failure = Failure(busy, .openHere, denial: nil)
    #expect(failure.status == .usage)
    #expect(
      failure.message
        == "/dev/ttyUSB0: this program already has the port open. Name each device once.")
  }
}
