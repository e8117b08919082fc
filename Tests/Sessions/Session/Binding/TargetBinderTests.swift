import DeviceWatch
import EventLoop
import Observing
import Reconnecting
import SerialCore
import SystemPackage
import TestSupport
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct TargetBinderTests {
  /// A binder with devices and links that a test controls.
  private final class Bench {
    let loop: IOLoop
    let ports: FakePorts
    let provider = FakeProvider()
    let session: Session
    let binder: TargetBinder
    let failures = Failures()
    private(set) var arrivals: [Endpoint] = []
    private let links = Links()

    final class Failures: TargetBinderDelegate {
      private(set) var all: [BindingError] = []

      func binder(_ binder: TargetBinder, didFailWith error: BindingError) { all.append(error) }
      func binder(_ binder: TargetBinder, didReport report: Reconnector.Report) {}
      func binder(_ binder: TargetBinder, mayOpen endpoint: Endpoint, _ device: Device?) -> Bool {
        true
      }
    }

    private final class Links {
      var last: FakeLink?
      var refusal: SerialError.Code?
      var opensLate = false
    }

    init(waits: Bool = false) throws {
      loop = try IOLoop()
      let ports = try FakePorts()
      self.ports = ports
      session = Session(settings: LineSettings()) { [links] in
        let link = FakeLink(to: $0)
        (link.refusal, link.opensLate) = (links.refusal, links.opensLate)
        links.last = link
        return link
      }
      binder = TargetBinder(
        session, providers: LinkProviders([provider, TerminalDeviceProvider()]),
        among: DeviceCatalog { () throws(Errno) in ports }, on: loop)
      binder.delegate = failures
      binder.waitsForAbsentDevice = waits
    }

    var link: FakeLink? { links.last }

    func refuse(_ code: SerialError.Code?, late: Bool) {
      (links.refusal, links.opensLate) = (code, late)
    }

    /// Binds the session to the device of a query, and watches for it.
    func follow(_ query: DeviceQuery) throws {
      _ = try binder.bind(to: .device(query), mayAsk: false)
      try binder.startReconnecting()
    }

    func settle() throws { for _ in 0..<4 { try loop.turn(waitingAtMost: .zero) } }
  }

  private static let fake = Endpoint(Endpoint.Kind("fake"), "fake:1")

  // MARK: Opening

  struct Opening: CustomTestStringConvertible {
    let code: SerialError.Code?
    let waits: Bool
    /// Whether the session is bound, which means that it is open or waits.
    let isBound: Bool
    var testDescription: String {
      "\(code.map { "\($0)" } ?? "opens"), \(waits ? "waits" : "ends")"
    }
  }

  static let openings: [Opening] = [
    Opening(code: nil, waits: false, isBound: true),
    Opening(code: nil, waits: true, isBound: true),
    Opening(code: .notFound, waits: false, isBound: false),
    Opening(code: .notFound, waits: true, isBound: true),
    Opening(code: .busy, waits: false, isBound: false),
    Opening(code: .busy, waits: true, isBound: true),
    Opening(code: .permissionDenied, waits: false, isBound: false),
    Opening(code: .permissionDenied, waits: true, isBound: true),
    Opening(code: .noHardware, waits: false, isBound: false),
    Opening(code: .noHardware, waits: true, isBound: true),
    Opening(code: .notASerialPort, waits: true, isBound: false),
    Opening(code: .settingRefused, waits: true, isBound: false),
    Opening(code: .lockFailed, waits: true, isBound: false),
    Opening(code: .lost, waits: true, isBound: false),
    Opening(code: .system, waits: true, isBound: false),
  ]

  @Test(arguments: openings, [false, true])
  func failureToOpen_isWaitedFor_orReported(_ opening: Opening, isLate: Bool) throws {
    let bench = try Bench(waits: opening.waits)
    bench.refuse(opening.code, late: isLate)
    var thrown: BindingError?
    do throws(BindingError) {
      let question = try bench.binder.bind(to: .endpoint(Self.fake), mayAsk: false)
      #expect(question == nil)
    } catch {
      thrown = error
    }
    if isLate {
      #expect(thrown == nil)
      guard case .opening = bench.session.state else {
        Issue.record("\(bench.session.state)")
        return
      }
      bench.link?.finishOpening()
      thrown = bench.failures.all.first
    }
    let error = opening.code.map { SerialError($0, in: "open", at: Self.fake) }
    #expect(thrown == (opening.isBound ? nil : error.map { .port($0) }))
    switch bench.session.state {
    case .open: #expect(opening.code == nil)
    case .waitingForDevice(let endpoint, .absent):
      #expect(opening.isBound && opening.code != nil && endpoint == Self.fake)
    case .closed: #expect(!opening.isBound)
    default: Issue.record("\(bench.session.state)")
    }
  }

  @Test func farEndThatOpensLater_isFound_byItsPresence() throws {
    for isLate in [false, true] {
      let bench = try Bench(waits: true)
      let presence = FakePresence()
      bench.provider.presence = presence
      bench.refuse(.notFound, late: isLate)
      _ = try bench.binder.bind(to: .endpoint(Self.fake), mayAsk: false)
      try bench.binder.startReconnecting()
      if isLate { bench.link?.finishOpening() }
      bench.refuse(nil, late: false)
      #expect(!bench.session.state.isOpen)
      presence.finding = .present(Self.fake, nil)
      presence.events.notify(.changed)
      #expect(bench.session.state.isOpen)
      #expect(bench.provider.preparedCount == 1)
    }
  }

  @Test func farEndThatCannotBePrepared_isAnErrorOfTheSystem() throws {
    let bench = try Bench(waits: true)
    bench.provider.preparationError = .tooManyOpenFiles
    #expect(throws: BindingError.system(.tooManyOpenFiles)) {
      try bench.binder.bind(to: .endpoint(Self.fake), mayAsk: true)
    }
  }

  // MARK: Devices

  /// The present devices (none, one or two), which all match the selector.
  struct Asking: CustomTestStringConvertible {
    let target: Target?
    let count: Int
    var waits = false
    var mayAsk = false
    var offersMore = false
    let result: String
    var testDescription: String { "\(target.map { "\($0)" } ?? "none"), \(count) present" }
  }

  private static let fitting = DeviceQuery.fitting(.usb(vendorID: 0x0403, productID: 0x6001))

  static let askings: [Asking] = [
    Asking(target: nil, count: 1, result: "noTarget"),
    Asking(target: nil, count: 0, mayAsk: true, result: "ask"),
    Asking(target: nil, count: 1, mayAsk: true, result: "/dev/ttyFAKE0"),
    Asking(target: nil, count: 2, mayAsk: true, result: "ask"),
    Asking(target: nil, count: 1, offersMore: true, result: "noTarget"),
    Asking(target: nil, count: 1, mayAsk: true, offersMore: true, result: "ask"),
    Asking(
      target: .device(.latest), count: 1, mayAsk: true, offersMore: true, result: "/dev/ttyFAKE0"),
    Asking(
      target: .device(fitting), count: 1, mayAsk: true, offersMore: true, result: "/dev/ttyFAKE0"),
    Asking(target: .device(.latest), count: 0, result: "none"),
    Asking(target: .device(.latest), count: 0, mayAsk: true, result: "ask"),
    Asking(target: .device(.latest), count: 0, waits: true, result: "waits for latest"),
    Asking(target: .device(.latest), count: 1, result: "/dev/ttyFAKE0"),
    Asking(target: .device(.latest), count: 2, result: "/dev/ttyFAKE1"),
    Asking(target: .device(.next), count: 0, result: "waits for new"),
    Asking(target: .device(.next), count: 2, mayAsk: true, result: "waits for new"),
    Asking(target: .device(fitting), count: 0, result: "none"),
    Asking(target: .device(fitting), count: 0, mayAsk: true, result: "none"),
    Asking(target: .device(fitting), count: 0, waits: true, result: "waits for usb:0403:6001"),
    Asking(target: .device(fitting), count: 1, result: "/dev/ttyFAKE0"),
    Asking(target: .device(fitting), count: 2, result: "several"),
    Asking(target: .device(fitting), count: 2, mayAsk: true, result: "ask"),
  ]

  @Test(arguments: askings)
  func target_isBound_askedAbout_waitedFor_orRefused(_ asking: Asking) throws {
    let bench = try Bench(waits: asking.waits)
    bench.binder.offersMore = asking.offersMore
    for number in 0..<asking.count {
      try bench.ports.plug(number, serialNumber: "A\(number)", inPort: number + 1)
    }
    let result: String
    do throws(BindingError) {
      let question = try bench.binder.bind(to: asking.target, mayAsk: asking.mayAsk)
      switch bench.session.state {
      case .open(let endpoint, _): result = "\(endpoint)"
      case .waitingForDevice(let endpoint, .absent): result = "waits for \(endpoint)"
      default: result = question == nil ? "\(bench.session.state)" : "ask"
      }
    } catch {
      switch error {
      case .noTarget: result = "noTarget"
      case .none: result = "none"
      case .several: result = "several"
      case .port, .system: result = "\(error)"
      }
    }
    #expect(result == asking.result)
  }

  @Test func awaitedDevice_isOpened_whenItIsPluggedIn() throws {
    let targets: [DeviceQuery] = [.next, .latest, .fitting(.serial("A1"))]
    for query in targets {
      let bench = try Bench(waits: true)
      try bench.follow(query)
      try bench.ports.plug(1, serialNumber: "A1", inPort: 1)
      try bench.settle()
      #expect(bench.session.state.endpoint == .tty("/dev/ttyFAKE1"))
      #expect(bench.session.state.isOpen)
    }
  }

  @Test func physicalPort_isAnyDeviceThatIsPluggedInThere() throws {
    let bench = try Bench()
    let first = try bench.ports.plug(1, serialNumber: "A1", inPort: 1)
    let place = DeviceSelector.port(try #require(first.physicalPath))
    try bench.follow(.fitting(place))
    try bench.ports.unplug(first)
    try bench.settle()
    try bench.ports.plug(2, serialNumber: "B2", inPort: 1)
    try bench.settle()
    #expect(bench.session.state.endpoint == .tty("/dev/ttyFAKE2"))
    #expect(bench.session.state.isOpen)
  }

  @Test func chosenCandidate_isOpened_andOneThatIsGone_isNot() throws {
    let bench = try Bench()
    let ours = try bench.ports.plug(1, inPort: 1)
    try bench.follow(Self.fitting)
    try bench.ports.unplug(ours)
    try bench.ports.plug(2, inPort: 2)
    try bench.settle()
    #expect(bench.binder.candidates.map(\.node) == ["/dev/ttyFAKE2"])
    bench.binder.choose(.tty("/dev/ttyFAKE1"))
    #expect(!bench.session.state.isOpen)
    bench.binder.choose(.tty("/dev/ttyFAKE2"))
    #expect(bench.session.state.isOpen)
  }
}
