// A program that uses the libraries together with Foundation and Observation, in one file. It
// compiles only if no name of a library hides or clashes with a name of the others.
import DeviceWatch
import EventLoop
import Foundation
import Framing
import Loopback
import Observation
import Observing
import Patterns
import Posix
import SerialCore
import SerialPorts
import SystemPackage
import Testing
import Time

/// The name of the event loops in SwiftNIO.
private protocol EventLoop: AnyObject {
  func execute(_ task: @escaping () -> Void)
}

extension IOLoop: EventLoop {
  fileprivate func execute(_ task: @escaping () -> Void) { atEndOfTurn(task) }
}

/// A model for a view, of the kind that SwiftUI observes.
@Observable private final class PortModel: Observation.Observable {
  private(set) var state = SessionState.closed(nil)
  private(set) var text = ""
  @ObservationIgnored private var tokens: [AnyObject] = []

  init(of session: Session) {
    tokens = [
      session.observe(.stateChange) { [unowned self] in state = $0.new },
      session.observe(.received) { [unowned self] in text += String(decoding: $0, as: UTF8.self) },
    ]
  }
}

extension Endpoint.Kind {
  fileprivate static let mirror = Endpoint.Kind("mirror")
}

/// A link that a client of the library implements: it receives all bytes that were sent.
private final class MirrorLink: Link {
  let endpoint: Endpoint
  let descriptor: FileDescriptor? = .standardInput
  let unsentByteCount = 0
  private var bytes: [UInt8] = []

  init(to endpoint: Endpoint) { self.endpoint = endpoint }

  func start(_ settings: LineSettings, report: @escaping (LinkEvent) -> Void) {
    report(.opened(settings, LineProbe(modemLines: nil, counters: nil, hasBreaks: false)))
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(SerialError) -> LinkInput {
    guard !bytes.isEmpty else { return .wouldBlock }
    let count = min(bytes.count, buffer.count)
    buffer.copyBytes(from: bytes[..<count])
    bytes.removeFirst(count)
    return .bytes(count)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SerialError) -> WriteOutcome {
    self.bytes += bytes
    return .bytes(bytes.count)
  }

  func apply(
    _ settings: LineSettings, answer: @escaping (Result<LineSettings, SerialError>) -> Void
  ) {
    answer(.success(settings))
  }

  func setBreak(_ isOn: Bool) throws(SerialError) { throw unsupported("break") }
  func modemLines() throws(SerialError) -> ModemLines { throw unsupported("modem lines") }
  func setModemLines(asserting: ModemLines, deasserting: ModemLines) throws(SerialError) {
    throw unsupported("modem lines")
  }
  func counters() throws(SerialError) -> LineCounters { throw unsupported("counters") }
  func discardUnsent() -> Int { 0 }
  func close() {}

  private func unsupported(_ feature: String) -> SerialError {
    SerialError(.unsupported, in: "mirror", at: endpoint, subject: feature)
  }
}

/// A simulated device that a client of the library implements: it sends "tick" every millisecond.
private struct TickingDevice: SimulatedDevice {
  private(set) var nextDeadline: MonotonicTime?

  mutating func start(at now: MonotonicTime, output: inout DeviceOutput) { nextDeadline = now }

  func receive(_ bytes: Span<UInt8>, at now: MonotonicTime, output: inout DeviceOutput) -> Int {
    bytes.count
  }

  mutating func advance(to now: MonotonicTime, output: inout DeviceOutput) {
    output.append("tick\n")
    nextDeadline = now + .milliseconds(1)
  }
}

/// A framing that a client of the library composes from another one: sentences of NMEA 0183
/// with their checksums.
private struct SentenceFraming: Framing {
  private var lines = LineFraming(limit: 82)

