import Glibc
import Posix
import SystemPackage

extension ModemLines {
  /// Reads the lines. The corresponding request is `TIOCMGET`; a USB adapter needs a transfer.
  ///
  /// - Throws: `ENOTTY` if the port has none.
  init(of descriptor: FileDescriptor) throws(Errno) {
    var bits: CInt = 0
    try systemCall { ioctl(descriptor.rawValue, UInt(TIOCMGET), &bits) }
    self.init(bits: bits)
  }

  /// Converts the kernel's bits, `TIOCM_DTR` and so on.
  init(bits: CInt) {
    self = []
    for (line, bit) in Self.bits where bits & bit != 0 { insert(line) }
  }

  /// Asserts these output lines; the others stay as they are. The corresponding
  /// request is `TIOCMBIS`.
  func assert(on descriptor: FileDescriptor) throws(Errno) {
    try request(UInt(TIOCMBIS), on: descriptor)
  }

  /// Deasserts these output lines; the others stay as they are. The corresponding
  /// request is `TIOCMBIC`.
  func deassert(on descriptor: FileDescriptor) throws(Errno) {
    try request(UInt(TIOCMBIC), on: descriptor)
  }

  private func request(_ request: UInt, on descriptor: FileDescriptor) throws(Errno) {
    guard !isEmpty else { return }
    var bits = Self.bits.reduce(0) { contains($1.line) ? $0 | $1.bit : $0 }
    try systemCall { ioctl(descriptor.rawValue, request, &bits) }
  }

  private static var bits: [(line: ModemLines, bit: CInt)] {
    [
      (.dtr, TIOCM_DTR), (.rts, TIOCM_RTS), (.cts, TIOCM_CTS), (.dsr, TIOCM_DSR),
      (.dcd, TIOCM_CAR), (.ri, TIOCM_RNG),
    ]
  }
}
