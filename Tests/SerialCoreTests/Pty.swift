import Glibc
import Posix
import SystemPackage
import Testing

@testable import SerialCore

/// A pseudo-terminal. The test is its far end.
final class Pty {
  private(set) var master: CInt
  private let slave: CInt
  let path: FilePath

  init() throws {
    var (master, slave) = (CInt(-1), CInt(-1))
    var name = [CChar](repeating: 0, count: 64)
    try #require(openpty(&master, &slave, &name, nil, nil) == 0)
    (self.master, self.slave) = (master, slave)
    path = FilePath(platformString: name)
  }

  /// Whether this process may open a terminal that another program has in exclusive mode: root may, with
  /// `CAP_SYS_ADMIN`.
  static func opensExclusive() throws -> Bool {
    let pty = try Pty()
    try #require(ioctl(pty.slave, UInt(TIOCEXCL), 0 as CInt) == 0)
    let descriptor = Glibc.open(pty.path.string, O_RDONLY | O_NOCTTY)
    return descriptor >= 0 && Glibc.close(descriptor) == 0
  }

  func attributes() -> termios {
    var attributes = termios()
    tcgetattr(master, &attributes)
    return attributes
  }

  func speed() -> speed_t {
    var attributes = attributes()
    return cfgetospeed(&attributes)
  }

  /// The bytes that the far end has not read yet, after the near end is closed.
  func readWhatIsThere() -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    while poll(&request, 1, 200) > 0, request.revents & Int16(POLLIN) != 0 {
      let count = read(master, &chunk, chunk.count)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return bytes
  }

  /// Unplugs the pseudo-terminal.
  func hangUp() {
    if master >= 0 { Glibc.close(master) }
    master = -1
  }

  deinit {
    Glibc.close(slave)
    hangUp()
  }
}

extension TermiosLink {
  /// Opens a port. It succeeds or fails immediately.
  static func opened(
    _ path: FilePath, settings: LineSettings = LineSettings(), options: LinkOptions = LinkOptions()
  ) throws(SerialError) -> TermiosLink {
    let link = TermiosLink(to: .tty(path), options: options)
    var failure: SerialError?
    link.start(settings) { if case .failed(let error) = $0 { failure = error } }
    if let failure { throw failure }
    return link
  }

  /// Reads once.
  func read(_ limit: Int) throws(SerialError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 1)
    defer { buffer.deallocate() }
    guard case .bytes(let count, _) = try read(into: buffer, isLast: false) else { return [] }
    return Array(buffer[..<count])
  }

  func apply(_ settings: LineSettings) throws(SerialError) {
    var result: Result<LineSettings, SerialError>?
    apply(settings) { result = $0 }
    if case .failure(let error) = result { throw error }
  }
}
