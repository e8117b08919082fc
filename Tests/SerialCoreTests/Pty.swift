import Glibc
import SystemPackage
import Testing

/// A pseudo-terminal whose far end the test plays.
final class Pty {
  let master: CInt
  private let slave: CInt
  let path: FilePath

  init() throws {
    var (master, slave) = (CInt(-1), CInt(-1))
    var name = [CChar](repeating: 0, count: 64)
    try #require(openpty(&master, &slave, &name, nil, nil) == 0)
    (self.master, self.slave) = (master, slave)
    path = FilePath(platformString: name)
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

  deinit {
    Glibc.close(slave)
    Glibc.close(master)
  }
}
