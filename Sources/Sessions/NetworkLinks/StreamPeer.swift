package import Glibc
import Posix
package import SystemPackage
import TextTools

/// The other end of a connection, as the kernel reports it.
package enum StreamPeer: Hashable, Sendable {
  /// A program on a computer, with the bytes of its address (RFC 791, RFC 4291) and its port.
  case host([UInt8], port: UInt16)
  /// A process of this computer: `SO_PEERCRED` of unix(7).
  case process(pid_t, UserID)
  /// The program at the other ends of the standard streams.
  case standardStreams

  /// Converts the result of accept(2).
  init(of descriptor: FileDescriptor, at address: sockaddr_storage) {
    self =
      switch CInt(address.ss_family) {
      case AF_INET, AF_INET6:
        withUnsafeBytes(of: address) { Self.host($0, CInt(address.ss_family)) }
      default: Self.process(at: descriptor)
      }
  }

  private static func host(_ bytes: UnsafeRawBufferPointer, _ family: CInt) -> StreamPeer {
    if family == AF_INET {
      let address = bytes.loadUnaligned(as: sockaddr_in.self)
      let number = withUnsafeBytes(of: address.sin_addr) { Array($0) }
      return .host(number, port: UInt16(bigEndian: address.sin_port))
    }
    let address = bytes.loadUnaligned(as: sockaddr_in6.self)
    let number = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
    // An IPv4 address on an IPv6 socket: RFC 4291, 2.5.5.2.
    let isMapped =
      number.prefix(10).allSatisfy { $0 == 0 } && number[10] == 0xFF && number[11] == 0xFF
    return .host(
      isMapped ? Array(number[12...]) : number, port: UInt16(bigEndian: address.sin6_port))
  }

  private static func process(at descriptor: FileDescriptor) -> StreamPeer {
    let peer = try? credentials(of: descriptor)
    return .process(peer?.pid ?? 0, peer?.user ?? UserID(rawValue: .max))
  }

  /// The process at the other end when the connection was made: `SO_PEERCRED`.
  ///
  /// The corresponding C function is `getsockopt`.
  package static func credentials(
    of descriptor: FileDescriptor
  ) throws(Errno) -> (pid: pid_t, user: UserID) {
    // struct ucred, which Swift's Glibc module lacks.
    var credentials: (pid: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    try systemCall {
      getsockopt(descriptor.rawValue, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
    }
    return (credentials.pid, UserID(rawValue: credentials.user))
  }

  /// A name that is safe to show: `192.168.1.5:40112`, `max (pid 123)`.
  package var name: String {
    switch self {
    case .host(let bytes, let port):
      let address = Self.text(of: bytes)
      return bytes.count == 4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    case .process(let pid, let user):
      return "\((AccountName.of(user) ?? "user \(user.rawValue)").harmless) (pid \(pid))"
    case .standardStreams: return "standard input"
    }
  }

  /// Whether the kernel guarantees the identity of the peer.
  package var isKnown: Bool {
    if case .host = self { false } else { true }
  }

  /// An address as text. The corresponding C function is `inet_ntop`.
  private static func text(of bytes: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
  }
}
