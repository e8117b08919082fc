import EventLoop
import Glibc
import Posix
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Telnet
import Time

@testable import NetworkLinks

/// A server at the loopback address, with one client at a time.
final class Server {
  let port: UInt16
  private let listener: FileDescriptor
  private(set) var client: FileDescriptor?

  init(family: CInt = AF_INET) throws {
    let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    listener = FileDescriptor(rawValue: socket(family, type, 0))
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    var address = sockaddr_in6()
    if family == AF_INET6 {
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_addr = in6addr_loopback
    } else {
      withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          $0.pointee.sin_family = sa_family_t(AF_INET)
          $0.pointee.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        }
      }
      length = socklen_t(MemoryLayout<sockaddr_in>.size)
    }
    let listener = listener.rawValue
    port = try withUnsafeMutablePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        try systemCall { bind(listener, address, length) }
        try systemCall { listen(listener, 4) }
        try systemCall { getsockname(listener, address, &length) }
      }
      return UInt16(bigEndian: pointer.pointee.sin6_port)
    }
  }

  deinit {
    hangUp()
    _ = try? listener.close()
  }

  /// Accepts a client that has connected.
  func accept() -> Bool {
    guard client == nil else { return true }
    let descriptor = Glibc.accept(listener.rawValue, nil, nil)
    guard descriptor >= 0 else { return false }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    client = FileDescriptor(rawValue: descriptor)
    return true
  }

  func send(_ bytes: [UInt8]) { _ = try? client?.writeAll(bytes) }

  /// Sends as many of some bytes as the socket accepts, and returns their number.
  func sendSome(_ bytes: [UInt8]) -> Int {
    guard let client else { return 0 }
    return max(
      0, bytes.withUnsafeBytes { Glibc.send(client.rawValue, $0.baseAddress, $0.count, 0) })
  }

  /// Returns the bytes that have arrived.
  func receive() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = buffer.withUnsafeMutableBytes { (try? client?.read(into: $0)) ?? 0 }
    return Array(buffer.prefix(count))
  }

  /// Closes the connection. The client gets a reset if it has sent bytes that were not read.
  func hangUp() {
    _ = try? client?.close()
    client = nil
  }
}

/// A session over a link, with its loop.
final class Bench {
  let loop: IOLoop
  let server: Server
  let session: Session
  /// The protocol of the server.
  var telnet = TelnetMachine(
    accepting: [.binary, .suppressGoAhead], from: [.binary, .suppressGoAhead, .comPort])
  /// The messages of the client.
  private(set) var messages: [ComPortMessage] = []
  /// The bytes for the device.
  private(set) var data: [UInt8] = []
  private(set) var received: [UInt8] = []
  private var tokens: [Any] = []
  private let driver: SessionDriver
  var answer: (ComPortMessage) -> ComPortMessage? = { $0 }
  /// Whether the server answers in telnet.
  var answersTelnet = true

  init(
    _ streamProtocol: StreamProtocol, settings: LineSettings = LineSettings(),
    family: CInt = AF_INET
  ) throws {
    let loop = try IOLoop()
    let server = try Server(family: family)
    (self.loop, self.server) = (loop, server)
    let host = HostAddress(host: family == AF_INET6 ? "::1" : "127.0.0.1", port: server.port)
    session = Session(settings: settings) { endpoint in
      NetworkLink(
        to: endpoint, at: .host(host), speaking: streamProtocol, options: LinkOptions(), on: loop)
    }
    driver = SessionDriver(session, on: loop)
    tokens.append(session.observe(.received) { [unowned self] in received += Array($0) })
  }

  func open() throws { try session.open(Endpoint(Endpoint.Kind("tcp"), "test")) }

  /// Runs the loop, the session and the server until a condition is met.
  func wait(_ condition: () -> Bool) throws -> Bool {
    let deadline = MonotonicTime.now + .seconds(60)
    while !condition(), deadline > .now {
      try loop.turn(waitingAtMost: .milliseconds(5))
      serve()
    }
    return condition()
  }

  private func serve() {
    guard server.accept(), answersTelnet else { return }
    let bytes = server.receive()
    let events = bytes.withUnsafeBytes { telnet.receive($0, into: &data) }
    for case .subnegotiation(.comPort, let parameters) in events {
      guard let message = ComPortMessage(parameters, fromServer: false) else { continue }
      messages.append(message)
      if let answer = answer(message) { say(answer) }
    }
    server.send(telnet.output)
    telnet.output = []
  }

  func say(_ message: ComPortMessage) {
    telnet.send(message.parameters(fromServer: true), about: .comPort)
    server.send(telnet.output)
    telnet.output = []
  }

  func say(data: [UInt8]) {
    var bytes: [UInt8] = []
    data.withUnsafeBytes { telnet.encode($0, into: &bytes) }
    server.send(bytes)
  }

  var isOpen: Bool { session.state.isOpen }
}

extension Session {
  /// The settings of the open port; nil while none is open.
  var settings: LineSettings? {
    guard case .open(_, let settings) = state else { return nil }
    return settings
  }
}
