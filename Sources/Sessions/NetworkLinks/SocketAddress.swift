import Glibc
import Posix
import SystemPackage

/// An address for connecting a stream, in the form of the kernel: IPv4, IPv6 or a path.
struct SocketAddress: Hashable, Sendable {
  private let bytes: [UInt8]
  let family: CInt

  /// The address of a Unix socket. See unix(7).
  ///
  /// - Throws: `fileNameTooLong`.
  init(_ path: FilePath) throws(Errno) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = path.withPlatformString { Array(UnsafeBufferPointer(start: $0, count: strlen($0))) }
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .fileNameTooLong }
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      name.withUnsafeBytes { place.copyMemory(from: $0) }
    }
    bytes = withUnsafeBytes(of: address) { Array($0) }
    family = AF_UNIX
  }

  private init(_ information: addrinfo) {
    bytes = Array(
      UnsafeRawBufferPointer(start: information.ai_addr, count: Int(information.ai_addrlen)))
    family = information.ai_family
  }

  /// Looks up a host. It may wait for a name server, unless `isNumeric` is set.
  ///
  /// The corresponding C function is `getaddrinfo`.
  ///
  /// - Throws: ``LookupError``.
  static func lookUp(
    _ address: HostAddress, isNumeric: Bool
  ) throws(LookupError) -> [SocketAddress] {
    try lookUp(host: address.host, port: address.port, isNumeric: isNumeric, isForListening: false)
  }

  /// - Parameter isForListening: whether it is an address of this computer for accepting clients.
  static func lookUp(
    host: String, port: UInt16, isNumeric: Bool, isForListening: Bool
  ) throws(LookupError) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags =
      AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : 0) | (isForListening ? AI_PASSIVE : 0)
      | (isNumeric || isForListening ? 0 : AI_ADDRCONFIG)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, "\(port)", &hints, &list)
    guard code == 0 else { throw LookupError(code: code) }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let information = next {
      addresses.append(SocketAddress(information.pointee))
      next = information.pointee.ai_next
    }
    return addresses
  }

  /// Starts to connect a socket. The socket becomes writable when this has succeeded or failed.
  ///
  /// The corresponding C function is `connect`.
  func connect(_ descriptor: FileDescriptor) throws(Errno) {
    let result: Result<Void, Errno> = bytes.withUnsafeBytes { bytes in
      let address = bytes.bindMemory(to: sockaddr.self).baseAddress
      return Result { () throws(Errno) in
        try systemCall {
          Glibc.connect(descriptor.rawValue, address, socklen_t(bytes.count))
        }
      }
    }
    do throws(Errno) {
      try result.get()
    } catch .nowInProgress {
      return
    }
  }
}

extension SocketAddress {
  /// Binds a socket to an address of this computer. The corresponding C function is `bind`.
  func bind(_ descriptor: FileDescriptor) throws(Errno) {
    let result: Result<Void, Errno> = bytes.withUnsafeBytes { bytes in
      let address = bytes.bindMemory(to: sockaddr.self).baseAddress
      return Result { () throws(Errno) in
        try systemCall { Glibc.bind(descriptor.rawValue, address, socklen_t(bytes.count)) }
      }
    }
    try result.get()
  }

  /// The local address of a socket: `127.0.0.1:4000`, `[::1]:4000`.
  ///
  /// The corresponding C functions are `getsockname` and `getnameinfo`.
  static func local(of descriptor: FileDescriptor) throws(Errno) -> String {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: 64)
    var port = [CChar](repeating: 0, count: 16)
    let result: Result<Void, Errno> = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        Result { () throws(Errno) in
          try systemCall { getsockname(descriptor.rawValue, address, &length) }
          getnameinfo(
            address, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
            NI_NUMERICHOST | NI_NUMERICSERV)
        }
      }
    }
    try result.get()
    let name = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    let number = String(decoding: port.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    return name.contains(":") ? "[\(name)]:\(number)" : "\(name):\(number)"
  }
}

/// Why a host was not found.
struct LookupError: Error, Hashable, Sendable {
  /// The code of getaddrinfo(3).
  let code: CInt

  /// The message of gai_strerror(3): `Name or service not known`.
  var words: String { String(cString: gai_strerror(code)) }
}
