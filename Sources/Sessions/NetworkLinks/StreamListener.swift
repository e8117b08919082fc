package import EventLoop
import Glibc
package import Posix
package import SystemPackage

/// Accepts clients at a TCP port or a Unix socket. Releasing it closes the socket.
package final class StreamListener {
  /// The address where clients connect. It includes a port that the kernel has chosen.
  package let address: String

  // Removed before the socket is closed: a socket that refuses connections looks abandoned.
  private let file: SocketFile?
  private let descriptor: OwnedDescriptor
  private let acceptClient: (consuming OwnedDescriptor, StreamPeer) -> Void
  private var gate = AttemptGate()
  private var watch: DescriptorWatch?
  private let loop: IOLoop
  /// The pause during which no client is accepted.
  private var pause: LoopTimer?

  /// The length of the queue of clients that wait to be accepted.
  private static let backlog: CInt = 64
  /// The time without accepting clients after the process has run out of descriptors.
  private static let pauseLength = Duration.seconds(1)

  /// Listens at a TCP port. The kernel chooses one for port 0.
  ///
  /// The corresponding C functions are `bind` and `listen`.
  ///
  /// - Parameter accept: receives the descriptor of each client, and owns it. It is non-blocking.
  /// - Throws: ``ListeningError``.
  package convenience init(
    at host: String, port: UInt16, on loop: IOLoop,
    accept: @escaping (consuming OwnedDescriptor, StreamPeer) -> Void
  ) throws(ListeningError) {
    let addresses: [SocketAddress]
    do throws(LookupError) {
      addresses = try SocketAddress.lookUp(
        host: host, port: port, isNumeric: false, isForListening: true)
    } catch {
      throw ListeningError(reason: error.words)
    }
    guard let address = addresses.first else { throw ListeningError(reason: "no address") }
    do throws(Errno) {
      let descriptor = try Self.listening(at: address)
      let name = try SocketAddress.local(of: descriptor.borrowed)
      try self.init(descriptor, at: name, nil, on: loop, accept)
    } catch {
      throw ListeningError(error)
    }
  }

  /// Listens at a Unix socket, to which only its owner can connect, or also a group. It replaces a
  /// socket that a program has left behind. See unix(7).
  ///
  /// - Parameters:
  ///   - group: the group whose members may connect; nil for none.
  ///   - accept: receives the descriptor of each client, and owns it. It is non-blocking.
  /// - Throws: ``ListeningError``.
  package convenience init(
    at path: FilePath, for group: GroupID? = nil, on loop: IOLoop,
    accept: @escaping (consuming OwnedDescriptor, StreamPeer) -> Void
  ) throws(ListeningError) {
    do throws(Errno) {
      let descriptor = try Self.socket(of: AF_UNIX)
      let file = try SocketFile(
        at: path, for: group, binding: descriptor.borrowed, backlog: Self.backlog)
      try self.init(descriptor, at: path.string, file, on: loop, accept)
    } catch {
      throw ListeningError(error)
    }
  }

  private init(
    _ descriptor: consuming OwnedDescriptor, at address: String, _ file: consuming SocketFile?,
    on loop: IOLoop, _ accept: @escaping (consuming OwnedDescriptor, StreamPeer) -> Void
  ) throws(Errno) {
    acceptClient = accept
    let listener = descriptor.borrowed
    self.descriptor = descriptor
    self.file = file
    self.loop = loop
    self.address = address
    watch = try loop.watch(listener, for: .reading) { [unowned self] _ in self.accept() }
  }

  deinit { watch?.cancel() }

  /// Creates a non-blocking socket, close-on-exec. The corresponding C function is `socket`.
  private static func socket(of family: CInt) throws(Errno) -> OwnedDescriptor {
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let rawValue = try systemCall { Glibc.socket(family, CInt(type), 0) }
    return OwnedDescriptor(FileDescriptor(rawValue: rawValue))
  }

  private static func listening(at address: SocketAddress) throws(Errno) -> OwnedDescriptor {
    let descriptor = try socket(of: address.family)
    // A restarted server can then bind to its port immediately.
    StreamSocket.set(SO_REUSEADDR, 1, of: descriptor.borrowed, at: SOL_SOCKET)
    try address.bind(descriptor.borrowed)
    let listener = descriptor.borrowed.rawValue
    try systemCall { listen(listener, backlog) }
    return descriptor
  }

  private func accept() {
    if let wait = gate.wait(at: loop.now) { return pauseAccepting(for: wait) }
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let client = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.accept(descriptor.borrowed.rawValue, $0, &length)
      }
    }
    guard client >= 0 else {
      // ECONNABORTED: the client has disconnected. Otherwise it is usually EMFILE: the client stays
      // in the queue, and accepting again immediately would spin.
      if errno != ECONNABORTED, errno != EAGAIN { pauseAccepting(for: Self.pauseLength) }
      return
    }
    gate.note(at: loop.now)
    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
    let stream = FileDescriptor(rawValue: client)
    stream.setNonBlocking()
    StreamSocket.prepareForTCP(stream)
    acceptClient(OwnedDescriptor(stream), StreamPeer(of: stream, at: address))
  }

  private func pauseAccepting(for length: Duration) {
    watch?.setInterest([])
    pause = loop.schedule(after: length) { [unowned self] in
      pause = nil
      watch?.setInterest(.reading)
    }
  }
}

/// Why clients cannot be accepted.
package struct ListeningError: Error, Hashable, Sendable {
  /// The reason as text: `Address already in use`.
  package let reason: String
  /// The error of the system; nil for others.
  package let errno: Errno?

  init(reason: String, errno: Errno? = nil) { (self.reason, self.errno) = (reason, errno) }

  fileprivate init(_ errno: Errno) { self.init(reason: "\(errno)", errno: errno) }
}
