import Posix
import SystemPackage

extension LineProbe {
  /// Asks a terminal for each feature once: a USB adapter needs a transfer to answer.
  init(of descriptor: FileDescriptor) {
    let device = try? descriptor.stat().specialDeviceID
    self.init(
      modemLines: try? ModemLines(of: descriptor),
      counters: try? LineCounters(of: descriptor),
      hasBreaks: device?.hasBreaks ?? false,
      hasBackPressure: device?.isPseudoTerminal ?? false)
  }
}

extension DeviceID {
  /// Whether a terminal has breaks. The driver cannot be asked: the kernel accepts a break for
  /// every terminal, and does nothing if the driver has none (tty_ioctl, TIOCSBRK).
  fileprivate var hasBreaks: Bool {
    guard !isPseudoTerminal else { return false }
    return acmCapabilities.map { $0 & 4 != 0 } ?? true
  }

  /// The capabilities in the descriptor of a CDC-ACM device, nil for any other. Bit 2 is breaks:
  /// see "Abstract Control Management Functional Descriptor" of the USB specification for PSTN
  /// devices. The kernel's driver (cdc-acm) shows them in a file.
  private var acmCapabilities: Int? {
    let file = "/sys/dev/char/\(majorNumber):\(minorNumber)/device/bmCapabilities"
    guard let text = try? FilePath(file).contents() else { return nil }
    return Int(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }
}
