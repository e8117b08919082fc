import EventLoop
import Observing
import Posix
import Reconnecting
import SerialCore
import TestSupport
import Testing
import Time

@testable import Sessions

/// Two joined sessions with links that the test controls, without a loop that polls them.
@Suite(.timeLimit(.minutes(30))) struct PortJunctionTests {
  /// Two sessions, joined.
  private final class Bench {
    let loop: IOLoop
    let links: [FakeLink]
    let controllers: [SessionController]
    let junction: PortJunction
    var news: [String] = []
    private var token: ObservationToken<PortJunction.News>?

    init(isPassive: Bool = false, onLoss: PortJunction.LossRule = .hangUp) throws {
      let loop = try IOLoop()
      self.loop = loop
      let kind = FakeProvider().kind
      let links = ["fake:a", "fake:b"].map { FakeLink(to: Endpoint(kind, $0)) }
      self.links = links
      controllers = links.map { link in
        SessionController(
          SessionConfiguration(
            target: .endpoint(link.endpoint), settings: LineSettings(),
            linkOptions: LinkOptions(), onOpen: nil, reconnects: true,
            waitsForAbsentDevice: false, pacing: Pacing(), log: LogConfiguration(),
            isQuiet: true),
          among: DeviceCatalog(), on: loop,
          from: LinkProviders([FakeProvider { _ in link }]),
          writeCapacity: Relay.queueCapacity)
      }
      for controller in controllers { controller.sending.discardsForLostDevice = true }
      junction = PortJunction(
        .init(controllers[0]), .init(controllers[1]), isPassive: isPassive, onLoss: onLoss,
        on: loop)
      token = junction.news.observe { [unowned self] in
        switch $0 {
        case .notForwarded(let feature, let side): news.append("no \(feature) at \(side)")
        case .settingsForwarded(let settings, let side): news.append("\(settings) at \(side)")
        case .settingsRefused(_, let side): news.append("refused at \(side)")
        case .stray(let count, let side): news.append("\(count) stray from \(side)")
        case .ended(let side): news.append("end by \(side)")
        case .linkLost: news.append("no link")
        case .terminalFailed: news.append("no terminal")
        }
      }
      for controller in controllers { _ = try controller.device.bind(mayAsk: false) }
    }

    func session(_ index: Int) -> Session { controllers[index].session }

    /// A side sends bytes.
    func send(_ bytes: [UInt8], from index: Int) {
      links[index].incoming.append(.init(bytes))
      session(index).handle(.readable)
    }

    func lose(_ index: Int) {
      links[index].tell(.lost(SerialError(.lost, in: "read", at: links[index].endpoint)))
    }

    func turn(until condition: () -> Bool) throws {
      let deadline = MonotonicTime.now + .seconds(60)
      while !condition(), .now < deadline { try loop.turn(waitingAtMost: .milliseconds(5)) }
      #expect(condition())
    }
  }

  @Test func `Bytes pass at once and unchanged, both ways`() throws {
    let bench = try Bench()
    bench.send([0, 0xFF, 0x0D], from: 0)
    #expect(bench.links[1].sent == [0, 0xFF, 0x0D])
    bench.send([1, 2], from: 1)
    #expect(bench.links[0].sent == [1, 2])
    #expect(bench.news.isEmpty)
  }

  @Test func `A passive junction sends nothing`() throws {
    let bench = try Bench(isPassive: true)
    bench.send([1], from: 0)
    bench.send([2], from: 1)
    bench.session(0).apply(LineSettings(baudRate: 300)) { _ in }
    #expect(bench.links.allSatisfy { $0.sent.isEmpty })
    #expect(bench.session(1).requestedSettings.baudRate == 115_200)
  }

  @Test func `A full side holds the other, and nothing is dropped`() throws {
    let bench = try Bench()
    bench.links[1].appetite = 0
    var sent = 0
    while bench.session(0).interest.contains(.reading), sent < 1_000_000 {
      bench.send([UInt8](repeating: UInt8(truncatingIfNeeded: sent >> 12), count: 4_096), from: 0)
      sent += 4_096
    }
    #expect(sent == Relay.limit)
    #expect(bench.session(1).interest.contains(.reading))
    bench.links[1].appetite = .max
    bench.session(1).handle(.writable)
    #expect(bench.links[1].sent.count == sent)
    #expect(bench.session(0).interest.contains(.reading))
  }

  @Test func `What comes while the other side is away is counted, and not kept for it`() throws {
    let bench = try Bench()
    bench.lose(1)
    bench.send([1, 2, 3], from: 0)
    bench.session(1).deviceDidReturn(at: bench.links[1].endpoint)
    #expect(bench.news == ["3 stray from first"])
    #expect(bench.links[1].sent.isEmpty)
    bench.send([4], from: 0)
    #expect(bench.links[1].sent == [4])
  }

  @Test func `Settings go to the other side, and do not come back`() throws {
    let bench = try Bench()
    bench.session(0).apply(LineSettings(baudRate: 9_600, parity: .even)) { _ in }
    #expect(bench.session(1).requestedSettings == LineSettings(baudRate: 9_600, parity: .even))
    #expect(bench.news == ["9600 8E1 at second"])
  }

  @Test func `Settings wait until the other side has sent what came before`() throws {
    let bench = try Bench()
    bench.links[1].unsentByteCount = 10
    bench.session(0).apply(LineSettings(baudRate: 9_600)) { _ in }
    bench.send([1], from: 0)
    #expect(bench.session(1).requestedSettings.baudRate == 115_200)
    #expect(bench.links[1].sent.isEmpty)
    bench.links[1].drainRate = 10
    try bench.turn(until: { bench.session(1).requestedSettings.baudRate == 9_600 })
    bench.session(0).handle(.readable)
    #expect(bench.links[1].sent == [1])
  }

  @Test func `A break is a break at the other side, without its byte`() throws {
    let bench = try Bench()
    bench.links[0].incoming.append(
      .init(.bytes([1]), .error(.breakOrDamagedZero), .bytes([0, 2])))
    bench.session(0).handle(.readable)
    #expect(bench.links[1].sent == [1])
    try bench.turn(until: { bench.links[1].sent == [1, 2] })
  }

  @Test func `The rule to end reports the lost side`() throws {
    let bench = try Bench(onLoss: .end)
    bench.lose(0)
    #expect(bench.news == ["end by first"])
  }

  @Test func `At the end, both sides are read no more`() throws {
    let bench = try Bench()
    bench.junction.stop()
    #expect(!bench.session(0).interest.contains(.reading))
    #expect(!bench.session(1).interest.contains(.reading))
  }
}
