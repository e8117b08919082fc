import CSerial
import Glibc
import Posix
import SystemPackage

/// A connected stream, or one that is being connected. Released, it is closed.
final class StreamSocket {
  let descriptor: FileDescriptor

  /// Creates a socket that does not block, close-on-exec. The corresponding C function is `socket`.
  init(family: CInt) throws(Errno) {
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let rawValue = try systemCall { socket(family, CInt(type), 0) }
    descriptor = FileDescriptor(rawValue: rawValue)
    if family != AF_UNIX { Self.prepareForTCP(descriptor) }
  }

  /// Takes over a descriptor that does not block.
  init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { _ = Glibc.close(descriptor.rawValue) }

  /// Sends keys at once; notices a peer that is gone within 15 seconds, whether something is sent or not.
  /// Other sockets do not have the options, and stay as they are. See tcp(7).
  static func prepareForTCP(_ descriptor: FileDescriptor) {
    func set(_ level: CInt, _ option: CInt, _ value: CInt) {
      var value = value
      setsockopt(
        descriptor.rawValue, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }
    set(CInt(IPPROTO_TCP), TCP_NODELAY, 1)
    set(SOL_SOCKET, SO_KEEPALIVE, 1)
    set(CInt(IPPROTO_TCP), TCP_KEEPIDLE, 5)
    set(CInt(IPPROTO_TCP), TCP_KEEPINTVL, 3)
    set(CInt(IPPROTO_TCP), TCP_KEEPCNT, 3)
    set(CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, 14_000)
  }

  /// How connecting has ended; nil if it succeeded.
  var error: Errno? {
    var code: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    getsockopt(descriptor.rawValue, SOL_SOCKET, SO_ERROR, &code, &length)
    return code == 0 ? nil : Errno(rawValue: code)
  }

  /// The number of bytes that were written and that the other end has not acknowledged. See `SIOCOUTQ` in
  /// tcp(7); 0 where it is not known.
  var unacknowledgedByteCount: Int {
    var count: CInt = 0
    // SIOCOUTQ has the number of TIOCOUTQ.
    return ioctl(descriptor.rawValue, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
  }
}
