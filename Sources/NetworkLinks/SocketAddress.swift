import Glibc
import Posix
import SystemPackage

/// An address that a stream can be connected to, as the kernel takes it: of IPv4, IPv6 or a path.
struct SocketAddress: Hashable, Sendable {
  private let bytes: [UInt8]
  let family: CInt

  /// The address of a socket in the file system. See unix(7).
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

  /// Looks a host up. It may wait for a server of names, unless `isNumeric` is set.
  ///
  /// The corresponding C function is `getaddrinfo`.
  ///
  /// - Throws: ``LookupError``.
  static func lookUp(
    _ address: HostAddress, isNumeric: Bool
  ) throws(LookupError) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : AI_ADDRCONFIG)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(address.host, "\(address.port)", &hints, &list)
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

  /// Starts to connect a socket; it becomes writable when that has succeeded or failed.
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

/// Why a host was not found.
struct LookupError: Error, Hashable, Sendable {
  /// The code of getaddrinfo(3).
  let code: CInt

  /// The words of gai_strerror(3): `Name or service not known`.
  var words: String { String(cString: gai_strerror(code)) }
}
