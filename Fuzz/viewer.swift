import EventLoop
import Glibc
import Logs
import NetworkLinks
import Observing
import Posix
import Reconnecting
import Scrollback
import SerialCore
import Sessions
import SystemPackage
import Telnet
import Terminal
import TerminalWidgets
import TextStages
import Time

/// The whole way of a viewer: a session of another process says these bytes, and they pass the socket, telnet, RFC 2217,
/// the messages about members, the hub, the scrollback and the view, with times that lie and a clock that jumps.
/// Nothing traps, and the loop never has more to do than the bytes explain.
///
/// The first byte is the form of the view. After that, each part is a byte for its kind, a byte for its length, and so many
/// bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzViewer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeBufferPointer(start: start, count: count)
  do { try Viewer(form: input.first ?? 0).watch(Array(input.dropFirst())) } catch {
    fatalError("\(error)")
  }
  return 0
}

private final class Clock {
  var now = MonotonicTime.now
}

/// A listener like a session of another process. It lasts for all cases.
private struct Listener {
  let path: FilePath
  let descriptor: FileDescriptor

  init() {
    signal(SIGPIPE, SIG_IGN)
    path = FilePath("/tmp/serialterm-fuzz-\(getpid()).sock")
    unlink(path.string)
    let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = FileDescriptor(rawValue: socket(AF_UNIX, type, 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.string.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor.rawValue, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    precondition(bound == 0 && listen(descriptor.rawValue, 8) == 0)
  }
}

nonisolated(unsafe) private let listener = Listener()

/// The user's terminal: a pipe that is emptied after each part.
nonisolated(unsafe) private let screen: (reader: FileDescriptor, streams: TerminalStreams) = {
  guard let pipe = try? FileDescriptor.pipe() else { fatalError("no pipe") }
  _ = fcntl(pipe.readEnd.rawValue, F_SETFL, O_NONBLOCK)
  return (
    pipe.readEnd,
    TerminalStreams(
      input: pipe.readEnd, output: pipe.writeEnd, messages: pipe.writeEnd, areShared: true,
      screenKind: .drawing, outputStyle: .plain, messageStyle: .plain,
      screenSize: { ScreenSize(rows: 24, columns: 80) }, messageColumns: { nil })
  )
}()

private final class Viewer {
  private let clock = Clock()
  private let loop: IOLoop
  private let controller: SessionController
  private let console: Console
  private let view: DeviceView
  private let scrollback = Scrollback(capacity: Scrollback.leastCapacity)
  private var merger = LineMerger(LineMerger.Style(lineEnd: "\n", hasColours: true, canErase: true))
  private var stamper: LineStamper
  /// The merger gets only text with colours.
  private var colours = EscapeFilter(permitting: .colours)
  private var subscriptions: [Hub.Subscription] = []
  private var news: ObservationToken<SessionNews>?
  private var client: FileDescriptor?
  private var receivedCount = 0

  init(form: UInt8) throws {
    let clock = clock
    loop = try IOLoop(clock: { clock.now })
    let session = RunningSession(
      pid: 1, socket: listener.path,
      summary: SessionSummary(
        port: "board", since: 0, command: "connect", holder: nil, others: [], addresses: []))
    controller = SessionController(
      SessionConfiguration(
        target: .endpoint(session.endpoint), settings: LineSettings(), linkOptions: LinkOptions(),
        onOpen: nil, reconnects: false, waitsForAbsentDevice: false, pacing: Pacing(),
        log: LogConfiguration(), isQuiet: true),
      among: DeviceCatalog(), on: loop, from: .joining(session, as: .init(name: "fuzz")), writeCapacity: 4_096)
    console = try Console(screen.streams, on: loop, isQuiet: false, isRaw: true)
    let kinds = TimestampFormat.Kind.allCases
    let format = TimestampFormat(kinds[Int(form >> 2) % kinds.count], .microseconds)
    stamper = LineStamper(format, start: .now, calendar: CalendarTime.init(local:))
    view = DeviceView(
      ViewSettings(
        isHex: form & 1 != 0, timestamps: form & 2 != 0 ? nil : format, isRaw: form & 128 != 0),
      on: console, loop: loop)
    merger.label(["one", "two"])
    controller.session.owner = .keyboard
    subscriptions.append(
      controller.hub.subscribe(as: .log) { [unowned self] in scrollback.add($0, at: $1.wallClock) })
    subscriptions.append(
      controller.hub.subscribe(as: .view) { [unowned self] in
        receivedCount += $0.count
        show($0, at: $1)
      })
    news = controller.news.observe { [unowned self] in
      switch $0 {
      case .far(.history(let bytes, let time, _)):
        bytes.withUnsafeBytes {
          scrollback.add($0, at: time)
          show($0, at: Moment.now.moved(to: time))
          // Values that a file may have.
          show($0, at: Moment(wallClock: time, monotonic: time))
        }
      case .far(let news): console.say("\(news)")
      default: break
      }
    }
  }

  deinit { _ = try? client?.close() }

  private func show(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    view.show(bytes, at: moment)
    var (text, output) = ([UInt8](), [UInt8]())
    if colours.transform(bytes, at: moment, into: &text) == .unchanged { text = Array(bytes) }
    text.withUnsafeBytes { merger.add($0, from: bytes.count % 2, at: moment, into: &output) }
    merger.tick(at: merger.deadline ?? 0, into: &output)
    _ = stamper.transform(bytes, at: moment, into: &output)
  }

  func watch(_ input: [UInt8]) throws {
    _ = try controller.device.bind(mayAsk: false)
    for _ in 0..<4 where client == nil {
      try turn()
      let descriptor = accept(listener.descriptor.rawValue, nil, nil)
      if descriptor >= 0 { client = FileDescriptor(rawValue: descriptor) }
    }
    guard let client else { fatalError("the viewer did not come") }
    _ = fcntl(client.rawValue, F_SETFL, O_NONBLOCK)
    var rest = input[...]
    while let kind = rest.popFirst() {
      let length = Int(rest.popFirst() ?? 0) % 64
      let part = Array(rest.prefix(length))
      rest = rest.dropFirst(length)
      if kind == 255 {
        let time = part.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        // Only forward, by at most some years: time does not overflow in a session.
        clock.now = clock.now + .nanoseconds(max(0, time >> 6))
      } else {
        send(bytes(of: kind, part), to: client)
      }
      try turn()
      if !controller.session.state.isOpen, case .closed = controller.session.state { break }
    }
    // A pause, then the end of the stream.
    for _ in 0..<3 {
      clock.now = clock.now + .milliseconds(700)
      try turn()
    }
    shutdown(client.rawValue, CInt(SHUT_RDWR))
    for _ in 0..<3 { try turn() }
    view.finish()
    for form in [ScrollbackCopy.Form.bytes, .text] {
      var size = 0
      ScrollbackCopy(of: scrollback).write(as: form) { size += $0.count }
      precondition(form == .text || size <= scrollback.byteCount)
    }
    precondition(receivedCount <= 64 * (input.count + 1) + 64)
    controller.session.close()
    try turn()
  }

  private func send(_ bytes: [UInt8], to client: FileDescriptor) { _ = try? client.writeAll(bytes) }

  /// What the session says for a part of the input.
  private func bytes(of kind: UInt8, _ part: [UInt8]) -> [UInt8] {
    var telnet = TelnetMachine(accepting: [], from: [])
    func say(_ message: ComPortMessage) {
      telnet.send(message.parameters(fromServer: true), about: .comPort)
    }
    switch kind % 10 {
    case 0:
      // The port is open, and the viewer has joined.
      telnet.ask(for: .comPort, .remote)
      say(.signature(Array("serialterm 1".utf8)))
      for message: ComPortMessage in [
        .baudRate(9_600), .dataSize(8), .parity(1), .stopSize(1), .control(.noFlow),
        .sharing(SharingMessage.joined(1, mayTake: true, .one).bytes),
        .sharing(SharingMessage.port(.open, name: "board").bytes),
      ] {
        say(message)
      }
    case 1:
      var encoded: [UInt8] = []
      part.withUnsafeBytes { telnet.encode($0, into: &encoded) }
      telnet.output += encoded
    case 2: say(.sharing([UInt8(65)] + part))
    case 3: say(.sharing(part))
    case 4:
      // History with its time in the first eight bytes, cut in a character.
      say(.sharing([UInt8(65)] + part + Array("\u{20AC}".utf8).dropLast()))
    case 5: telnet.send(part, about: .comPort)
    case 6: telnet.send([UInt8(100) &+ (part.first ?? 0) % 13] + part.dropFirst(), about: .comPort)
    case 7:
      for byte in part { say(byte & 1 == 0 ? .flowSuspend : .flowResume) }
    case 8: for _ in part { say(.signature([])) }
    default: return part
    }
    return telnet.output
  }

  /// Turns of the loop until everything that was sent is handled, and the terminal has taken all.
  private func turn() throws {
    for _ in 0..<3 { try loop.turn(waitingAtMost: .zero) }
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      while case .bytes? = try? screen.reader.readAvailable(into: buffer) {
        _ = try? loop.turn(waitingAtMost: .zero)
      }
    }
  }
}
