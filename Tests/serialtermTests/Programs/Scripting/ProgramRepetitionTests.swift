import Framing
import EventLoop
import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TestSupport
import Testing
import TextTools

@testable import serialterm

/// What a program sends at intervals, at a port with a fake link.
@Suite(.timeLimit(.minutes(30))) struct ProgramRepetitionTests {
  private final class Program {
    let bench: PortBench
    let clock = TestClock()
    private(set) var events: [String] = []
    /// What waits until a message is sent.
    var drain: AnyObject?
    private(set) lazy var port = JSONPort(
      bench.port, on: bench.loop, isCrowded: { false }
    ) { [unowned self] in
      switch $0 {
      case .event("repetition-ended", let members): events.append("\(JSON.object(members))")
      case .sends(let sent, _): drain = sent
      default: break
      }
    }
    private let pipe: (readEnd: FileDescriptor, writeEnd: FileDescriptor)

    init() throws {
      pipe = try FileDescriptor.pipe()
      bench = try PortBench(polling: pipe.readEnd, clock: clock)
    }

    deinit {
      for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() }
    }

    /// Gives a command, and returns its answer.
    func give(_ command: Command, _ argument: String? = nil) -> CommandOutcome? {
      var outcome: CommandOutcome?
      command.perform(
        CommandCall(
          from: .json, at: bench.port, sendingBy: port, argument: argument
        ) {
          outcome = $0
        })
      return outcome
    }

    func `repeat`(_ argument: String) -> CommandOutcome? {
      give(Command.repeatText.command, argument)
    }

    func pass(_ duration: Duration) throws {
      clock.advance(by: duration)
      try bench.loop.turn(waitingAtMost: .zero)
      try bench.loop.turn(waitingAtMost: .zero)
    }

    func accept(_ count: Int = .max) {
      bench.link.appetite = count
      bench.port.session.handle(.writable)
    }

    var sent: String { String(decoding: bench.link.sent, as: UTF8.self) }
    var isRepeating: Bool { bench.port.model.state.repeating != nil }
  }

  private func ended(_ reason: String, _ code: String, sent: Int, late: Int) -> String {
    #"{"text":"the repetition of \"a\" has ended (\#(reason)): \#(sent) sent, \#(late) late.","#
      + #""reason":"\#(reason)","code":"\#(code)","sent":\#(sent),"late":\#(late)}"#
  }

  @Test func `It is sent as a message is, and its end comes after its answer`() throws {
    let program = try Program()
    program.bench.port.model.update { ($0.lineEnding, $0.checksum) = (.lf, .sum8) }
    #expect(program.repeat("1s 2x a") == .done)
    try program.pass(.seconds(1))
    #expect(program.sent == "a\nka\nk")
    #expect(program.events == [ended("as ordered", "as-ordered", sent: 2, late: 0)])
    #expect(!program.isRepeating)
    #expect(program.repeat("1s 1x a") == .done)
    #expect(program.events.count == 1)
    try program.pass(.zero)
    #expect(program.events.last == ended("as ordered", "as-ordered", sent: 1, late: 0))
  }

  @Test func `'stop' says how it has ended, and another text ends it`() throws {
    let program = try Program()
    #expect(program.repeat("1s a") == .done)
    #expect(program.repeat("1s b") == .done)
    #expect(program.events == [ended("another text is repeated", "replaced", sent: 1, late: 0)])
    #expect(
      program.give(Command.stop)
        == .done(#"the repetition of "b" has ended (stopped): 1 sent, 0 late."#))
    #expect(program.events.count == 2)
    #expect(program.give(Command.stop) == .unavailable(because: .nothingRuns))
    try program.pass(.seconds(5))
    #expect(program.sent == "a\rb\r")
  }

  @Test func `What cannot be sent the first time is not repeated`() throws {
    let program = try Program()
    program.bench.link.appetite = 0
    let long = String(repeating: "x", count: 4_096)
    guard case .failed(let reason)? = program.repeat("1s \(long)") else {
      return #expect(Bool(false))
    }
    #expect(reason == "4,097 bytes were not sent: the queue is full, the device is too slow.")
    #expect(!program.isRepeating && program.events.isEmpty)
    try program.pass(.seconds(2))
    #expect(program.bench.port.session.queuedByteCount == 0)
  }

  @Test func `A device that is lost while the first one is sent is a failure`() throws {
    let program = try Program()
    program.bench.link.error = SerialError(.lost, in: "write", at: program.bench.link.endpoint)
    #expect(program.repeat("1s a") == .failed("not sent: no device."))
    #expect(!program.isRepeating && program.events.isEmpty)
  }

  @Test func `What is refused later ends it`() throws {
    let program = try Program()
    #expect(program.repeat("1s a") == .done)
    program.bench.port.model.update { $0.isReadOnly = true }
    #expect(program.events == [ended("read-only", "read-only", sent: 1, late: 0)])
  }

  @Test(arguments: [0, 1]) func `A text has 64 KiB at most`(excess: Int) throws {
    let program = try Program()
    let text = String(repeating: "x", count: 65_536 + excess)
    guard case .failed(let reason)? = program.repeat("1s \(text)") else {
      return #expect(Bool(false))
    }
    // The queue of the test is smaller.
    #expect(
      excess == 0
        ? reason.contains("the queue is full")
        : reason == "repeat: too much at once: 65536 bytes at most")
  }

  @Test func `A command that sends comes first`() throws {
    let program = try Program()
    #expect(program.repeat("1ms a") == .done)
    // The driver has always something while texts are sent.
    program.bench.link.unsentByteCount = 1
    var isDone = false
    try program.port.write(Array("b".utf8)) { isDone = true }
    for _ in 0..<100 { try program.pass(.milliseconds(1)) }
    #expect(program.sent == "a\rb" && !isDone)
    program.bench.link.unsentByteCount = 0
    try program.pass(.milliseconds(50))
    #expect(isDone && program.sent == "a\rb")
    program.drain = nil
    try program.pass(.milliseconds(1))
    #expect(program.sent == "a\rba\r")
    // So does a snippet.
    program.bench.link.unsentByteCount = 1
    try program.port.send(Array("c".utf8)) {}
    for _ in 0..<100 { try program.pass(.milliseconds(1)) }
    #expect(program.sent == "a\rba\rc")
  }
}
