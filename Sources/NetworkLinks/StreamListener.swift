package import EventLoop
import Glibc
package import Posix
package import SystemPackage

/// Waits for clients: at a port of TCP, or at a socket in the file system. Released, it is closed.
package final class StreamListener {
  /// Called with the descriptor of each client, which the owner closes. It does not block.
  package var onClient: (consuming OwnedDescriptor, StreamPeer) -> Void = { _, _ in }
  /// Where clients connect, as the kernel has it: a port that was chosen by the kernel is known.
  package let address: String

  private let descriptor: OwnedDescriptor
  private let path: FilePath?
  private var gate = AttemptGate()
  private var watch: DescriptorWatch?
  private let loop: IOLoop
  /// Until when no client is accepted.
  private var pause: LoopTimer?

  /// The number of clients that wait until they are accepted.
  private static let backlog: CInt = 64
  /// How long no client is accepted after the process has run out of descriptors.
  private static let pauseLength = Duration.seconds(1)

  /// Listens at a port of TCP; port 0 lets the kernel choose one.
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

  /// Listens at a socket in the file system, which only its owner can connect to, or a group too. A socket that
  /// a program has left behind is replaced. See unix(7).
  ///
  /// - Parameter group: whose members may connect.
  /// - Throws: ``ListeningError``.
  package convenience init(
    at path: FilePath, for group: GroupID? = nil, on loop: IOLoop
  ) throws(ListeningError) {
    do throws(Errno) {
      let address = try SocketAddress(path)
      if Self.isAbandoned(path, address) { unlink(path.string) }
      let descriptor = try Self.bound(to: address)
      if let group {
        // First the group, so that no other group can connect at any time.
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
    // A server that is started again takes its port at once.
    setsockopt(
      descriptor.borrowed.rawValue, SOL_SOCKET, SO_REUSEADDR, &yes,
      socklen_t(MemoryLayout<CInt>.size))
    // A socket in the file system inherits the mode: nobody else can connect at any time. See
    // unix_bind_bsd() of the kernel.
    try systemCall { fchmod(descriptor.borrowed.rawValue, 0o600) }
    try address.bind(descriptor.borrowed)
    return descriptor
  }

  /// Whether a path is a socket at which nobody listens.
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
      // A client may be gone again. Otherwise it is usually EMFILE: the client stays in the queue, and accepting
      // again at once would spin.
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
    // Fails only if memory is short; then the next event tries again.
    _ = try? watch?.setInterest([])
    pause = loop.schedule(after: length) { [unowned self] in
      pause = nil
      _ = try? watch?.setInterest(.reading)
    }
  }
}

/// Why nobody can be waited for.
package struct ListeningError: Error, Hashable, Sendable {
  /// In words: `Address already in use`.
  package let reason: String
}
