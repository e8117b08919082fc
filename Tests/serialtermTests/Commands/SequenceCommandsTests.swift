import SerialCore
import SystemPackage
import Terminal
import TestSupport
import Testing

@testable import serialterm

/// Commands for line sequences in a whole session.
@Suite(.timeLimit(.minutes(30))) struct SequenceCommandsTests {
  private func bench(_ sequences: (String, String)...) throws -> InterfaceBench {
    var options = InterfaceBench.Options()
    options.sequences = try sequences.map { NamedSequence($0, try LineSequence(parsing: $1)) }
    let bench = try InterfaceBench(options)
    try bench.begin()
    return bench
  }

  private func answers(_ bench: InterfaceBench) -> String {
    String(decoding: bench.terminal.written, as: UTF8.self)
  }

  private func palette(_ bench: InterfaceBench, _ text: String) throws {
    try bench.command(":")
    try bench.type("\(text)\r")
  }

  @Test func `The palette plays one of the profile, and what is typed meanwhile is sent after it`()
    throws
  {
    let bench = try bench(("reset", "dtr=off,wait=100,dtr=on"))
    try palette(bench, "sequence: reset")
    #expect(bench.link?.lines == .rts)
    #expect(bench.state.playing == "reset")
    try bench.type("ls\r")
    #expect(bench.sent == [])
    try bench.pass(.milliseconds(100))
    #expect(bench.link?.lines == [.dtr, .rts])
    try bench.accept()
    #expect(bench.sent == Array("ls\r".utf8))
    #expect(answers(bench).contains("reset was played."))
    bench.end()
  }

  @Test func `One command lists the ready ones, and takes steps that are typed`() throws {
    let typed = try self.bench()
    typed.interface.perform(.sequence.command, from: .palette)
    try typed.type("rts=off,wait=10\r")
    #expect(typed.link?.lines == .dtr)
    #expect(typed.state.playing == "rts=off,wait=10")
    typed.end()
    let ready = try self.bench()
    ready.interface.perform(.sequence.command, from: .palette)
    try ready.type("esp32-run\r")
    #expect(ready.link?.lines == .rts)
    try ready.pass(.milliseconds(100))
    #expect(ready.link?.lines == [])
    #expect(answers(ready).contains("esp32-run was played."))
    ready.end()
  }

  @Test func `A program plays one by its name, and gets the end as the answer`() throws {
    let bench = try PortBench()
    var outcomes: [CommandOutcome] = []
    func play(_ argument: String?) {
      Command.sequence.command.perform(
        CommandCall(from: .json, at: bench.port, argument: argument) { outcomes.append($0) })
    }
    play("rts=off")
    #expect(outcomes == [.done("rts=off was played.")])
    play("nonsense")
    #expect(
      outcomes.last
        == .failed(
          "sequence: expected the name of a sequence, or steps such as dtr=off,wait=100,dtr=on"))
    play("esp32-run")
    #expect(outcomes.count == 2, "it takes a while")
    play("rts=on")
    #expect(outcomes.last == .unavailable(because: .playing("esp32-run")))
    Command.stop.perform(CommandCall(from: .json, at: bench.port) { outcomes.append($0) })
    #expect(outcomes[3].message.hasPrefix("esp32-run was stopped. DTR off, RTS on,"))
    #expect(outcomes[4] == .done)
  }

  @Test func `A step that fails is in the answer`() throws {
    let bench = try PortBench()
    bench.link.error = SerialError(.system, in: "apply", at: .tty("/dev/ttyTEST"))
    var outcome: CommandOutcome?
    Command.sequence.command.perform(
      CommandCall(from: .json, at: bench.port, argument: "rts=off,baud=1200,rts=on") {
        outcome = $0
      })
    #expect(outcome?.refusal?.hasPrefix("rts=off,baud=1200,rts=on failed at baud=1200: ") == true)
    #expect(bench.link.lines == .dtr)
  }

  @Test func `Unplugged in the middle, it ends, and the device comes back at its rate`() throws {
    let bench = try bench(("touch", "baud=1200,dtr=off,wait=500,dtr=on"))
    try palette(bench, "sequence: touch")
    #expect(bench.link?.settings.baudRate == 1_200)
    try bench.unplug()
    #expect(answers(bench).contains("touch ended with the port."))
    #expect(bench.state.playing == nil)
    #expect(bench.state.requestedSettings.baudRate == 115_200)
    try bench.plug()
    #expect(bench.links.count == 2)
    #expect(bench.link?.settings.baudRate == 115_200)
    try bench.pass(.seconds(1))
    #expect(bench.link?.lines == [.dtr, .rts])
    bench.end()
  }

  @Test func `A sequence needs what its steps need`() {
    var state = TerminalState()
    state.session = .open(.tty("/dev/ttyUSB0"), LineSettings())
    state.sequences = [
      NamedSequence("lines", LineSequence([.set(asserting: .dtr, deasserting: [])])),
      NamedSequence("break", LineSequence([.setBreak(true)])),
      NamedSequence("rate", LineSequence([.setBaudRate(1_200)])),
      NamedSequence("wait", LineSequence([.wait(.zero)])),
    ]
    func reasons() -> [String?] {
      state.sequences.map { $0.command.refusal(in: state)?.text }
    }
    #expect(
      reasons() == [
        "this port has no modem lines", "this port has no break", "this port has no line settings",
        nil,
      ])
    state.capabilities = [.settings, .breaks, .modemLines]
    #expect(reasons() == [nil, nil, nil, nil])
    state.isReadOnly = true
    #expect(Set(reasons()) == ["read-only"])
    state.isReadOnly = false
    state.playing = "wait"
    #expect(Set(reasons()) == ["wait is playing"])
    state.exchange = .file("image.bin")
    #expect(Set(reasons()) == ["image.bin is being sent"])
    state.session = .released(.tty("/dev/ttyUSB0"))
    #expect(Set(reasons()) == ["port released"])
  }

  @Test func `The end of the session stops it, and sets the rate back`() throws {
    let bench = try bench(("touch", "baud=1200,wait=500"))
    try palette(bench, "sequence: touch")
    try bench.command("q")
    bench.end()
    #expect(bench.links.last?.settings.baudRate == 115_200)
  }
}
