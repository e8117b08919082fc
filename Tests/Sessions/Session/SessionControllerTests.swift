import EventLoop
import Framing
import Logs
import Loopback
import Observing
import Posix
import Reconnecting
import SerialCore
import SystemPackage
import TestSupport
import Testing
import Time

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct SessionControllerTests {
  private let folder: TemporaryFolder
  private let loop: IOLoop
  private var file: FilePath { folder.path.appending("log") }

  init() throws {
    folder = try TemporaryFolder()
    loop = try IOLoop()
  }

  private func controller(
    of endpoint: Endpoint, from providers: LinkProviders = .standard, waits: Bool = false,
    framedBy form: ChosenFrameForm? = nil
  ) -> SessionController {
    var log = LogConfiguration(files: [file.string])
    log.options.frameForm = form
    return SessionController(
      SessionConfiguration(
        target: .endpoint(endpoint), settings: LineSettings(), linkOptions: LinkOptions(),
        onOpen: nil, reconnects: true, waitsForAbsentDevice: waits, pacing: Pacing(),
        log: log, isQuiet: true),
      among: DeviceCatalog(), on: loop, from: providers, writeCapacity: 4_096)
  }

  @Test func `The log has the bytes before a view that came first`() throws {
    let terminal = try PseudoTerminal()
    let controller = controller(of: .tty(terminal.path))
    var logged: [UInt8]?
    // Ends the log as soon as the view gets bytes, so the log must have got them before.
    let view = controller.hub.subscribe(as: .view) { _, _ in
      controller.log.finish()
      logged = try? file.contents()
    }
    _ = try controller.device.bind(mayAsk: false)
    let words = Array("first words".utf8)
    _ = try words.withUnsafeBytes { try terminal.write($0) }
    let deadline = MonotonicTime.now + .seconds(60)
    while logged == nil, .now < deadline {
      try loop.turn(waitingAtMost: .milliseconds(20))
    }
    #expect(logged == words)
    withExtendedLifetime(view) {}
  }

  @Test func `The latency is low while the front end or a log needs short silences`() throws {
    let terminal = try PseudoTerminal()
    let controller = controller(
      of: .tty(terminal.path), framedBy: try ChosenFrameForm(parsing: "silence:5"))
    #expect(controller.session.prefersLowLatency, "the configuration decides at first")
    controller.showsSilences = false
    #expect(!controller.session.prefersLowLatency)
    _ = try controller.device.bind(mayAsk: false)
    #expect(controller.session.prefersLowLatency, "the log is written")
    controller.log.switchOff()
    #expect(!controller.session.prefersLowLatency)
    controller.showsSilences = true
    #expect(controller.session.prefersLowLatency)
    controller.log.finish()
  }

  // MARK: The order of the observers

  @Test func `The state is up to date, and the loss is reported, before unsent bytes are`()
    throws
  {
    let link = FakeLink(to: Endpoint(FakeProvider().kind, "fake:far"))
    let controller = controller(
      of: link.endpoint, from: LinkProviders([FakeProvider { _ in link }]))
    controller.sending.discardsForLostDevice = true
    var steps: [String] = []
    // Added after the controller, and the last ones first: their ranks decide.
    let news = controller.news.observe {
      if case .unsent(let count) = $0 { steps.append("\(count) unsent") }
    }
    let ranks: [Session.ObserverRank] = [.reconnector, .narrator, .state]
    let tokens = ranks.map { rank in
      controller.session.observe(.stateChange, rank: rank) {
        if case .waitingForDevice = $0.new {
          steps.append("\(rank), \(controller.statistics.lossCount) losses")
        }
      }
    }
    _ = try controller.device.bind(mayAsk: false)
    link.appetite = 0
    try controller.session.write("typed")
    controller.session.handle(.hungUp)
    #expect(
      steps == ["state, 1 losses", "narrator, 1 losses", "5 unsent", "reconnector, 1 losses"])
    controller.log.finish()
    withExtendedLifetime((news, tokens)) {}
  }

  // MARK: A link that opens late

  private final class LateBench {
    let link: FakeLink
    let providers: LinkProviders
    let endpoint: Endpoint

    init() {
      let provider = FakeProvider()
      endpoint = Endpoint(provider.kind, "fake:far")
      let link = FakeLink(to: endpoint)
      link.opensLate = true
      self.link = link
      providers = LinkProviders([FakeProvider { _ in link }])
    }
  }

  @Test func `Logs start when a port that opens late is open`() throws {
    let bench = LateBench()
    let controller = controller(of: bench.endpoint, from: bench.providers)
    var startCount = 0
    let token = controller.log.$path.observe { _ in startCount += 1 }
    _ = try controller.device.bind(mayAsk: false)
    #expect(startCount == 0)
    #expect(controller.log.paths.isEmpty)
    bench.link.finishOpening()
    #expect(controller.session.state.isOpen)
    #expect(startCount == 1)
    #expect(controller.log.paths == [file])
    controller.log.finish()
    withExtendedLifetime(token) {}
  }

  @Test func `A port that refuses late leaves no log behind`() throws {
    let bench = LateBench()
    let controller = controller(of: bench.endpoint, from: bench.providers)
    var ends: [SessionError] = []
    let token = controller.ends.observe { ends.append($0) }
    defer { withExtendedLifetime(token) {} }
    _ = try controller.device.bind(mayAsk: false)
    bench.link.refusal = .permissionDenied
    bench.link.finishOpening()
    guard case .binding(.port(let error)) = try #require(ends.first), ends.count == 1 else {
      Issue.record("ended with \(ends)")
      return
    }
    #expect(error.code == .permissionDenied)
    #expect((try? file.stat()) == nil)
  }

  @Test func `Logs start when a port that refuses late is waited for`() throws {
    let bench = LateBench()
    let controller = controller(of: bench.endpoint, from: bench.providers, waits: true)
    _ = try controller.device.bind(mayAsk: false)
    bench.link.refusal = .busy
    bench.link.finishOpening()
    guard case .waitingForDevice = controller.session.state else {
      Issue.record("the session does not wait: \(controller.session.state)")
      return
    }
    #expect(controller.log.paths == [file])
    controller.log.finish()
  }

  @Test func `A log that cannot be written ends a session that opened late`() throws {
    let bench = LateBench()
    let controller = controller(of: bench.endpoint, from: bench.providers)
    var ends: [SessionError] = []
    let token = controller.ends.observe { ends.append($0) }
    defer { withExtendedLifetime(token) {} }
    _ = try controller.device.bind(mayAsk: false)
    try FileDescriptor.open(
      file, .writeOnly, options: .create, permissions: .ownerReadWrite
    ).close()
    bench.link.finishOpening()
    guard case .log(.file(let error)) = try #require(ends.first), ends.count == 1 else {
      Issue.record("ended with \(ends)")
      return
    }
    #expect(error.path == file)
  }
}
