import EventLoop
import Glibc
import Posix
import Reconnecting
import SerialCore
import SystemPackage
import Telnet
import TestSupport
import Testing

@testable import Sessions

/// No bytes from viewers reach the device: random bytes, and messages of real clients with random
/// faults, for every protocol. `$SERIALTERM_VIEWER_INPUTS` sets the number of inputs.
@Suite(.timeLimit(.minutes(60))) struct ViewerInputTests {
  private static let inputCount =
    getenv("SERIALTERM_VIEWER_INPUTS").flatMap { Int(String(cString: $0)) } ?? 5_000

  @Test(arguments: [Roster.Rule.one, .none]) func `No input of a viewer reaches the device`(
    rule: Roster.Rule
  ) throws {
    let bench = try ViewerBench(rule)
    var inputs = ViewerInputs(seed: rule == .one ? 54 : 55)
    for number in 0..<Self.inputCount / 2 {
      let input = inputs.next()
      try bench.send(input, as: number % ViewerBench.ways.count)
      let trace = bench.trace
      if trace != bench.untouched {
        Issue.record("input \(number), \(input), left \(trace)")
        return
      }
      if number % 64 == 0 { try bench.passDeviceBytes() }
    }
    #expect(bench.controller.sharing.roster.rule == rule)
    #expect(bench.controller.sharing.roster.holder == (rule == .one ? SharingMessage.home : nil))
    Figures.record(
      row: 54, "bytes of viewers at the device, of \(Self.inputCount) inputs",
      [Double(bench.trace.sent)], unit: "bytes")
  }

  @Test func `The same inputs of the one with the pen do reach it`() throws {
    let bench = try ViewerBench(.all)
    var inputs = ViewerInputs(seed: 54)
    for number in 0..<200 { try bench.send(inputs.next(), as: number % ViewerBench.ways.count) }
    #expect(bench.trace.sent > 0)
    #expect(bench.trace.settings != bench.untouched.settings || bench.trace.breakCount > 0)
  }
}

/// A session whose device counts the bytes that reach it, with viewers of every kind.
private final class ViewerBench {
  /// The kinds of viewers: the protocol, and whether they come through the control socket.
  static let ways: [(clientProtocol: StreamProtocol, isViewer: Bool)] = [
    (.raw, false), (.telnet, false), (.rfc2217, false), (.rfc2217, true),
  ]

  /// The effects on the device.
  struct Trace: Equatable {
    var sent = 0
    var breakCount = 0
    var settings = LineSettings()
    var lines: ModemLines?
    var discarded = 0
    var playedCount = 0
  }

  let controller: SessionController
  private(set) var untouched = Trace()
  private let loop: IOLoop
  private let link: FakeLink
  private let polled: (FileDescriptor, FileDescriptor)
  private var viewers: [Viewer?] = Array(repeating: nil, count: ways.count)
  private var number = 0

  init(_ rule: Roster.Rule) throws {
    loop = try IOLoop()
    let endpoint = Endpoint(Endpoint.Kind("fake"), "fake:board")
    let link = FakeLink(to: endpoint)
    self.link = link
    polled = try FileDescriptor.pipe()
    link.pollable = polled.0
    controller = SessionController(
      SessionConfiguration(
        target: .endpoint(endpoint), settings: LineSettings(), linkOptions: LinkOptions(),
        onOpen: nil, reconnects: true, waitsForAbsentDevice: false, pacing: Pacing(),
        log: LogConfiguration(files: []), isQuiet: true),
      among: DeviceCatalog(), on: loop, from: LinkProviders([FakeProvider { _ in link }]),
      writeCapacity: 65_536)
    controller.sharing.begin(
      rule, home: rule == .none ? nil : { MemberName(given: "max") }, answers: true)
    _ = try controller.device.bind(mayAsk: false)
    link.unsentByteCount = 1
    untouched = trace
  }

  deinit {
    // The viewers must be released before the session.
    viewers = []
    controller.close()
    _ = try? polled.0.close()
    _ = try? polled.1.close()
  }

  var trace: Trace {
    Trace(
      sent: link.sent.count + controller.session.queuedByteCount, breakCount: link.breaks.count,
      settings: link.settings, lines: link.lines,
      discarded: 1 - link.unsentByteCount, playedCount: link.played.count)
  }

  /// Sends an input as the next viewer of a kind, which reconnects from time to time.
  func send(_ input: [UInt8], as way: Int) throws {
    number += 1
    if viewers[way]?.hasEnded != false || number % 97 == 0 {
      viewers[way] = try Viewer(Self.ways[way], of: controller, on: loop)
    }
    guard let viewer = viewers[way] else { return }
    viewer.say(input)
    try loop.turn(waitingAtMost: .zero)
    viewer.listen()
  }

  /// Makes the device send bytes to all viewers.
  func passDeviceBytes() throws {
    link.incoming = [.init(Array(repeating: 0xFF, count: 100))]
    link.tell(.ready)
    try loop.turn(waitingAtMost: .zero)
  }
}

