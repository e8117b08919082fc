import EventLoop
import Posix
import Reconnecting
import SerialCore
import SystemPackage
import TestSupport
import Testing
import Time

/// Waiting for unsent bytes, on a loop whose clock the test advances.
@Suite(.timeLimit(.minutes(30))) struct DrainTests {
  private let clock = TestClock()
  private let loop: IOLoop
  private let link = FakeLink(to: .tty("/dev/ttyTEST"))
  private let session: Session

  init() throws {
    loop = try IOLoop(clock: { [clock] in clock.now })
    session = Session(settings: LineSettings()) { [link] _ in link }
    link.appetite = 0
    try session.open(link.endpoint)
    try session.write("abc")
  }

  /// Runs turns for a time, and returns how many milliseconds passed until a condition was met.
  private func run(for limit: Int, until isMet: () -> Bool) throws -> Int {
    for time in 0..<limit {
      if isMet() { return time }
      clock.advance(by: .milliseconds(1))
      try loop.turn(waitingAtMost: .zero)
    }
    return limit
  }

  @Test func aHeldLine_isNotWaitedFor() throws {
    var isDone = false
    let drain = Drain(session, on: loop, patience: .init(total: .seconds(20))) { isDone = true }
    let time = try run(for: 1_000) { isDone }
    #expect((300...350).contains(time))
    #expect(session.unsentByteCount == 3)
    withExtendedLifetime(drain) {}
  }

  @Test func progress_isWaitedFor_upToTheTotal() throws {
    var isDone = false
    let drain = Drain(session, on: loop, patience: .init(total: .milliseconds(500))) {
      isDone = true
    }
    #expect(try run(for: 250) { isDone } == 250)
    link.appetite = 1
    session.handle(.writable)
    let time = try run(for: 1_000) { isDone }
    #expect((250...300).contains(time))
    #expect(session.unsentByteCount == 2)
    withExtendedLifetime(drain) {}
  }

  @Test func theLastByte_endsIt() throws {
    var isDone = false
    let drain = Drain(session, on: loop, patience: nil) { isDone = true }
    #expect(try run(for: 5_000) { isDone } == 5_000)
    link.appetite = 3
    session.handle(.writable)
    #expect(try run(for: 100) { isDone } < 100)
    withExtendedLifetime(drain) {}
  }
}
