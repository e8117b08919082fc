internal import CSerial
import Glibc
import Posix
import SystemPackage

extension OpenPort {
  /// Makes the driver deliver received bytes at once, until the port is closed. Otherwise
  /// an FTDI adapter collects them for 16 ms. The corresponding requests are
  /// `TIOCGSERIAL` and `TIOCSSERIAL`.
  ///
  /// - Throws: ``SerialError``: `unsupported`, or `settingRefused` when the driver does
  ///   not keep it.
  func setLowLatency() throws(SerialError) {
    let found = try serialSettings()
    guard !found.hasLowLatency else { return }
    var wanted = found
    wanted.flags |= CInt(CSERIAL_LOW_LATENCY)
    do {
      try systemCall { ioctl(descriptor.rawValue, UInt(TIOCSSERIAL), &wanted) }
    } catch {
      throw SerialError(requesting: "low latency mode", at: .tty(path), error, in: "TIOCSSERIAL")
    }
    beforeClosing { descriptor in
      var found = found
      _ = ioctl(descriptor.rawValue, UInt(TIOCSSERIAL), &found)
    }
    guard try serialSettings().hasLowLatency else {
      throw SerialError(
        .settingRefused, in: "TIOCSSERIAL", at: path, subject: "low latency mode")
    }
  }

  /// Does so as long as it is on, if the driver can; see ``setLowLatency()``. Off restores the mode
  /// that was found.
  func preferLowLatency(_ isOn: Bool) {
    guard isOn != prefersLowLatency, var settings = try? serialSettings() else { return }
    if isOn {
      guard !settings.hasLowLatency else { return }
      settings.flags |= CInt(CSERIAL_LOW_LATENCY)
    } else {
      settings.flags &= ~CInt(CSERIAL_LOW_LATENCY)
    }
    guard ioctl(descriptor.rawValue, UInt(TIOCSSERIAL), &settings) == 0 else { return }
    prefersLowLatency = isOn
    // Without self: another opening may restore it, after the port was lent.
    if isOn { beforeClosing { Self.endLowLatency(of: $0) } }
  }

  private static func endLowLatency(of descriptor: FileDescriptor) {
    var settings = serial_struct()
    guard ioctl(descriptor.rawValue, UInt(TIOCGSERIAL), &settings) == 0 else { return }
    settings.flags &= ~CInt(CSERIAL_LOW_LATENCY)
    _ = ioctl(descriptor.rawValue, UInt(TIOCSSERIAL), &settings)
  }

  private func serialSettings() throws(SerialError) -> serial_struct {
    var raw = serial_struct()
    do { try systemCall { ioctl(descriptor.rawValue, UInt(TIOCGSERIAL), &raw) } } catch {
      throw SerialError(requesting: "low latency mode", at: .tty(path), error, in: "TIOCGSERIAL")
    }
    return raw
  }
}

extension serial_struct {
  fileprivate var hasLowLatency: Bool { flags & CInt(CSERIAL_LOW_LATENCY) != 0 }
}
