import Dialogues
import Encodings
import Patterns
import SerialCore
import Sessions
import SystemPackage
import Testing
import Time

/// The exchange of a script: events go in, actions come out as text. The clock stays at 0 unless
/// a test sets it.
@Suite struct DialogueExchangeTests {
  private final class Run {
    var exchange: DialogueExchange
    var now = MonotonicTime(nanoseconds: 0)

    init(_ script: String, in encoding: Encoding = .utf8) throws {
      exchange = DialogueExchange(
        try Dialogue(parsing: Array(script.utf8)), timeout: .seconds(5),
        encodedBy: encoding.isUTF8 ? nil : try EncodingWriter(encoding))
    }

    /// Handles an event, and returns the actions as text.
    func callAsFunction(_ event: ExchangeEvent) -> [String] {
      exchange.handle(event, at: now).map(Self.text)
    }

    func received(_ text: String) -> [String] { self(.received(Array(text.utf8))) }

    private static func text(
      _ action: ExchangeAction<DialogueExchange.Report, DialogueExchange.End>
    ) -> String {
      switch action {
      case .send(let bytes): "send \(String(decoding: bytes, as: UTF8.self))"
      case .drain: "drain"
      case .watchStandstill(let limit): "standstill \(limit.map { "\($0)" } ?? "off")"
      case .perform(let operation): "\(operation)"
      case .wake(let time): "wake \(time.map { "\($0.nanoseconds / 1_000_000)" } ?? "off")"
      case .yield: "yield"
      case .withdraw: "withdraw"
      case .read: "read"
      case .awaitRoom, .store, .pass, .watchAnswers: "\(action)"
      case .report(.step(let instruction)): "line \(instruction.line)"
      case .report(.received(let bytes)): "show \(String(decoding: bytes, as: UTF8.self))"
      case .report(.print(let bytes)): "print \(String(decoding: bytes, as: UTF8.self))"
      case .report(.roundMatched): "matched"
      case .report(.timedOut(let end)): "tried: \(Self.text(end))"
      case .finish(let end): Self.text(end)
      }
    }

    private static func text(_ end: DialogueExchange.End) -> String {
      switch end {
      case .done: "done"
      case .timedOut(let expressions, let limit):
        "timed out after \(limit): \(expressions.map(\.text))"
      case .unmatched(let rounds): "unmatched in \(rounds.count) rounds"
      case .standstill: "no progress"
      case .unanswered: "no answer"
      case .refused: "refused"
      case .sendFailed(let error): "\(error.code)"
      case .unencodable(let error): "\(error)"
      case .failed(let reason): "failed: \(String(decoding: reason, as: UTF8.self))"
      case .cutOff: "cut off"
      }
    }
  }

  @Test func sentText_isInTheEncodingOfTheDevice() throws {
    let run = try Run("expect /(.)/\nsend \"$1\\xff\"\n", in: Encoding("UTF-16BE"))
    _ = (run(.begun), run(.resumed))
    _ = run.received("ž")
    guard
      case .send(let bytes)? = run.exchange.handle(
        .resumed, at: MonotonicTime(nanoseconds: 0)
      ).dropFirst().first
    else {
      Issue.record("nothing is sent")
      return
    }
    #expect(bytes == [0x01, 0x7E, 0xFF])
  }

  @Test func aCharacterOfAMatch_thatTheEncodingDoesNotHave_isAFailure() throws {
    let run = try Run("expect /(.)/\nsend \"$1\"\n", in: Encoding("CP437"))
    _ = (run(.begun), run(.resumed))
    _ = run.received("ž")
    #expect(run(.resumed) == ["line 2", #""ž" (U+017E) does not exist in CP437"#])
  }

  @Test func sending_isDrainedBeforeTheNextStep() throws {
    let run = try Run("send \"hello\"\nset dtr on")
    #expect(run(.begun) == ["yield"])
    #expect(run(.resumed) == ["line 1", "send hello", "standstill 5.0 seconds", "drain"])
    #expect(run(.sent(5)) == [])
    #expect(run(.drained) == ["standstill off", "yield"])
    #expect(run(.resumed).first == "line 2")
    #expect(run(.performed(.done)) == ["yield"])
    #expect(run(.resumed) == ["done"])
  }

  @Test func anExpectation_isMet_alsoByTextThatCameBefore() throws {
    let run = try Run("expect /a(.)c/\nexpect /d/\nprint \"$0\"")
    #expect(run(.begun) == ["yield"])
    #expect(run(.resumed) == ["line 1", "wake 5000"])
    #expect(run.received("xa") == ["show xa"])
    #expect(run.received("bcd!") == ["show bc", "wake off", "yield"])
    #expect(run(.resumed) == ["line 2", "wake 5000", "show d", "wake off", "yield"])
    #expect(run(.resumed) == ["line 3", "show !", "print d\n", "yield"])
    #expect(run(.resumed) == ["done"])
  }

