import EventLoop
import Glibc
import Posix
import SystemPackage
import Testing
import Time

@testable import NetworkLinks

/// Connections at the loopback address.
@Suite(.timeLimit(.minutes(30))) struct TCPTimeoutTests {
  private let loop: IOLoop
  private let server: Server
  private let client: StreamSocket
  private let timeout: TCPTimeout

  init() throws {
    loop = try IOLoop()
    let server = try Server()
    let client = try StreamSocket(family: AF_INET)
    let address = try #require(
      try SocketAddress.lookUp(HostAddress(host: "127.0.0.1", port: server.port), isNumeric: true)
        .first)
    try address.connect(client.descriptor)
    #expect(server.accept())
    (self.server, self.client) = (server, client)
    timeout = try #require(
      TCPTimeout(of: client.descriptor, on: loop, checkingEvery: .milliseconds(20)))
  }

  /// `TCP_USER_TIMEOUT` of the client, in milliseconds.
  private var length: CInt {
    var value: CInt = -1
    var length = socklen_t(MemoryLayout<CInt>.size)
    getsockopt(client.descriptor.rawValue, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &value, &length)
    return value
  }

  private func wait(_ condition: () -> Bool) throws -> Bool {
    let deadline = MonotonicTime.now + .seconds(60)
    while !condition(), deadline > .now { try loop.turn(waitingAtMost: .milliseconds(5)) }
    return condition()
  }

  @Test func peerThatReadsNothingKeepsItsConnection() throws {
    #expect(length == TCPTimeout.length)
    let piece = [UInt8](repeating: 0x55, count: 65_536)
    var isFull = false
    while !isFull {
      let outcome = try piece.withUnsafeBytes { try client.descriptor.writeAvailable($0) }
      if case .wouldBlock = outcome { isFull = true }
      timeout.bytesWereWritten()
    }
    #expect(try wait { length != TCPTimeout.length })
    // It is put off again and again.
    let first = length
    #expect(try wait { length > first })
    // It reads again.
    #expect(
      try wait {
        _ = server.receive()
        return length == TCPTimeout.length
      })
    // All of it has arrived, and nothing is checked any more.
    #expect(
      try wait {
        _ = server.receive()
        return client.unacknowledgedByteCount == 0
      })
  }

  @Test func onlyConnectionsOfTCPHaveOne() throws {
    let socket = try StreamSocket(family: AF_UNIX)
    #expect(TCPTimeout(of: socket.descriptor, on: loop) == nil)
  }
}
