import EventLoop
import Observing
import Posix
import SerialCore
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Sequences on a session whose link and clock the test controls.
@Suite(.timeLimit(.minutes(30))) struct SequencePlayerTests {
  private let path = Endpoint.tty("/dev/ttyTEST")
  private let clock = TestClock()
  private let loop: IOLoop
  private let link: FakeLink
  private let session: Session
  private let player: SequencePlayer
  private let ends = Ends()
  private let names: ObservationToken<Change<String?>>

  private final class Ends {
    var all: [SequencePlayer.End] = []
    var names: [String?] = []
    /// The sequences whose timing was said to be a network's.
    var networkTimings: [String] = []
  }

  init() throws {
    loop = try IOLoop(clock: { [clock] in clock.now })
    let link = FakeLink(to: path)
    self.link = link
    session = Session(settings: LineSettings()) { _ in link }
    player = SequencePlayer(on: session, loop: loop) { [ends] in ends.networkTimings.append($0) }
    names = player.$playing.observe { [ends] in ends.names.append($0.new) }
    try session.open(path)
  }

  private func play(_ steps: String, named name: String = "test") throws {
    player.play(try LineSequence(parsing: steps), named: name) { [ends] in ends.all.append($0) }
  }

  private func pass(_ duration: Duration) throws {
    clock.advance(by: duration)
    for _ in 0..<3 { try loop.turn(waitingAtMost: .zero) }
  }

  private func write(_ bytes: [UInt8]) throws { try session.write(bytes.span.bytes) }

  @Test func `The steps are performed in order, and nothing is sent before the end`() throws {
    try play("dtr=off,wait=100,rts=off,wait=50,dtr=on")
    #expect(link.lines == .rts)
    #expect(player.playing == "test")
    try write([1])
    try pass(.milliseconds(99))
    #expect(link.lines == .rts)
    try pass(.milliseconds(1))
    #expect(link.lines == [])
    #expect(link.sent == [])
    try pass(.milliseconds(50))
    #expect(link.lines == .dtr)
    #expect(ends.all == [.done])
    #expect(ends.names == ["test", nil])
    session.handle(.writable)
    #expect(link.sent == [1])
  }

  @Test func `That the pauses are a network's is told once, for a sequence of several steps`()
    throws
  {
    try play("dtr=off,rts=off", named: "here")
    session.close()
    link.hasNetworkTiming = true
    try session.open(path)
    try play("dtr=off", named: "one step")
    #expect(ends.networkTimings == [])
    try play("dtr=off,wait=10,dtr=on", named: "reset")
    try play("rts=off,rts=on", named: "again")
    #expect(ends.networkTimings == ["reset"])
  }

  @Test func `A far end that plays sequences gets the whole of one, and tells its end`() throws {
    link.playsSequences = true
    link.hasNetworkTiming = true
    try play("dtr=off,wait=100,dtr=on")
    #expect(link.played == [try LineSequence(parsing: "dtr=off,wait=100,dtr=on")])
    #expect(player.playing == "test" && ends.all.isEmpty)
    try write([1])
    try pass(.seconds(1))
    #expect(link.sent == [], "nothing is sent meanwhile")
    link.finishPlaying(.success(()))
    #expect(ends.all == [.done] && player.playing == nil)
    #expect(ends.networkTimings == [], "the timing is not the network's")
    session.handle(.writable)
    #expect(link.sent == [1])
    let error = SerialError(.settingRefused, in: "play", at: path, subject: "the sequence")
    try play("rts=on,wait=1")
    link.finishPlaying(.failure(error))
    #expect(ends.all.last == .failed(.set(asserting: .rts, deasserting: []), error))
    try play("rts=off,wait=1")
    player.stop()
    #expect(ends.all.last == .stopped)
    link.finishPlaying(.success(()))
    #expect(ends.all.count == 3, "an answer after the end changes nothing")
  }

  @Test func `A baud rate is for the sequence only`() throws {
    try play("baud=1200,wait=10,baud=300,wait=10")
    #expect(link.settings.baudRate == 1_200)
    try pass(.milliseconds(10))
    #expect(link.settings.baudRate == 300)
    try pass(.milliseconds(10))
    #expect(link.settings == LineSettings())
    #expect(session.requestedSettings == LineSettings())
    #expect(ends.all == [.done])
  }

  @Test func `A rate that somebody else sets meanwhile stays`() throws {
    try play("baud=1200,wait=10")
    try session.apply(LineSettings(baudRate: 9_600))
    try pass(.milliseconds(10))
    #expect(session.requestedSettings.baudRate == 9_600)
  }

  @Test func `An unplugged device ends it, and comes back at the rate before`() throws {
    try play("baud=1200,dtr=off,wait=500,dtr=on")
    session.handle(.hungUp)
    #expect(ends.all == [.portClosed])
    #expect(player.playing == nil)
    #expect(session.requestedSettings == LineSettings())
    session.deviceDidReturn(at: path)
    #expect(link.settings == LineSettings())
    try pass(.seconds(1))
    #expect(link.lines == .rts, "the rest is not played on the device that came back")
    try write([1])
    #expect(link.sent == [1])
  }

  @Test func `A sequence whose author loses the pen ends with its lines restored`() throws {
    link.lines = .dtr
    try play("dtr=off,rts=on,break=on,wait=100,dtr=on")
    #expect(link.lines == .rts)
    player.revoke()
    #expect(ends.all == [.stopped] && link.lines == .dtr && link.breaks == [true, false])
    try play("break=on")
    #expect(link.breaks == [true, false, true], "a sequence may leave a break behind")
    player.revoke()
    #expect(link.breaks == [true, false, true, false])
    try play("dtr=off")
    player.revoke()
    #expect(link.lines == [], "what was played to its end stays")
  }

  @Test func `A step that fails is named, and the rest is skipped`() throws {
    link.lines = nil
    try play("baud=1200,break=on,dtr=off,wait=100,break=off")
    guard case .failed(let step, let error)? = ends.all.first else {
      Issue.record("it did not fail: \(ends.all)")
      return
    }
    #expect("\(step)" == "dtr=off")
    #expect(error.code == .unsupported)
    #expect(link.breaks == [true, false], "the line is not left in a break")
    #expect(link.settings == LineSettings())
    link.lines = [.dtr]
    try play("dtr=off")
    #expect(ends.all.last == .done, "an old error does not count")
  }

  @Test func `A driver that refuses the rate fails the step`() throws {
    link.error = SerialError(.system, in: "apply", at: path)
    try play("baud=1200,dtr=off")
    #expect(ends.all.count == 1)
    guard case .failed(.setBaudRate(1_200), _)? = ends.all.first else {
      Issue.record("it did not fail: \(ends.all)")
      return
    }
    #expect(link.lines == [.dtr, .rts])
    #expect(session.requestedSettings == LineSettings())
  }

  @Test func `It can be stopped, and another one stops it too`() throws {
    try play("break=on,baud=300,wait=100,dtr=off")
    player.stop()
    #expect(ends.all == [.stopped])
    #expect(link.breaks == [true, false])
    #expect(link.settings == LineSettings())
    try play("wait=100,dtr=off", named: "first")
    try play("rts=off", named: "second")
    #expect(ends.all == [.stopped, .stopped, .done])
    try pass(.seconds(1))
    #expect(link.lines == .dtr)
    player.stop()
    #expect(ends.all.count == 3, "nothing is left to stop")
  }

  @Test func `An answer that comes after the end does not leave the rate`() throws {
    link.changesLate = true
    try play("baud=1200,wait=10")
    player.stop()
    #expect(ends.all == [.stopped])
    link.changesLate = false
    link.finishChange()
    #expect(link.settings == LineSettings())
    #expect(session.requestedSettings == LineSettings())
  }

  @Test func `What waits for the end is done once, however it ends`() throws {
    var count = 0
    player.afterwards { count += 1 }
    #expect(count == 1, "at once if nothing is played")
    try play("wait=10")
    player.afterwards { count += 1 }
    try pass(.milliseconds(10))
    #expect(count == 2)
    try play("wait=10")
    player.afterwards { count += 1 }
    player.end()
    #expect(count == 2, "nobody is told at the end of the session")
    #expect(ends.all == [.done])
  }
}