/// A viewer at the other end of a socket.
private final class Viewer {
  /// Whether the connection has ended.
  private final class Ending {
    var isOver = false
  }

  var hasEnded: Bool { ending.isOver }
  private let ending = Ending()
  private let input: OwnedDescriptor
  private let output: OwnedDescriptor
  /// The viewer's own end.
  private let end: OwnedDescriptor
  private var client: ServedClient?

  init(
    _ way: (clientProtocol: StreamProtocol, isViewer: Bool), of controller: SessionController,
    on loop: IOLoop
  ) throws {
    var pair: [CInt] = [-1, -1]
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    try systemCall { socketpair(AF_UNIX, type, 0, &pair) }
    input = OwnedDescriptor(FileDescriptor(rawValue: pair[0]))
    end = OwnedDescriptor(FileDescriptor(rawValue: pair[1]))
    output = OwnedDescriptor(FileDescriptor(rawValue: try systemCall { dup(pair[0]) }))
    let client = try ServedClient(
      reading: input.borrowed, writing: output.borrowed,
      as: ServedClient.Configuration(
        clientProtocol: way.clientProtocol, name: "viewer", isViewer: way.isViewer, mayTake: false),
      of: controller, program: ServedClient.Program(signature: "test", words: { "\($0)" }),
      on: loop, report: { _, _ in }, ended: { [ending] in ending.isOver = true })
    self.client = client
    // Half of the viewers identify themselves; the others begin with the input.
    if way.isViewer, Bool.random() { say(ViewerInputs.hello) }
  }

  deinit { client?.end() }

  func say(_ bytes: [UInt8]) {
    // A disconnected viewer takes no bytes.
    _ = bytes.withUnsafeBytes { try? end.borrowed.writeAvailable($0) }
  }

  /// Reads the bytes for the viewer, so that it never stalls.
  func listen() {
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      while case .bytes(let count)? = try? end.borrowed.readAvailable(into: buffer), count > 0 {}
    }
  }
}

/// Inputs: random bytes, and parts of the messages of every kind of client, with faults.
private struct ViewerInputs {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func next() -> [UInt8] {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return bytes(upTo: 64)
    case 1: return said() + bytes(upTo: 32)
    case 2: return said() + said() + said()
    case 3: return Array(said().prefix(Int.random(in: 0..<40, using: &random)))
    default: return (0..<Int.random(in: 1...3, using: &random)).flatMap { _ in mutated(said()) }
    }
  }

  private mutating func bytes(upTo count: Int) -> [UInt8] {
    (0..<Int.random(in: 0...count, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
  }

  private mutating func said() -> [UInt8] { Self.conversation.randomElement(using: &random) ?? [] }

  private mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(UInt8.random(in: 240...255, using: &random), at: place)
      default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
    }
    return bytes
  }

  static let hello = negotiation(
    .sharing(SharingMessage.hello(.init(name: "max"), isViewer: true).bytes))

  /// Messages of clients: telnet options, all messages about a port and about sharing,
  /// lines of text.
  private static let conversation: [[UInt8]] = {
    let options: [[UInt8]] = [0, 1, 3, 24, 44].flatMap { option in
      (251...254).map { [255, $0, option] }
    }
    let messages: [ComPortMessage] =
      [
        .signature([]), .signature(Array("pyserial".utf8)), .baudRate(0), .baudRate(9_600),
        .baudRate(0xFFFF_FFFF), .dataSize(7), .parity(2), .stopSize(2), .lineStateMask(255),
        .modemStateMask(255), .purge(1), .purge(2), .purge(3), .flowSuspend, .flowResume,
        .sequence(Array("dtr=off wait 1ms dtr=on".utf8)), .sequence(Array("break 10ms".utf8)),
      ] + (0...19).map { .control(ComPortControl(rawValue: $0)) }
    let people: [SharingMessage] = [
      .hello(.init(name: "max"), isViewer: true), .hello(.init(name: ""), isViewer: false), .ask,
      .takePen, .keep,
      .returnPen, .askToWrite("x"), .give(0), .give(1), .give(.max), .pen(1, .forced),
      .joined(0, mayTake: true, .all),
      .ended("over"), .kept, .port(.closed, name: ""),
    ]
    let commands: [[UInt8]] = (240...255).map { [255, $0] }
    let words = ["reboot\r\n", "\u{3}", "+++ATH\r", "~.\r", "\0\0\0"].map { Array($0.utf8) }
    return options + messages.map(negotiation) + people.map { negotiation(.sharing($0.bytes)) }
      + commands + words
  }()

  private static func negotiation(_ message: ComPortMessage) -> [UInt8] {
    let parameters = message.parameters(fromServer: false).flatMap {
      $0 == 255 ? [255, 255] : [$0]
    }
    return [255, 250, 44] + parameters + [255, 240]
  }
}
