import Posix
import SystemPackage
import TestSupport
import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct SessionPacingTests {
  private let bench = Bench()
  private let pacer = Allowance()
  private var session: Session { bench.session }

  private func open() throws {
    try session.open(.tty("/dev/ttyTEST"))
    session.pacer = pacer
  }

  private func write(_ text: String) throws {
    try session.write(Array(text.utf8).span.bytes)
  }

  @Test func theDriverGetsOnlyWhatThePacerAllows() throws {
    try open()
    pacer.pieces = [2, 1]
    try write("abcdef")
    #expect(bench.link.sent == Array("abc".utf8))
    #expect(session.queuedByteCount == 3)
  }

  @Test func heldBytes_areNotWaitedForAtThePort() throws {
    try open()
    try write("abc")
    #expect(!session.interest.contains(.writing))
    session.handle(.writable)
    #expect(bench.link.sent == [])
    pacer.pieces = [3]
    session.continueSending()
    #expect(session.interest.contains(.writing))
    session.handle(.writable)
    #expect(bench.link.sent == Array("abc".utf8))
    #expect(!session.interest.contains(.writing))
  }

  @Test func heldBytes_canBeDiscarded() throws {
    try open()
    try write("abc")
    #expect(session.discardQueued() == [.program: 3])
    #expect(session.queuedByteCount == 0)
  }

  @Test func aDriverThatTakesLess_isAskedAboutTheRest() throws {
    try open()
    pacer.pieces = [2, 1, 1]
    bench.link.appetite = 1
    try write("ab")
    #expect(bench.link.sent == Array("a".utf8))
    bench.link.appetite = 5
    session.handle(.writable)
    #expect(bench.link.sent == Array("ab".utf8))
  }

  @Test func withoutAPacer_everythingGoes() throws {
    try open()
    session.pacer = nil
    try write("abc")
    #expect(bench.link.sent == Array("abc".utf8))
  }

  /// Allows the numbers of bytes that a test sets, then none.
  private final class Allowance: SendingPacer {
    var pieces: [Int] = []

    func session(_ session: Session, allowanceFor bytes: RawSpan) -> Int {
      pieces.isEmpty ? 0 : pieces.removeFirst()
    }
  }
}
