import EventLoop
import Observing
import Posix
import SerialCore
import Sessions
import SystemPackage
import TestSupport
import Testing
import Time

/// The runner on a session whose link the test controls.
@Suite(.timeLimit(.minutes(30))) struct ExchangeRunnerTests {
  /// An exchange that performs the test's actions and records its events.
  private struct Script: Exchange {
    typealias Report = String
    typealias Outcome = String

    var author: Author? = .file("script")
    var reception = ExchangeReception.nothing
    var reportsUnsent = true
    /// The actions after each event, in order; none when it is empty.
    var answers: [[ExchangeAction<String, String>]]
    private(set) var heard: [ExchangeEvent] = []
    private(set) var times: [MonotonicTime] = []

    mutating func handle(_ event: ExchangeEvent, at now: MonotonicTime) -> Actions {
      heard.append(event)
      times.append(now)
      if case .cutOff(let sent) = event { return [.finish("cut off at \(sent)")] }
      if event == .stopped { return [.withdraw, .finish("stopped")] }
      return answers.isEmpty ? [] : answers.removeFirst()
    }

    init(_ answers: [[ExchangeAction<String, String>]]) { self.answers = answers }
  }

  private final class Source: ExchangeSource {
    var outcomes: [Result<SourceOutcome, Errno>]
    let descriptor = FileDescriptor(rawValue: -1)
    private(set) var limits: [Int] = []

    init(_ outcomes: [Result<SourceOutcome, Errno>]) { self.outcomes = outcomes }

    func read(atMost limit: Int) throws(Errno) -> SourceOutcome {
      limits.append(limit)
      return try outcomes.isEmpty ? .end : outcomes.removeFirst().get()
    }
  }

  private final class Links {
    var appetite = Int.max
    var last: FakeLink!
  }

  private let loop: IOLoop
  private let links = Links()
  private let session: Session
  private let hub: Hub

  init() throws { try self.init(clock: { .now }) }

  private init(clock: @escaping () -> MonotonicTime) throws {
    loop = try IOLoop(clock: clock)
    session = Session(settings: LineSettings(), writeCapacity: 1 << 20) { [links] in
      let link = FakeLink(to: $0)
      link.appetite = links.appetite
      links.last = link
      return link
    }
    session.owner = .keyboard
    hub = Hub(of: session)
  }

  private func open(appetite: Int = .max) throws {
    links.appetite = appetite
    try session.open(.tty("/dev/ttyTEST"))
  }

  private func type(_ bytes: [UInt8]) throws(SerialError) {
    try session.write(bytes.span.bytes, by: .keyboard)
  }

  private func turn() throws { for _ in 0..<3 { try loop.turn(waitingAtMost: .zero) } }

  private func accept(_ count: Int) {
    links.last.appetite = count
    session.handle(.writable)
  }

  private func runner(
    _ script: Script, source: Source? = nil,
    perform: @escaping ExchangeRunner<Script>.Performer = { $1(.refused) },
    isHeldUp: @escaping () -> Bool = { false }
  ) -> (ExchangeRunner<Script>, ends: Ends) {
    let ends = Ends()
    let runner = ExchangeRunner(
      script, on: session, receivingFrom: hub, loop: loop, source: source, perform: perform,
      isHeldUp: isHeldUp, onReport: { ends.reports.append($0) },
      onEnd: { [session] in ends.outcomes.append("\($0), pen: \(session.writer)") })
    return (runner, ends)
  }

  private final class Ends {
    var outcomes: [String] = []
    var reports: [String] = []
  }

  // MARK: The pen

  @Test func itHasThePen_untilItEnds() throws {
    try open()
    let (runner, ends) = runner(Script([[.send([1, 2])], [.finish("sent")]]))
    try runner.begin()
    #expect(links.last.sent == [1, 2])
    #expect(runner.exchange.heard == [.begun, .sent(2)])
    #expect(ends.outcomes == ["sent, pen: keyboard"])
    try type([3])
    #expect(links.last.sent == [1, 2, 3])
  }

  @Test func whileItRuns_noOtherAuthorWrites() throws {
    try open()
    let (runner, _) = runner(Script([]))
    try runner.begin()
    #expect(throws: SerialError.self) { try type([3]) }
    let (second, ends) = self.runner(Script([]))
    #expect(throws: SerialError.self) { try second.begin() }
    runner.stop()
    #expect(second.exchange.heard.isEmpty && ends.outcomes.isEmpty)
  }

  @Test func withoutAPort_itDoesNotBegin_ifItWrites() throws {
    let (runner, _) = runner(Script([]))
    #expect(throws: SerialError.self) { try runner.begin() }
    var silent = Script([[.finish("over")]])
    silent.author = nil
    let (other, ends) = self.runner(silent)
    try other.begin()
    #expect(ends.outcomes == ["over, pen: keyboard"])
  }

  // MARK: Sending

  @Test func bytesOfOthers_areNotReportedAsSent() throws {
    try open(appetite: 0)
    try type([9, 9])
    let (runner, _) = runner(Script([[.send([1, 2, 3])]]))
    try runner.begin()
    accept(4)
    #expect(runner.exchange.heard == [.begun, .sent(2)])
    runner.stop()
  }

  @Test func stopped_itTakesBackTheQueuedBytes_andOnlyThose() throws {
    try open(appetite: 0)
    try type([9, 9])
    let (runner, ends) = runner(Script([[.send([1, 2, 3])]]))
    try runner.begin()
    accept(3)
    runner.stop()
    #expect(ends.outcomes == ["stopped, pen: keyboard"])
    accept(9)
    #expect(links.last.sent == [9, 9, 1])
  }

  @Test func stopped_itLeavesWhatWasTypedBefore() throws {
    try open(appetite: 0)
    try type([9, 8])
    let (runner, _) = runner(Script([[.send([1, 2, 3])]]))
    try runner.begin()
    accept(1)
    runner.stop()
    accept(9)
    #expect(links.last.sent == [9, 8])
  }

  @Test func theSource_isRead_whileLittleIsQueued() throws {
    try open(appetite: 0)
    let piece = [UInt8](repeating: 7, count: 32_768)
    let source = Source([.success(.bytes(piece)), .success(.bytes(piece))])
    let (runner, ends) = runner(
      Script([
        [.read(atMost: 32_768)], [.send(piece), .read(atMost: 32_768)], [],
        [.send(piece), .read(atMost: 1)], [], [.finish("end")],
      ]), source: source)
    try runner.begin()
    try turn()
    #expect(runner.exchange.heard == [.begun, .read(piece)], "the queue is full enough")
    accept(1)
    try turn()
    #expect(runner.exchange.heard.dropFirst(2) == [.sent(1), .read(piece)])
    accept(65_535)
    try turn()
    #expect(runner.exchange.heard.dropFirst(4) == [.sent(65_535), .endOfSource])
    #expect(source.limits == [32_768, 32_768, 1])
    #expect(ends.outcomes == ["end, pen: keyboard"])
  }

  @Test func aSourceThatFails_isReported() throws {
    try open()
    let (runner, _) = runner(
      Script([[.read(atMost: 8)]]), source: Source([.failure(.ioError)]))
    try runner.begin()
    try turn()
    #expect(runner.exchange.heard == [.begun, .sourceFailed(.ioError)])
    runner.stop()
  }

  @Test func aWithdrawnRead_isNotAnswered() throws {
    try open()
    let (runner, _) = runner(Script([[.read(atMost: 8), .withdraw]]), source: Source([]))
    try runner.begin()
    try turn()
    #expect(runner.exchange.heard == [.begun])
    runner.stop()
  }

  @Test func drained_isReported_whenEverythingIsOnTheLine() throws {
    try open()
    links.last.drainRate = 1
    let (runner, ends) = runner(Script([[.send([1]), .drain], [], [.finish("drained")]]))
    try runner.begin()
    let deadline = MonotonicTime.now + .seconds(60)
    while ends.outcomes.isEmpty, .now < deadline { try loop.turn(waitingAtMost: .seconds(1)) }
    #expect(ends.outcomes == ["drained, pen: keyboard"])
  }

  // MARK: Receiving

  @Test func bytes_areForTheExchangeAlone_ifItSaysSo() throws {
    for (reception, seen) in [(.nothing, [1]), (.shared, [1]), (.alone, [])]
      as [(ExchangeReception, [UInt8])]
    {
      var script = Script([])
      script.author = nil
      script.reception = reception
      let (runner, _) = runner(script)
      var logged: [UInt8] = []
      var shown: [UInt8] = []
      let log = hub.subscribe(as: .log) { bytes, _ in logged += bytes }
      let view = hub.subscribe(as: .view) { bytes, _ in shown += bytes }
      try open()
      try runner.begin()
      links.last.incoming = [[1]]
      session.handle(.readable)
      #expect(shown == seen)
      #expect(logged == [1])
      let heard: [ExchangeEvent] = reception == .nothing ? [] : [.received([1])]
      #expect(runner.exchange.heard.dropFirst() == heard[...])
      runner.stop()
      log.end()
      view.end()
      session.close()
    }
  }

  // MARK: Time and the line

  @Test func theTimer_wakesIt_andTheClockIsAValue() throws {
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    let bench = try Self(clock: { now })
    try bench.open()
    let (runner, ends) = bench.runner(
      Script([[.wake(at: now + .seconds(5)), .report("set")], [.finish("woken")]]))
    try runner.begin()
    try bench.turn()
    #expect(ends.reports == ["set"] && ends.outcomes.isEmpty)
    now = now + .seconds(5)
    try bench.turn()
    #expect(ends.outcomes.count == 1)
    #expect(runner.exchange.heard == [.begun, .woken])
    #expect(runner.exchange.times.last == now)
  }

  @Test func anOperationOfTheLine_isAnsweredOnce() throws {
    try open()
    var asked: [LineOperation] = []
    let (runner, ends) = runner(
      Script([[.perform(.setBreak(true))], [.perform(.sendBreak(.zero))], [.finish("over")]]),
      perform: { operation, then in
        asked.append(operation)
        then(asked.count == 1 ? .done : .refused)
      })
    try runner.begin()
    #expect(asked == [.setBreak(true), .sendBreak(.zero)])
    #expect(runner.exchange.heard == [.begun, .performed(.done), .performed(.refused)])
    #expect(ends.outcomes == ["over, pen: keyboard"])
  }

  // MARK: The end of the session

  @Test func cutOff_itCountsItsSentBytes_andNotThoseOfOthers() throws {
    try open(appetite: 0)
    try type([9, 9])
    let (runner, ends) = runner(Script([[.send([1, 2, 3, 4])]]))
    try runner.begin()
    accept(5)
    links.last.unsentByteCount = 2
    var discarded = session.discardUnsent()
    #expect(discarded.total == 3)
    runner.cutOff(discarding: &discarded)
    #expect(discarded == [:])
    #expect(ends.outcomes == ["cut off at 1, pen: keyboard"])
    runner.cutOff(discarding: &discarded)
    #expect(ends.outcomes.count == 1)
  }

  @Test func bytesThatOthersCount_areLeftToThem() throws {
    try open(appetite: 2)
    var script = Script([[.send([1, 2, 3, 4])]])
    script.reportsUnsent = false
    let (runner, ends) = runner(script)
    try runner.begin()
    var discarded = session.discardUnsent()
    runner.cutOff(discarding: &discarded)
    #expect(discarded == [.file("script"): 2])
    #expect(ends.outcomes == ["cut off at 2, pen: keyboard"])
  }

  @Test func earlierBytes_comeFirst() throws {
    try open()
    var script = Script([])
    script.reception = .shared
    let (runner, _) = runner(script)
    try runner.begin(afterReceiving: [7])
    #expect(runner.exchange.heard == [.received([7]), .begun])
    runner.stop()
  }

  @Test func anExchangeThatYields_continuesInAnotherTurn_unlessItIsHeldUp() throws {
    try open()
    var isHeldUp = false
    let (runner, ends) = runner(
      Script([[.yield], [.yield], [.finish("over")]]), isHeldUp: { isHeldUp })
    try runner.begin()
    #expect(runner.exchange.heard == [.begun])
    try loop.turn(waitingAtMost: .seconds(1))
    #expect(runner.exchange.heard == [.begun, .resumed])
    isHeldUp = true
    try turn()
    #expect(runner.exchange.heard == [.begun, .resumed])
    isHeldUp = false
    runner.resume()
    try loop.turn(waitingAtMost: .seconds(1))
    #expect(ends.outcomes == ["over, pen: keyboard"])
    runner.resume()
    try turn()
    #expect(ends.outcomes.count == 1)
  }

  @Test func aLostPort_cutsItOff_inALaterTurn() throws {
    try open(appetite: 2)
    let (runner, ends) = runner(Script([[.send([1, 2, 3, 4])]]))
    try runner.begin()
    session.handle([.readable, .writable, .hungUp])
    #expect(session.writer == .keyboard)
    try turn()
    #expect(ends.outcomes == ["cut off at 2, pen: keyboard"])
    #expect(session.queuedByteCount == 0)
  }

  @Test func aPortThatIsLostWhileItWrites_cutsItOffOnce() throws {
    try open()
    links.last.error = SerialError(.lost, in: "write", at: .tty("/dev/ttyTEST"), errno: .ioError)
    let (runner, ends) = runner(Script([[.send([1, 2])]]))
    let token = session.observe(.stateChange) { [session] change in
      guard !change.new.isOpen else { return }
      var discarded = session.discardUnsent()
      runner.cutOff(discarding: &discarded)
      #expect(discarded == [:])
    }
    try runner.begin()
    try turn()
    withExtendedLifetime(token) {}
    #expect(ends.outcomes == ["cut off at 0, pen: keyboard"])
  }

  @Test func leaving_isPassedOn_andTheExchangeContinues() throws {
    try open()
    let (runner, ends) = runner(Script([[], [.withdraw]]))
    try runner.begin()
    runner.leave()
    #expect(runner.exchange.heard == [.begun, .leaving])
    #expect(ends.outcomes.isEmpty)
    runner.stop()
  }
}