  @Test func anExpectation_thatIsNotMetInTime_ends() throws {
    let run = try Run("expect /never/ within 2s")
    _ = run(.begun)
    #expect(run(.resumed) == ["line 1", "wake 2000"])
    #expect(run.received("neve") == ["show neve"])
    #expect(run(.woken) == ["timed out after 2.0 seconds: [\"never\"]"])
  }

  private static let leavingStep = ["withdraw", "standstill off"]

  @Test func aTimeoutInTry_isReported_andElseFollows() throws {
    let run = try Run(
      "try {\nexpect /never/ within 2s\nwait 1s\n} else {\nexpect /ever/\n}\nset dtr on")
    _ = run(.begun)
    #expect(run(.resumed) == ["line 2", "wake 2000"])
    #expect(run.received("ever") == ["show ever"])
    #expect(
      run(.woken) == Self.leavingStep + [
        "wake off", "tried: timed out after 2.0 seconds: [\"never\"]", "yield",
      ])
    // What came before the timeout is searched again.
    #expect(run(.resumed) == ["line 5", "wake 5000", "wake off", "yield"])
    #expect(run(.resumed).first == "line 7")
  }

  @Test func aTimeoutInElse_goesToTheOuterTry_orEnds() throws {
    let attempt = "try {\nexpect /a/\n} else {\nexpect /b/\n}\n"
    let single = try Run(attempt)
    _ = (single(.begun), single(.resumed), single(.woken))
    #expect(single(.resumed).first == "line 4")
    #expect(single(.woken) == ["timed out after 5.0 seconds: [\"b\"]"])
    let double = try Run("try {\n\(attempt)wait 1s\n}\nset dtr on")
    _ = (double(.begun), double(.resumed), double(.woken), double(.resumed))
    #expect(double(.woken).contains("tried: timed out after 5.0 seconds: [\"b\"]"))
    #expect(double(.resumed).first == "line 9")
  }

  @Test func aStandstillInTry_withdrawsTheBytes_andALateDrainIsNoAnswer() throws {
    let run = try Run("try {\nsend \"x\"\nwait 1s\n} else {\nexpect /a/\nsend \"y\"\n}")
    _ = (run(.begun), run(.resumed))
    #expect(run(.standstill) == Self.leavingStep + ["wake off", "tried: no progress", "yield"])
    // The driver has sent what it had.
    #expect(run(.drained) == [])
    #expect(run(.standstill) == [])
    #expect(run(.resumed) == ["line 5", "wake 5000"])
    #expect(run(.drained) == [])
    #expect(run.received("a") == ["show a", "wake off", "yield"])
    #expect(run(.resumed).first == "line 6")
    #expect(run(.drained) == ["standstill off", "yield"])
    #expect(run(.resumed) == ["done"])
  }

  @Test func onlyATimeout_goesToElse() throws {
    let error = SerialError(.notOpen, in: "write", at: .tty("/dev/ttyTEST"))
    for (step, event, end) in [
      ("send \"x\"", .sendFailed(error), ["notOpen"]),
      ("break 1ms", .performed(.refused), ["refused"]),
      ("expect /a/", .stopped, ["withdraw", "cut off"]), ("expect /a/", .leaving, ["cut off"]),
      ("expect /a/", .cutOff(sent: 0), ["cut off"]),
    ] as [(String, ExchangeEvent, [String])] {
      let run = try Run("try {\n\(step)\n} else {\nwait 1s\n}")
      _ = (run(.begun), run(.resumed))
      #expect(run(event) == end, "\(step)")
    }
    let failing = try Run("try {\nfail \"no way\"\n} else {\nwait 1s\n}")
    _ = failing(.begun)
    #expect(failing(.resumed) == ["line 2", "failed: no way"])
  }

  @Test func rounds_endWithTheMatch() throws {
    let run = try Run("repeat 5 every 1s until /O(K)/ {\nset dtr on\n}\nprint \"$1\"")
    #expect(run(.begun) == ["yield"])
    #expect(run(.resumed) == ["line 1", "yield"])
    #expect(run(.resumed).first == "line 2")
    #expect(run(.performed(.done)) == ["yield"])
    #expect(run(.resumed) == ["line 1", "wake 1000"])
    #expect(run.received("busy") == ["show busy"])
    // The timer is late; the next round ends at its time.
    run.now = MonotonicTime(nanoseconds: 1_020_000_000)
    #expect(run(.woken) == ["yield"])
    #expect(run(.resumed).first == "line 2")
    _ = run(.performed(.done))
    #expect(run(.resumed) == ["line 1", "wake 2000"])
    #expect(run.received("OK!") == ["show OK", "matched", "wake off", "yield"])
    #expect(run(.resumed) == ["line 4", "show !", "print K\n", "yield"])
    #expect(run(.resumed) == ["done"])
  }

  @Test func aRound_thatTakesLong_isSearchedOnce() throws {
    let run = try Run("repeat 2 every 1s until /OK/ {\nwait 3s\n}")
    _ = (run(.begun), run(.resumed), run(.resumed))
    // What comes during the round is shown as soon as it is searched.
    #expect(run.received("no") == ["show no"])
    run.now = MonotonicTime(nanoseconds: 3_000_000_000)
    #expect(run(.woken) == ["yield"])
    #expect(run(.resumed) == ["line 1", "wake 3000"])
    #expect(run(.woken) == ["yield"])
    #expect(run(.resumed) == ["line 2", "wake 6000"])
    #expect(run.received("OK") == ["show OK"])
    run.now = MonotonicTime(nanoseconds: 6_000_000_000)
    _ = run(.woken)
    #expect(run(.resumed) == ["line 1", "wake 6000", "matched", "wake off", "yield"])
    #expect(run(.resumed) == ["done"])
  }

  @Test func rounds_withoutAMatch_areATimeout() throws {
    let run = try Run("repeat 1 until /OK/ {\nwait 1s\n}")
    _ = (run(.begun), run(.resumed), run(.resumed), run(.woken))
    #expect(run(.resumed) == ["line 1", "wake 5000"])
    #expect(run(.woken) == ["unmatched in 1 rounds"])
    let tried = try Run("try {\nrepeat 1 until /OK/ {\nwait 1s\n}\n}\n")
    _ = (tried(.begun), tried(.resumed), tried(.resumed), tried(.woken), tried(.resumed))
    #expect(
      tried(.woken) == Self.leavingStep + ["wake off", "tried: unmatched in 1 rounds", "yield"])
    #expect(tried(.resumed) == ["done"])
  }

  @Test func roundsWithoutAnEnd_areNoTimeout() throws {
    let run = try Run("repeat 2 every 1s {\nset dtr on\n}")
    _ = (run(.begun), run(.resumed), run(.resumed), run(.performed(.done)))
    #expect(run(.resumed) == ["line 1", "wake 1000"])
    #expect(run.received("x") == ["show x"])
    #expect(run(.woken) == ["yield"])
    _ = (run(.resumed), run(.performed(.done)))
    // Nothing follows the last round.
    #expect(run(.resumed) == ["line 1", "wake 0"])
    #expect(run(.woken) == ["yield"])
    #expect(run(.resumed) == ["done"])
  }

  @Test func aWait_isFollowedByTheNextStep() throws {
    let run = try Run("wait 30ms")
    _ = run(.begun)
    #expect(run(.resumed) == ["line 1", "wake 30"])
    #expect(run(.woken) == ["yield"])
    #expect(run(.resumed) == ["done"])
  }

  @Test func everyOperationOfTheLine_isAskedFor() throws {
    let run = try Run("set rts off\nset baud 9600\nbreak 250ms\npulse dtr 100ms")
    _ = run(.begun)
    var asked: [ExchangeAction<DialogueExchange.Report, DialogueExchange.End>] = []
    for _ in 0..<4 {
      asked += run.exchange.handle(.resumed, at: MonotonicTime(nanoseconds: 0)).dropFirst()
      #expect(run(.performed(.done)) == ["yield"])
    }
    let operations = asked.map { action -> LineOperation? in
      if case .perform(let operation) = action { operation } else { nil }
    }
    #expect(
      operations == [
        .setLines(asserting: [], deasserting: .rts), .setBaudRate(9_600),
        .sendBreak(.milliseconds(250)), .pulse(.dtr, .milliseconds(100)),
      ])
  }

  @Test func failedStep_endsTheScript() throws {
    let error = SerialError(.notOpen, in: "write", at: .tty("/dev/ttyTEST"))
    for (script, event, end) in [
      ("send \"x\"", .standstill, ["no progress"]),
      ("send \"x\"", .sendFailed(error), ["notOpen"]),
      ("break 1ms", .performed(.refused), ["refused"]),
    ] as [(String, ExchangeEvent, [String])] {
      let run = try Run(script)
      _ = run(.begun)
      _ = run(.resumed)
      #expect(run(event) == end)
    }
    let run = try Run("fail \"no way\"")
    _ = run(.begun)
    #expect(run(.resumed) == ["line 1", "failed: no way"])
  }

  @Test func stoppedOrCutOff_inEveryState_showsTheHeldText() throws {
    let script = "expect /a/\nwait 1s\nsend \"x\"\nbreak 1s"
    let events: [ExchangeEvent] = [
      .begun, .resumed, .received(Array("ab".utf8)), .resumed, .woken, .resumed, .drained, .resumed,
    ]
    for count in 0...events.count {
      // The "b" after the match is shown at the end.
      let held = count < 3 ? [] : ["show b"]
      for (event, end) in [
        (.stopped, ["withdraw"] + held + ["cut off"]), (.cutOff(sent: 0), held + ["cut off"]),
        (.leaving, held + ["cut off"]),
      ] as [(ExchangeEvent, [String])] {
        let run = try Run(script)
        for event in events.prefix(count) { _ = run(event) }
        #expect(run(event) == end, "after \(count) events")
      }
    }
  }
}
