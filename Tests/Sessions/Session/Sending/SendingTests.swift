import EventLoop
import Posix
import SerialCore
import SystemPackage
import TestSupport
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct SendingTests {
  private final class Lines {
    var counts: [Int] = []
    var files: [PlainFile.End] = []
  }

  /// An exchange whose outcome includes the number of its unsent bytes.
  private final class FakeExchange: RunningExchange {
    static let author = Author.file("a")
    private(set) var calls: [String] = []

    func stop() {}
    func resume() {}
    func leave() {}
    func cutOff(discarding discarded: inout UnsentBytes) { remove("cut off", from: &discarded) }
    func portWasLost(discarding discarded: inout UnsentBytes) { remove("lost", from: &discarded) }

    private func remove(_ call: String, from discarded: inout UnsentBytes) {
      calls.append(call)
      discarded.remove(discarded[Self.author], by: Self.author)
    }
  }

  private struct Refusal: Error {}

  private let lines = Lines()
  private let link = FakeLink(to: .tty("/dev/ttyTEST"))
  private let session: Session
  private let sending: Sending
  private let exchange = FakeExchange()

  init() throws {
    link.appetite = 0
    session = Session(settings: LineSettings()) { [link] _ in link }
    let sharing = SharingController(of: session, Hub(of: session), on: try IOLoop())
    sending = Sending(on: session, sharedBy: sharing) { [lines] news in
      switch news {
      case .unsent(let count): lines.counts.append(count)
      case .fileUnsent(_, let end): lines.files.append(end)
      default: Issue.record("reported \(news)")
      }
    }
  }

  /// Queues three bytes of the user and four of the exchange, which then runs.
  private func queue() throws {
    try session.open(.tty("/dev/ttyTEST"))
    try session.write("abc")
    let pen = try session.takePen(for: FakeExchange.author)
    let bytes: [UInt8] = [1, 2, 3, 4]
    try session.write(bytes.span.bytes, by: FakeExchange.author)
    sending.run(exchange) {}
    withExtendedLifetime(pen) {}
  }

  // MARK: Reports

  @Test func nothing_isNotReported() {
    sending.reportUnsent(0)
    sending.reportUnsent(PlainFile("a", size: 3), .done)
    #expect(lines.counts == [])
    #expect(lines.files == [])
    #expect(!sending.hasCutFile)
  }

  @Test func bytes_areReported_andAddedUp() {
    sending.reportUnsent(1)
    sending.reportUnsent(30_000)
    #expect(lines.counts == [1, 30_000])
    #expect(sending.unsentCount == 30_001)
  }

  @Test func file_isReported_andIsNoBytes() {
    sending.reportUnsent(PlainFile("a", size: 3), .cutOff)
    #expect(lines.files == [.cutOff])
    #expect(sending.unsentCount == 0)
    #expect(sending.hasCutFile)
  }

  // MARK: The exchange

  @Test func exchange_isThePresentOne_untilItEnds() {
    sending.run(exchange) { #expect(sending.exchange === exchange) }
    sending.didEnd(FakeExchange())
    #expect(sending.exchange === exchange)
    sending.didEnd(exchange)
    #expect(sending.exchange == nil)
  }

  @Test func exchangeThatCannotBegin_isNotThePresentOne() {
    #expect(throws: Refusal.self) {
      try sending.run(exchange) { () throws(Refusal) in throw Refusal() }
    }
    #expect(sending.exchange == nil)
  }

  // MARK: Discarding

  @Test func end_cutsTheExchangeOff_andCountsTheBytesOfOthers_once() throws {
    try queue()
    for _ in 1...2 { sending.finish { 20 } }
    #expect(exchange.calls == ["cut off"])
    #expect(lines.counts == [23])
    #expect(session.unsentByteCount == 0)
  }

  @Test(arguments: [true, false])
  func loss_discardsQueuedBytes_ifTheyMustNotReachAnotherDevice(_ discards: Bool) throws {
    try queue()
    sending.discardsForLostDevice = discards
    sending.portWasLost()
    #expect(exchange.calls == (discards ? ["lost"] : []))
    #expect(lines.counts == (discards ? [3] : []))
    #expect(session.unsentByteCount == (discards ? 0 : 7))
  }

  @Test func loss_reportsWhatTheLostLinkHadTaken_andKeepsTheQueue() throws {
    link.appetite = 2
    try session.open(.tty("/dev/ttyTEST"))
    try session.write("abc")
    link.unsentByteCount = 2
    session.handle(.hungUp)
    sending.portWasLost()
    #expect(lines.counts == [2])
    #expect(session.queuedByteCount == 1)
  }
}
