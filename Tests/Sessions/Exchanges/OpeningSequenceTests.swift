import EventLoop
import Posix
import SerialCore
import Sessions
import SystemPackage
import TestSupport
import Testing
import Time

/// The sequence on a session whose link the test controls.
@Suite(.timeLimit(.minutes(30))) struct OpeningSequenceTests {
  private final class Links {
    var all: [FakeLink] = []
    var configure: (FakeLink) -> Void = { _ in }
    var last: FakeLink { all[all.count - 1] }
  }

  private let path = Endpoint.tty("/dev/ttyTEST")
  private let links = Links()
  private let loop: IOLoop
  private let session: Session
  private let player: SequencePlayer
  private let opening: OpeningSequence
  private let failures = Failures()

  private final class Failures {
    var all: [SerialError] = []
  }

  init() throws {
    loop = try IOLoop()
    session = Session(settings: LineSettings()) { [links] in
      let link = FakeLink(to: $0)
      links.configure(link)
      links.all.append(link)
      return link
    }
    player = SequencePlayer(on: session, loop: loop)
    opening = OpeningSequence(of: session, with: player) { [failures] in failures.all.append($0) }
    opening.sequence = LineSequence([
      .set(asserting: [], deasserting: .dtr), .wait(.milliseconds(1)), .setBreak(true),
      .setBreak(false),
    ])
  }

  private func write(_ bytes: [UInt8]) throws { try session.write(bytes.span.bytes) }

  private func awaitEnd() throws {
    let deadline = MonotonicTime.now + .seconds(60)
    while player.isPlaying, .now < deadline { try loop.turn(waitingAtMost: .seconds(1)) }
    #expect(!player.isPlaying)
  }

  @Test func nothingIsSent_untilTheSequenceHasEnded() throws {
    try session.open(path)
    #expect(player.isPlaying)
    #expect(links.last.lines == .rts)
    var isOver = false
    player.afterwards { isOver = true }
    try write([1])
    #expect(links.last.sent == [])
    #expect(!isOver)
    try awaitEnd()
    #expect(isOver)
    #expect(links.last.breaks == [true, false])
    session.handle(.writable)
    #expect(links.last.sent == [1])
  }

  @Test func itIsPlayed_wheneverThePortIsOpened() throws {
    try session.open(path)
    try awaitEnd()
    session.handle(.hungUp)
    session.deviceDidReturn(at: path)
    #expect(player.isPlaying)
    try write([1])
    #expect(links.last.sent == [])
    try awaitEnd()
    #expect(links.all.map(\.breaks) == [[true, false], [true, false]])
  }

  @Test func newSettings_areNoOpening() throws {
    try session.open(path)
    try awaitEnd()
    try session.apply(LineSettings(baudRate: 9_600))
    #expect(!player.isPlaying)
  }

  @Test func aLostPort_endsIt_andTheRestIsNotPlayed() throws {
    try session.open(path)
    var isOver = false
    player.afterwards { isOver = true }
    session.handle(.hungUp)
    #expect(!player.isPlaying)
    #expect(isOver)
    let deadline = MonotonicTime.now + .milliseconds(5)
    while .now < deadline { try loop.turn(waitingAtMost: .milliseconds(5)) }
    #expect(links.last.breaks == [])
  }

  @Test func aStepThatFails_isReported_andSendingContinues() throws {
    links.configure = { $0.lines = nil }
    try session.open(path)
    #expect(failures.all.map(\.code) == [.unsupported])
    #expect(!player.isPlaying)
    try write([1])
    session.handle(.writable)
    #expect(links.last.sent == [1])
    #expect(links.last.breaks == [])
  }
}
