import Glibc
package import Posix
package import SystemPackage

/// Wrappers for stream sockets of the local domain. See unix(7).
package enum UnixSocket {
  /// Creates a socket, non-blocking and close-on-exec. The corresponding C function is `socket`.
  package static func make() throws(Errno) -> OwnedDescriptor {
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let rawValue = try systemCall { socket(AF_UNIX, type, 0) }
    return OwnedDescriptor(FileDescriptor(rawValue: rawValue))
  }

  /// Binds a socket to a path, with mode 0600. The corresponding C function is `bind`.
  package static func bind(_ descriptor: FileDescriptor, to path: FilePath) throws(Errno) {
    // The file inherits the permissions of the socket, so others can never connect: see
    // unix_bind_bsd() in the kernel.
    try systemCall { fchmod(descriptor.rawValue, 0o600) }
    try withAddress(path) { (address, length) throws(Errno) in
      try systemCall { Glibc.bind(descriptor.rawValue, address, length) }
    }
  }

  /// Connects to a path. The corresponding C function is `connect`.
  package static func connect(_ descriptor: FileDescriptor, to path: FilePath) throws(Errno) {
    try withAddress(path) { (address, length) throws(Errno) in
      try systemCall { Glibc.connect(descriptor.rawValue, address, length) }
    }
  }

  /// Accepts a client, non-blocking and close-on-exec. The corresponding C function is `accept`.
  package static func accept(from listener: FileDescriptor) throws(Errno) -> OwnedDescriptor {
    // Swift's Glibc module does not have accept4(2). No other thread of this program
    // forks in between.
    let rawValue = try systemCall { Glibc.accept(listener.rawValue, nil, nil) }
    let client = OwnedDescriptor(FileDescriptor(rawValue: rawValue))
    try systemCall { fcntl(rawValue, F_SETFD, FD_CLOEXEC) }
    client.borrowed.setNonBlocking()
    return client
  }

  private static func withAddress(
    _ path: FilePath, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Errno) -> Void
  ) throws(Errno) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.string.utf8)
    // The rest of the address is zero, which terminates the path.
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .fileNameTooLong }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let outcome = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        Result { () throws(Errno) in
          try body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
    try outcome.get()
  }
}
