import EventLoop
import Observing
import Scrollback
import TestSupport
import Testing
import Time

@testable import Terminal

@Suite(.timeLimit(.minutes(30))) struct ViewPauseTests {
  /// A device, a scrollback and a terminal.
  private final class Bench {
    let loop: IOLoop
    let terminal: FakeTerminal
    let console: Console
    let scrollback: Scrollback
    private(set) var missing: [Int] = []
    private(set) var times: [UInt64] = []
    private(set) var pause: ViewPause!
    private var room: ObservationToken<OutputChannel.Event>?

    init(capacity: Int = 1 << 20) throws {
      // The time stands, so that the terminal that nobody reads does not count as stalled.
      let now = MonotonicTime.now
      loop = try IOLoop(clock: { now })
      terminal = try FakeTerminal(.drawing)
      console = try Console(terminal.streams, on: loop, isQuiet: false, isRaw: true)
      scrollback = Scrollback(capacity: capacity)
      pause = ViewPause(
        of: scrollback, isCrowded: { [unowned self] in console.isCrowded }, loop: loop,
        show: { [unowned self] bytes, moment in
          times.append(moment.wallClock)
          console.show(bytes)
        }, sayMissing: { [unowned self] in missing.append($0) })
      room = console.outputEvents.observe { [unowned self] in
        if $0 == .room { pause.catchUp() }
      }
    }

    func receive(_ text: String, at time: UInt64 = 0) {
      Array(text.utf8).withUnsafeBytes {
        scrollback.add($0, at: time)
        if pause.state == .live { console.show($0) }
      }
    }

    func turn(_ count: Int = 1) throws {
      for _ in 0..<count { try loop.turn(waitingAtMost: .zero) }
      terminal.look()
    }

    var text: String {
      terminal.look()
      return String(decoding: terminal.written, as: UTF8.self)
    }
  }

  @Test func theScreenStands_andShowsEverythingAfterwards() throws {
    let bench = try Bench()
    bench.receive("one\r\ntw")
    bench.pause.begin()
    bench.receive("o\r\n", at: 7_000_000)
    bench.receive("three\r\n", at: 9_000_000)
    #expect(bench.text == "one\r\ntw")
    #expect(bench.pause.waitingCount == 10)
    bench.pause.end()
    #expect(bench.pause.state == .catchingUp)
    bench.receive("four\r\n")
    try bench.turn(3)
    #expect(bench.pause.state == .live && bench.pause.waitingCount == 0)
    bench.receive("five\r\n")
    #expect(bench.text == "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n")
    #expect(bench.times.contains(9_000_000) && bench.missing.isEmpty)
  }

  @Test func aTurnShowsALimitedPart_andAtThePaceOfTheTerminal() throws {
    let bench = try Bench()
    bench.pause.begin()
    let line = String(repeating: "x", count: 98) + "\r\n"
    for _ in 0..<5_000 { bench.receive(line) }
    bench.pause.end()
    try bench.loop.turn(waitingAtMost: .zero)
    #expect(bench.pause.waitingCount >= 500_000 - 16_384 - Scrollback.lineLimit)
    // Nobody reads: the queue of the terminal stays small.
    for _ in 0..<100 { try bench.loop.turn(waitingAtMost: .zero) }
    #expect(bench.pause.state == .catchingUp)
    #expect(bench.pause.waitingCount > 300_000)
    var turns = 0
    while bench.pause.state != .live, turns < 10_000 {
      try bench.turn()
      turns += 1
    }
    #expect(bench.pause.state == .live)
    #expect(bench.text == String(repeating: line, count: 5_000))
  }

  @Test func whatTheScrollbackHasDropped_isCounted() throws {
    let bench = try Bench(capacity: 0)
    bench.pause.begin()
    let line = String(repeating: "x", count: 98) + "\r\n"
    for _ in 0..<3_000 { bench.receive(line) }
    bench.pause.end()
    var turns = 0
    while bench.pause.state != .live, turns < 10_000 {
      try bench.turn()
      turns += 1
    }
    let missing = bench.missing.reduce(0, +)
    #expect(bench.missing.count == 1 && missing > 0)
    #expect(bench.text.utf8.count == 300_000 - missing)
  }

  @Test func aSecondPause_goesOnWhereTheFirstWas() throws {
    let bench = try Bench()
    bench.pause.begin()
    bench.receive("one\r\n")
    bench.pause.end()
    bench.pause.begin()
    bench.receive("two\r\n")
    try bench.turn(3)
    #expect(bench.text == "" && bench.pause.state == .standing)
    bench.pause.end()
    try bench.turn(3)
    #expect(bench.text == "one\r\ntwo\r\n")
  }

  @Test func theEndOfTheSession_showsTheRest() throws {
    let bench = try Bench()
    bench.pause.begin()
    bench.receive("one\r\n")
    bench.pause.finish()
    #expect(bench.text == "one\r\n" && bench.pause.state == .live)
  }
}
