import Framing
import ProgramCommands
import Testing
import TextTools

@testable import serialterm

/// The lines of a program, and what becomes of its commands. Actions are compared as words; what is
/// written is the line itself.
@Suite struct JSONProtocolTests {
  private typealias Event = JSONProtocol.Event

  private var program = JSONProtocol()

  init() { program.names = [nil] }

  private static func line(_ text: String) -> ProgramLine {
    ProgramLine.messages(of: .success(text))[0]
  }

  /// What is done when a program writes a line, and its turn has come.
  private mutating func give(_ line: String) -> [String] {
    words(.step(.perform(Self.line(line))))
  }

  private mutating func words(_ event: Event) -> [String] {
    program.handle(event).map {
      switch $0 {
      case .write(let line): String(line.dropLast())
      case .perform(_, let port, let number): "perform \(number) at \(port)"
      case .stop(let wait, let port): "stop \(wait) at \(port)"
      case .release: "release"
      case .drop(_, let id, let port): "drop \(id) at \(port)"
      case .finish: "finish"
      case .fail(let failure): "fail: \(failure.message)"
      }
    }
  }

  /// A command of a program with an only port, by its members, and what follows after it has begun.
  private struct Row {
    let command: String
    let events: [Event]
    let actions: [String]
  }

  private static let cancelled = [#"{"event":"failed","id":1,"reason":"cancelled"}"#, "release"]
  private static let noDevice = [#"{"event":"failed","id":1,"reason":"no device"}"#, "release"]
  private static var gone: Event { .closed(port: 0, isFinal: true, isJoined: false) }
  private static var away: Event { .closed(port: 0, isFinal: false, isJoined: false) }

  private static var rows: [Row] {
    [
      Row(
        command: #""send","text":"a""#, events: [.sends(byteCount: 1), .ended(1, .done())],
        actions: [#"{"event":"done","id":1}"#, "release"]),
      Row(
        command: #""send","text":"abc""#,
        events: [.sends(byteCount: 3), .step(.stop), .stopped(unsentCount: 2)],
        actions: [
          "stop send(byteCount: 3) at 0",
          #"{"event":"failed","id":1,"reason":"cancelled","unsent":2}"#, "release",
        ]),
      // What is repeated waits, too.
      Row(
        command: #""send","text":"abc""#,
        events: [.sends(byteCount: 3), .step(.stop), .stopped(unsentCount: 90)],
        actions: [
          "stop send(byteCount: 3) at 0",
          #"{"event":"failed","id":1,"reason":"cancelled","unsent":3}"#, "release",
        ]),
      // What is being sent waits for a device that may come back.
      Row(command: #""send","text":"a""#, events: [.sends(byteCount: 1), away], actions: []),
      Row(command: #""send","text":"a""#, events: [.sends(byteCount: 1), gone], actions: noDevice),
      // A snippet is a message, too.
      Row(
        command: #""snippet: a""#, events: [.sends(byteCount: 1), .step(.stop), .stopped()],
        actions: [
          "stop send(byteCount: 1) at 0",
          #"{"event":"failed","id":1,"reason":"cancelled","unsent":0}"#, "release",
        ]),
      Row(
        command: #""expect","regex":"a""#,
        events: [.matched(.array([.string("a")])), .ended(1, .failed("timeout"))],
        actions: [#"{"event":"done","id":1,"match":["a"]}"#, "release"]),
      Row(
        command: #""expect","regex":"a""#, events: [.ended(1, .failed("timeout"))],
        actions: [#"{"event":"failed","id":1,"reason":"timeout"}"#, "release"]),
      Row(
        command: #""expect","regex":"a""#, events: [gone, .step(.stop), .stopped()],
        actions: ["stop expect at 0"] + cancelled),
      Row(
        command: #""release""#, events: [.step(.stop), .stopped()],
        actions: ["stop release at 0"] + cancelled),
      Row(
        command: #""read-log""#, events: [.step(.stop), .stopped(), .ended(1, .done())],
        actions: ["stop log at 0"] + cancelled),
      Row(command: #""read-log""#, events: [gone], actions: []),
      Row(
        command: #""read-log""#, events: [.closed(port: 0, isFinal: false, isJoined: true)],
        actions: noDevice),
      // A transfer says how far it got.
      Row(
        command: #""send-file","path":"a""#,
        events: [.step(.stop), .stopped(), .ended(1, .failed("half of it"))],
        actions: [
          "stop transfer at 0", #"{"event":"failed","id":1,"reason":"half of it"}"#, "release",
        ]),
      Row(command: #""send-file","path":"a""#, events: [gone], actions: []),
      Row(
        command: #""break""#, events: [.step(.stop), .ended(1, .done()), .stopped()],
        actions: ["stop outcome at 0"] + cancelled),
      // What cannot be stopped ends by itself.
      Row(
        command: #""statistics""#,
        events: [.step(.stop), .stopped(), .ended(1, .done([("message", .string("a"))]))],
        actions: ["stop outcome at 0", #"{"event":"done","id":1,"message":"a"}"#, "release"]),
      Row(command: #""break""#, events: [away, .ended(1, .done())], actions: noDevice),
      Row(
        command: #""break""#, events: [.closed(port: 1, isFinal: true, isJoined: false)],
        actions: []),
      // What is answered at once cannot be stopped.
      Row(command: #""stop-log""#, events: [.step(.stop)], actions: []),
      Row(command: #""close""#, events: [.step(.stop), gone], actions: []),
    ]
  }

  @Test(arguments: rows.indices)
  func `A command gets the answer that its events lead to`(_ index: Int) {
    let row = Self.rows[index]
    var tests = Self()
    let begin = tests.give("{\"id\":1,\"command\":\(row.command)}")
    #expect(begin == ["perform 1 at 0"])
    #expect(row.events.flatMap { tests.words($0) } == row.actions)
  }

  @Test func `An outcome that comes after the answer is not that of the next command`() {
    var tests = Self()
    _ = tests.give(#"{"command":"break"}"#)
    #expect(tests.words(Self.away).count == 2)
    #expect(tests.give(#"{"id":2,"command":"break"}"#) == ["perform 2 at 0"])
    #expect(tests.words(.ended(1, .done())) == [])
    #expect(tests.words(.ended(2, .done())) == [#"{"event":"done","id":2}"#, "release"])
    #expect(!tests.program.isBusy)
  }

  @Test(
    "what fails before it begins",
    arguments: [
      (#"{"id":"a","command":"expect"}"#, "expect needs a regex"),
      (
        #"{"id":"a","command":"send","text":"a","port":"b"}"#,
        "port: leave it out, there is only one"
      ),
    ])
  func mistakes(_ line: String, _ reason: String) {
    var tests = Self()
    #expect(
      tests.give(line) == [
        #"{"event":"failed","id":"a","reason":"\#(reason)"}"#, "release",
      ])
  }

  @Test func `With several ports, a command names one, and its answer too`() {
    var tests = Self()
    tests.program.names = ["a", "b"]
    #expect(tests.give(#"{"id":1,"command":"send","text":"x","port":"b"}"#) == ["perform 1 at 1"])
    #expect(
      tests.words(.ended(1, .unavailable(Reason("read-only", "it is read-only")))) == [
        #"{"event":"failed","port":"b","id":1,"reason":"it is read-only","code":"read-only"}"#,
        "release",
      ])
    #expect(
      tests.give(#"{"id":2,"command":"send","text":"x"}"#) == [
        #"{"event":"failed","id":2,"reason":"port: expected one of a, b"}"#, "release",
      ])
    // It is for all of them.
    #expect(tests.give(#"{"id":3,"command":"close"}"#) == ["perform 3 at 0"])
    #expect(tests.words(.ended(3, .done())) == [#"{"event":"done","id":3}"#, "release"])
    #expect(tests.program.line("state", [], port: 0) == "{\"event\":\"state\",\"port\":\"a\"}\n")
  }

  @Test(
    "what a cancel keeps from beginning",
    arguments: [
      (#"{"id":1,"command":"send","text":"abc","port":"b"}"#, "drop 1 at 1"),
      (
        #"{"id":1,"command":"send","text":"abc","port":"c"}"#,
        #"{"event":"failed","id":1,"reason":"cancelled"}"#
      ),
      (
        #"{"id":1,"command":"break","port":"a"}"#,
        #"{"event":"failed","port":"a","id":1,"reason":"cancelled"}"#
      ),
      (#"{"id":1,"command":"nonsense"}"#, #"{"event":"failed","id":1,"reason":"cancelled"}"#),
      (#"{"id":1,"command":"close"}"#, #"{"event":"failed","id":1,"reason":"cancelled"}"#),
    ])
  func dropped(_ line: String, _ action: String) {
    var tests = Self()
    tests.program.names = ["a", "b"]
    #expect(tests.words(.step(.drop(Self.line(line)))) == [action])
  }

  @Test func `What is not JSON fails because of that, also if it was cancelled`() throws {
    var tests = Self()
    let fault = try #require(throws: (any Error).self) { try JSON(parsing: "nonsense") }
    let reason = JSON.string("\(fault)")
    let answer = #"{"event":"failed","id":null,"reason":\#(reason)}"#
    #expect(tests.words(.step(.drop(Self.line("nonsense")))) == [answer])
    #expect(tests.give("nonsense") == [answer, "release"])
  }

  @Test func `A line that is too long ends the program`() {
    var tests = Self()
    let line = ProgramLine.messages(of: .failure(.tooLong(limit: 1)))[0]
    for step in [.perform(line), .drop(line)] as [ProgramLines<ProgramLine>.Step] {
      #expect(tests.words(.step(step)) == ["fail: a command is longer than 1048576 bytes."])
    }
  }

  @Test func `A cancel is done, and the end of the input ends the program`() {
    var tests = Self()
    let cancel = Self.line(#"{"id":[2],"command":"cancel"}"#)
    #expect(tests.words(.step(.stop)) == [])
    #expect(tests.words(.step(.confirm(cancel))) == [#"{"event":"done","id":[2]}"#])
    #expect(tests.words(.step(.finish)) == ["finish"])
  }
}
