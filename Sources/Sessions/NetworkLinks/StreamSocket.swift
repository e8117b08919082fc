import CSerial
import EventLoop
import Glibc
import Posix
import SystemPackage

/// A stream that is connected or being connected. Releasing it closes the socket.
final class StreamSocket {
  private let owned: OwnedDescriptor
  private var timeout: TCPTimeout?
  var descriptor: FileDescriptor { owned.borrowed }

  /// Creates a non-blocking socket, close-on-exec. The corresponding C function is `socket`.
  init(family: CInt) throws(Errno) {
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let rawValue = try systemCall { socket(family, CInt(type), 0) }
    owned = OwnedDescriptor(FileDescriptor(rawValue: rawValue))
    if family != AF_UNIX { Self.prepareForTCP(descriptor) }
  }

  /// Takes ownership of a descriptor, which the caller makes non-blocking.
  init(_ owned: consuming OwnedDescriptor) { self.owned = owned }

  /// Sends each key immediately, and detects a lost peer within 15 seconds, even while nothing is
  /// sent. Other sockets do not have these options, and stay unchanged. See tcp(7) and
  /// ``TCPTimeout``.
  static func prepareForTCP(_ descriptor: FileDescriptor) {
    set(TCP_NODELAY, 1, of: descriptor)
    set(SO_KEEPALIVE, 1, of: descriptor, at: SOL_SOCKET)
    set(TCP_KEEPIDLE, 5, of: descriptor)
    set(TCP_KEEPINTVL, 3, of: descriptor)
    set(TCP_KEEPCNT, 3, of: descriptor)
    set(TCP_USER_TIMEOUT, TCPTimeout.length, of: descriptor)
  }

  /// Sets an option of a socket.
  static func set(
    _ option: CInt, _ value: CInt, of descriptor: FileDescriptor, at level: CInt = CInt(IPPROTO_TCP)
  ) {
    var value = value
    setsockopt(descriptor.rawValue, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
  }

  /// Keeps the connection to a peer that reads nothing at present. See ``TCPTimeout``.
  func keepHeldPeer(on loop: IOLoop) { timeout = TCPTimeout(of: descriptor, on: loop) }

  /// Writes as many bytes as the socket accepts at present.
  func writeAvailable(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> WriteOutcome {
    timeout?.bytesWereWritten()
    return try descriptor.writeAvailable(bytes)
  }

  /// The error of connecting; nil if it succeeded.
  var error: Errno? {
    var code: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    getsockopt(descriptor.rawValue, SOL_SOCKET, SO_ERROR, &code, &length)
    return code == 0 ? nil : Errno(rawValue: code)
  }

  /// The number of bytes that were written and that the other end has not acknowledged; 0 if it is
  /// unknown. See `SIOCOUTQ` in tcp(7).
  var unacknowledgedByteCount: Int {
    var count: CInt = 0
    // SIOCOUTQ has the same value as TIOCOUTQ.
    return ioctl(descriptor.rawValue, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
  }
}
