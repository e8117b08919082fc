internal import CSerial
import Glibc
import Posix
import SystemPackage

/// The kernel's attributes of a terminal device, as a value: `struct termios2`.
///
/// Every field is cleared before it is set; all others are kept. See ioctl_tty(2) and termios(3).
struct TerminalAttributes {
  private var raw: cserial_termios2

  /// Reads the attributes. The corresponding request is `TCGETS2`.
  ///
  /// - Throws: `ENOTTY` if it is not a terminal, `EIO` if there is no hardware behind it.
  init(of descriptor: FileDescriptor) throws(Errno) {
    var raw = cserial_termios2()
    try systemCall { cserial_get_termios2(descriptor.rawValue, &raw) }
    self.raw = raw
  }

  /// Attributes with nothing set, for tests of the arithmetic.
  init() { raw = cserial_termios2() }

  /// Sets the attributes at once, without waiting and without a flush. The corresponding request is
  /// `TCSETS2`. It succeeds if the driver set any of them: read them back.
  func set(on descriptor: FileDescriptor) throws(Errno) {
    var raw = raw
    try systemCall { cserial_set_termios2(descriptor.rawValue, &raw) }
  }

  /// Sets raw mode: bytes pass unchanged in both directions, and modem lines are ignored.
  ///
  /// Like cfmakeraw(3), with the receiver on and carrier detect ignored. VMIN is 1: with 0, a read
  /// without bytes would look like the end of the file.
  ///
  /// - Parameter markingErrors: whether breaks and bytes with errors are
  ///   marked: see ``ErrorMarkDecoder``.
  mutating func makeRaw(markingErrors: Bool = false) {
    clear(
      &raw.c_iflag,
      IGNBRK | BRKINT | IGNPAR | PARMRK | INPCK | ISTRIP | INLCR | IGNCR | ICRNL | IXANY | IMAXBEL)
    if markingErrors { raw.c_iflag |= UInt32(PARMRK | INPCK) }
    clear(&raw.c_oflag, OPOST)
    clear(&raw.c_lflag, ECHO | ECHONL | ICANON | ISIG | IEXTEN)
    raw.c_cflag |= UInt32(CREAD | CLOCAL)
    withUnsafeMutableBytes(of: &raw.c_cc) { characters in
      characters[Int(CSERIAL_VMIN)] = 1
      characters[Int(CSERIAL_VTIME)] = 0
    }
  }

  /// Whether DTR and RTS are deasserted when the last user closes the port.
  var hangsUpOnClose: Bool {
    get { has(raw.c_cflag, HUPCL) }
    set {
      clear(&raw.c_cflag, HUPCL)
      if newValue { raw.c_cflag |= UInt32(HUPCL) }
    }
  }

  /// Speed, framing and flow control.
  var lineSettings: LineSettings {
    get {
      LineSettings(
        baudRate: raw.c_ospeed, dataBits: dataBits, parity: parity,
        stopBits: has(raw.c_cflag, CSTOPB) ? .two : .one, flowControl: flowControl)
    }
    set {
      setBaudRate(newValue.baudRate)
      clear(&raw.c_cflag, CSIZE | PARENB | PARODD | CMSPAR | CSTOPB)
      clear(&raw.c_cflag, Self.hardFlow)
      clear(&raw.c_iflag, IXON | IXOFF)
      raw.c_cflag |= UInt32(newValue.dataBits.flag | newValue.parity.flags)
      if newValue.stopBits == .two { raw.c_cflag |= UInt32(CSTOPB) }
      switch newValue.flowControl {
      case .none: break
      case .hard: raw.c_cflag |= UInt32(Self.hardFlow)
      case .soft:
        raw.c_iflag |= UInt32(IXON | IXOFF)
        // Another program may have set other characters, or none.
        withUnsafeMutableBytes(of: &raw.c_cc) { characters in
          characters[Int(CSERIAL_VSTART)] = 0x11
          characters[Int(CSERIAL_VSTOP)] = 0x13
        }
      }
    }
  }

  /// CRTSCTS is bit 31; in Glibc's module its type differs from that of the other flags.
  private static let hardFlow = Int64(0o20000000000)

  /// Sets input and output (CIBAUD 0 means "like the output"). A rate without a code is set
  /// as a number.
  private mutating func setBaudRate(_ rate: UInt32) {
    let mask = UInt32(CSERIAL_CBAUD)
    raw.c_cflag &= ~(mask | mask << UInt32(CSERIAL_IBSHIFT))
    raw.c_cflag |= cserial_speed_code(rate)
    raw.c_ospeed = rate
    raw.c_ispeed = rate
  }

  private var dataBits: LineSettings.DataBits {
    let size = raw.c_cflag & UInt32(CSIZE)
    return LineSettings.DataBits.allCases.first { size == UInt32($0.flag) } ?? .eight
  }

  private var parity: LineSettings.Parity {
    let mask = UInt32(PARENB | PARODD | CMSPAR)
    guard has(raw.c_cflag, PARENB) else { return .none }
    return LineSettings.Parity.allCases.first { raw.c_cflag & mask == UInt32($0.flags) } ?? .none
  }

  private var flowControl: LineSettings.FlowControl {
    if has(raw.c_cflag, Self.hardFlow) { return .hard }
    return has(raw.c_iflag, IXON) || has(raw.c_iflag, IXOFF) ? .soft : .none
  }

  private func has(_ field: UInt32, _ flag: some BinaryInteger) -> Bool {
    field & UInt32(truncatingIfNeeded: flag) != 0
  }

  private func clear(_ field: inout UInt32, _ flags: some BinaryInteger) {
    field &= ~UInt32(truncatingIfNeeded: flags)
  }
}

extension LineSettings.DataBits {
  fileprivate var flag: CInt {
    switch self {
    case .five: CS5
    case .six: CS6
    case .seven: CS7
    case .eight: CS8
    }
  }
}

extension LineSettings.Parity {
  /// CMSPAR makes the parity bit constant: one with PARODD, zero without. See termios(3).
  fileprivate var flags: CInt {
    switch self {
    case .none: 0
    case .odd: PARENB | PARODD
    case .even: PARENB
    case .mark: PARENB | PARODD | CMSPAR
    case .space: PARENB | CMSPAR
    }
  }
}
