package import EventLoop
import Glibc
package import Posix
package import SystemPackage

/// Accepts clients at a TCP port or a Unix socket. Releasing it closes the socket.
package final class StreamListener {
  /// Called with the descriptor of each client, which the receiver owns. It is non-blocking.
  package var onClient: (consuming OwnedDescriptor, StreamPeer) -> Void = { _, _ in }
  /// The address where clients connect. It includes a port that the kernel has chosen.
  package let address: String

  private let descriptor: OwnedDescriptor
  private let path: FilePath?
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
  /// - Throws: ``ListeningError``.
  package convenience init(at host: String, port: UInt16, on loop: IOLoop) throws(ListeningError) {
    let addresses: [SocketAddress]
    do throws(LookupError) {
      addresses = try SocketAddress.lookUp(
        host: host, port: port, isNumeric: false, isForListening: true)
    } catch {
      throw ListeningError(reason: error.words)
    }
    guard let address = addresses.first else { throw ListeningError(reason: "no address") }
    do throws(Errno) {
      let descriptor = try Self.bound(to: address)
      try self.init(descriptor, at: nil, on: loop)
    } catch {
      throw ListeningError(reason: "\(error)")
    }
  }

  /// Listens at a Unix socket, to which only its owner can connect, or also a group. It replaces a socket that a
  /// program has left behind. See unix(7).
  ///
  /// - Parameter group: the group whose members may connect; nil for none.
  /// - Throws: ``ListeningError``.
  package convenience init(
    at path: FilePath, for group: GroupID? = nil, on loop: IOLoop
  ) throws(ListeningError) {
    do throws(Errno) {
      let address = try SocketAddress(path)
      if Self.isAbandoned(path, address) { unlink(path.string) }
      let descriptor = try Self.bound(to: address)
      if let group {
        // The group is set first, so that no other group can ever connect.
        try systemCall { chown(path.string, uid_t.max, group.rawValue) }
        try systemCall { chmod(path.string, 0o660) }
      }
      try self.init(descriptor, at: path, on: loop)
    } catch {
      throw ListeningError(reason: "\(error)")
    }
  }

  private init(
    _ descriptor: consuming OwnedDescriptor, at path: FilePath?, on loop: IOLoop
  ) throws(Errno) {
    let listener = descriptor.borrowed
    self.descriptor = descriptor
    self.path = path
    self.loop = loop
    address = if let path { path.string } else { try SocketAddress.local(of: listener) }
    try systemCall { listen(listener.rawValue, Self.backlog) }
    watch = try loop.watch(listener, for: .reading) { [unowned self] _ in accept() }
  }

  deinit {
    watch?.cancel()
    if let path { unlink(path.string) }
  }

  private static func bound(to address: SocketAddress) throws(Errno) -> OwnedDescriptor {
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = OwnedDescriptor(
      FileDescriptor(rawValue: try systemCall { socket(address.family, CInt(type), 0) }))
    var yes: CInt = 1
    // A restarted server can then bind to its port immediately.
    setsockopt(
      descriptor.borrowed.rawValue, SOL_SOCKET, SO_REUSEADDR, &yes,
      socklen_t(MemoryLayout<CInt>.size))
    // A Unix socket's file inherits the mode, so no other user can ever connect. See unix_bind_bsd() in the kernel.
    try systemCall { fchmod(descriptor.borrowed.rawValue, 0o600) }
    try address.bind(descriptor.borrowed)
    return descriptor
  }

  /// Whether a path is a socket at which no process listens.
  private static func isAbandoned(_ path: FilePath, _ address: SocketAddress) -> Bool {
    guard let type = try? path.stat(followTargetSymlink: false).type, type == .socket,
      let socket = try? StreamSocket(family: AF_UNIX)
    else { return false }
    do throws(Errno) {
      try address.connect(socket.descriptor)
      return false
    } catch {
      return error == .connectionRefused
    }
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
      // ECONNABORTED: the client has disconnected. Otherwise it is usually EMFILE: the client stays in the queue, and
      // accepting again immediately would spin.
      if errno != ECONNABORTED, errno != EAGAIN { pauseAccepting(for: Self.pauseLength) }
      return
    }
    gate.note(at: loop.now)
    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
    _ = fcntl(client, F_SETFL, O_NONBLOCK)
    StreamSocket.prepareForTCP(FileDescriptor(rawValue: client))
    let peer = StreamPeer(of: FileDescriptor(rawValue: client), at: address)
    onClient(OwnedDescriptor(FileDescriptor(rawValue: client)), peer)
  }

  private func pauseAccepting(for length: Duration) {
    // Fails only if memory is exhausted. The next event tries again.
    _ = try? watch?.setInterest([])
    pause = loop.schedule(after: length) { [unowned self] in
      pause = nil
      _ = try? watch?.setInterest(.reading)
    }
  }
}

/// Why clients cannot be accepted.
package struct ListeningError: Error, Hashable, Sendable {
  /// The reason as text: `Address already in use`.
  package let reason: String
}
