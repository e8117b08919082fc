import Posix
import SystemPackage
import TestSupport
import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct SessionPausingTests {
  private let bench = Bench()
  private var session: Session { bench.session }
  private var witness: Witness { bench.witness }

  @Test func aPause_holdsReadingBack_untilItEnds() throws {
    try session.open(.tty("/dev/ttyTEST"))
    let pause = session.pauseReading()
    #expect(session.interest == [])
    pause.end()
    #expect(witness.interests == [.reading, [], .reading])
  }

  @Test func readingContinues_whenTheLastPauseHasEnded() throws {
    try session.open(.tty("/dev/ttyTEST"))
    let first = session.pauseReading()
    let second = session.pauseReading()
    first.end()
    #expect(session.interest == [])
    first.end()
    #expect(session.interest == [], "ending it twice ends no other")
    second.end()
    #expect(session.interest == .reading)
  }

  @Test func aPause_endsWithItsOwner() throws {
    try session.open(.tty("/dev/ttyTEST"))
    var pause: Session.Pause? = session.pauseReading()
    #expect(session.interest == [])
    withExtendedLifetime(pause) {}
    pause = nil
    #expect(session.interest == .reading)
  }

  @Test func aPause_holdsForTheNextPortToo() throws {
    let pause = session.pauseReading()
    try session.open(.tty("/dev/ttyTEST"))
    #expect(session.interest == [])
    pause.end()
    #expect(session.interest == .reading)
  }

  @Test func aPause_mayOutliveItsSession() {
    var bench: Bench? = Bench()
    let pauses = [bench?.session.pauseReading(), bench?.session.pauseSending()]
    bench = nil
    for pause in pauses { pause?.end() }
  }

  @Test func pausedSending_keepsWrittenBytes_inTheQueue() throws {
    try session.open(.tty("/dev/ttyTEST"))
    let pause = session.pauseSending()
    try session.write([1, 2])
    session.becomeWritable()
    #expect(bench.link.sent == [])
    #expect(session.queuedByteCount == 2)
    #expect(session.interest == .reading)
    pause.end()
    #expect(session.interest == [.reading, .writing])
    session.becomeWritable()
    #expect(bench.link.sent == [1, 2])
  }
}