  mutating func search(_ bytes: RawSpan, searched: Int, isEnd: Bool) -> FrameSearch<String> {
    lines.search(bytes, searched: searched, isEnd: isEnd).map { line, length in
      let parts = line.split(separator: "*")
      guard line.first == "$", parts.count == 2 else {
        return .damaged(.custom("no sentence"), length: length)
      }
      let checksum = parts[0].utf8.dropFirst().reduce(0, ^)
      return UInt8(parts[1], radix: 16) == checksum
        ? .frame(String(parts[0].dropFirst()), length: length)
        : .damaged(.wrongChecksum, length: length)
    }
  }
}

@Suite(.timeLimit(.minutes(30))) struct LibraryClientTests {
  @Test func framingOfAClient_isMadeOfAnother() {
    var buffer = FrameBuffer(SentenceFraming())
    buffer.append("7,N\r\n$GPGLL,5057.970,N,00146.110,E,142451,A*27\r\n$GPGLL,*00\r\n".utf8)
    #expect(buffer.next() == .failure(.custom("no sentence")))
    #expect(buffer.next() == .success("GPGLL,5057.970,N,00146.110,E,142451,A"))
    #expect(buffer.next() == .failure(.wrongChecksum))
    #expect(buffer.next() == nil)
  }

  @Test func expectedTexts_ofAClient() throws {
    let expression: ExpectedPattern = try .regex(#"(\w+)@[\w-]+:\S+[$#] "#)
    var text = ReceivedText(expecting: [.text("login: "), expression])
    text.append("board login: ".utf8)
    #expect(text.look()?.index == 0)
    text.append("root@board:~# ".utf8)
    #expect(text.look()?.text(1) == "root")
  }

  @Test func observableModel_followsASession_overALinkOfItsOwn() throws {
    let mirror = Endpoint(.mirror, "mirror:")
    let session = Session(settings: LineSettings()) { MirrorLink(to: $0) }
    let model = PortModel(of: session)
    nonisolated(unsafe) var changes = 0
    withObservationTracking {
      _ = model.text
    } onChange: {
      changes += 1
    }
    try session.open(mirror)
    #expect(model.state == .open(mirror, LineSettings()))
    try session.write([UInt8]("hello".utf8).span.bytes)
    session.handle([.readable, .writable])
    #expect(model.text == "hello")
    #expect(changes == 1)
  }

  @Test func simulatedDevice_speaksToASession_throughTheLoop() throws {
    let loop = try IOLoop()
    let port = try LoopbackPort(TickingDevice(), on: loop)
    let session = Session(settings: LineSettings(), waitsForLostDevice: false)
    let model = PortModel(of: session)
    try session.open(.tty(port.path))
    let descriptor = try #require(session.descriptor)
    let watch = try loop.watch(descriptor, for: .reading) { [session] ready in
      session.handle(ready)
    }
    while !model.text.contains("tick") { try loop.turn(waitingAtMost: .seconds(10)) }
    watch.cancel()
    session.close()
  }

  @Test func timers_ofFoundationAndOfTheLoop_standSideBySide() throws {
    let foundation: Timer = Timer(timeInterval: 60, repeats: false) { _ in }
    #expect(foundation.isValid)
    foundation.invalidate()
    let loop = try IOLoop()
    var isDue = false
    let timer: LoopTimer = loop.schedule(after: .milliseconds(1)) { isDue = true }
    while !isDue { try loop.turn(waitingAtMost: .seconds(10)) }
    timer.cancel()
    let eventLoop: any EventLoop = loop
    var isExecuted = false
    eventLoop.execute { isExecuted = true }
    try loop.turn(waitingAtMost: .zero)
    #expect(isExecuted)
  }

  @Test func observerList_andObservationRegistrar_standSideBySide() {
    let list = Observing.Observable<Change<Int>>()
    var last: Change<Int>?
    let token: ObservationToken<Change<Int>> = list.observe { last = $0 }
    list.notify(Change(from: 1, to: 2))
    token.cancel()
    #expect(last == Change(from: 1, to: 2))
    _ = ObservationRegistrar()
    _ = DeviceSelector.self
  }
}
