import SerialCore
import TestSupport
import Testing
import TextTools

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct JSONCommandTests {
  @Test(arguments: [
    (#"{}"#, "\(noCommand); the member \"command\" is missing"),
    (#"{"command":"dance"}"#, "\(noCommand); 'dance' is none"),
    (#"{"command":"send"}"#, "send needs either text or hex"),
    (#"{"command":"expect"}"#, "expect needs a regex"),
    (
      #"{"command":"expect","regex":"a","timeout":0}"#,
      #"timeout: expected seconds from 0.001 to 86400, or a time such as "500ms""#
    ),
    (
      #"{"command":"set"}"#,
      "set needs one of dtr, rts, baud, data-bits, parity, stop-bits, flow"
    ),
    (
      #"{"command":"set","dtr":true,"baud":9600}"#,
      "set changes either settings or modem lines, not both"
    ),
    (#"{"command":"set","dtr":1}"#, "dtr: expected true or false"),
    (#"{"command":"set","baud":0}"#, "baud: expected a whole number from 1 to 2147483647"),
    (#"{"command":"set","baud":"9600"}"#, "baud: expected a whole number from 1 to 2147483647"),
    (#"{"command":"set","baud":null}"#, "baud: expected a whole number from 1 to 2147483647"),
    (#"{"command":"set","data-bits":9}"#, "data-bits: expected one of 5, 6, 7, 8"),
    (#"{"command":"set","parity":"big"}"#, "parity: expected one of none, odd, even, mark, space"),
    (#"{"command":"set","stop-bits":true}"#, "stop-bits: expected one of 1, 2"),
    (#"{"command":"set","flow":"rts"}"#, "flow: expected one of none, hard, soft"),
    (#"{"command":"break","milliseconds":0}"#, "milliseconds: expected 1 to 10000"),
    (#"{"command":"break","milliseconds":"9"}"#, "milliseconds: expected 1 to 10000"),
    (#"{"command":"watch","events":["people","weather"]}"#, watchedEvents),
    (#"{"command":"watch","events":"people"}"#, watchedEvents),
    (#"{"command":"watch","received":"raw"}"#, #"received: expected "shown""#),
    (#"{"command":"plot","width":0}"#, "width: expected a whole number from 320 to 4096"),
    (#"{"command":"plot","height":"9"}"#, "height: expected a whole number from 120 to 4096"),
    (#"{"command":"send-file","path":"x","name":""}"#, fileName),
    (#"{"command":"send-file","path":"x","name":"../x"}"#, fileName),
    (#"{"command":"send-file","path":"x","name":"a\u001b"}"#, fileName),
    (#"{"command":"send-file","path":"x","name":1}"#, fileName),
    (#"{"command":"give-pen"}"#, "to: expected the id of a member"),
    (#"{"command":"give-pen","to":-1}"#, "to: expected the id of a member"),
    (#"{"command":"baud","argument":[]}"#, "argument: expected a string or a whole number"),
  ])
  func mistake_isNamed(line: String, message: String) throws {
    let json = try JSON(parsing: line)
    #expect(throws: JSONCommand.Mistake(message)) { _ = try JSONCommand(json) }
  }

  private static let fileName = "name: expected the name of a file, without a path"

  private static let watchedEvents =
    "events: expected an array of people, commands, lines, counters, repetition, plot"

  private static let noCommand =
    "expected a command, such as send, expect, set, break or close: see 'serialterm help json'"

  @Test(arguments: [("2", 2_000), (#""2s""#, 2_000), (#""250ms""#, 250)])
  func timeout_hasAUnitOrIsSeconds(text: String, milliseconds: Int) throws {
    let json = try JSON(parsing: #"{"command":"expect","regex":"a","timeout":\#(text)}"#)
    guard case .expect(_, let limit) = try JSONCommand(json) else {
      Issue.record("not an expect")
      return
    }
    #expect(limit == .milliseconds(milliseconds))
  }

  /// Performs a line on a port, and returns the outcome.
  private func outcome(of line: String, at bench: PortBench) throws -> CommandOutcome? {
    var outcome: CommandOutcome?
    switch try JSONCommand(try JSON(parsing: line)) {
    case .perform(let action, let argument, _):
      action(CommandCall(from: .json, at: bench.port, argument: argument) { outcome = $0 })
    case .send, .expect, .transfer, .watch, .plot, .release, .takeBack, .startLog, .stopLog,
      .readLog, .close:
      Issue.record("not a command of the session: \(line)")
    }
    bench.port.lineCommands.end()
    return outcome
  }

  @Test func readLog_hasAPlaceAndASize() throws {
    func order(_ members: String) throws -> JSONCommand.LogPieceOrder? {
      let line = #"{"command":"read-log"\#(members)}"#
      guard case .readLog(let order) = try JSONCommand(try JSON(parsing: line)) else { return nil }
      return order
    }
    #expect(try order("") == JSONCommand.LogPieceOrder(offset: 0, count: 16_384))
    #expect(try order(#","offset":70000,"bytes":"5""#) == .init(offset: 70_000, count: 5))
    for members in [
      #","offset":-1"#, #","offset":1.5"#, #","offset":true"#, #","bytes":0"#, #","bytes":16385"#,
      #","bytes":"all""#,
    ] {
      #expect(throws: JSONCommand.Mistake.self, "\(members)") { try order(members) }
    }
  }

  @Test func watch_hasItsParts() throws {
    let line = #"{"command":"watch","events":["people","plot"],"received":"shown"}"#
    guard case .watch(let order) = try JSONCommand(try JSON(parsing: line)) else {
      Issue.record("not a watch")
      return
    }
    #expect(order == JSONCommand.WatchOrder(parts: [.people], plots: true, showsText: true))
  }

  @Test func set_changesAllSettingsAtOnce() throws {
    let bench = try PortBench()
    let line = #"{"command":"set","baud":9600,"data-bits":"7","parity":"even","stop-bits":2}"#
    #expect(try outcome(of: line, at: bench) == .done("Now 9600 7E2."))
    #expect(
      bench.link.settings
        == LineSettings(baudRate: 9600, dataBits: .seven, parity: .even, stopBits: .two))
  }

  @Test func set_changesLines() throws {
    let bench = try PortBench()
    bench.link.lines = [.dtr]
    let line = #"{"command":"set","dtr":false,"rts":true}"#
    #expect(try outcome(of: line, at: bench)?.refusal == nil)
    #expect(bench.link.lines == [.rts])
  }

  @Test func break_isSent() throws {
    let bench = try PortBench()
    #expect(try outcome(of: #"{"command":"break"}"#, at: bench) == .done("Break sent."))
    #expect(bench.link.breaks == [true, false])
  }

  @Test func commandByName_hasItsArgument() throws {
    let bench = try PortBench()
    let line = #"{"command":"toggle-line","argument":"rts"}"#
    #expect(try outcome(of: line, at: bench)?.refusal == nil)
    #expect(bench.link.lines == [.dtr])
    #expect(
      try outcome(of: #"{"command":"toggle-line"}"#, at: bench)
        == .failed("toggle-line: expected dtr or rts"))
  }
}
