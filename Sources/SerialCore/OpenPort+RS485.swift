internal import CSerial
import Glibc
import Posix
import SystemPackage

extension OpenPort {
  /// Makes the driver switch an RS-485 transmitter, until the port is closed. The corresponding
  /// requests are `TIOCGRS485` and `TIOCSRS485`.
  ///
  /// - Throws: ``SerialError``: `unsupported`, or `settingRefused` with the setting that
  ///   the driver changed.
  func setRS485(_ settings: RS485Settings) throws(SerialError) {
    let found = try rs485()
    try setRS485(serial_rs485(settings, keeping: found))
    beforeClosing { descriptor in
      var found = found
      _ = ioctl(descriptor.rawValue, UInt(TIOCSRS485), &found)
    }
    // The kernel changes what a driver cannot do, and reports success.
    let taken = try rs485()
    guard taken.isEnabled else { throw refusal("") }
    if let name = settings.firstDifference(from: RS485Settings(taken)) { throw refusal(" \(name)") }
  }

  private func refusal(_ setting: String) -> SerialError {
    SerialError(.settingRefused, in: "TIOCSRS485", at: path, subject: "RS-485\(setting)")
  }

  private func rs485() throws(SerialError) -> serial_rs485 {
    var raw = serial_rs485()
    do { try systemCall { ioctl(descriptor.rawValue, UInt(TIOCGRS485), &raw) } } catch {
      throw SerialError(requesting: "RS-485 mode", at: .tty(path), error, in: "TIOCGRS485")
    }
    return raw
  }

  private func setRS485(_ raw: serial_rs485) throws(SerialError) {
    var raw = raw
    do { try systemCall { ioctl(descriptor.rawValue, UInt(TIOCSRS485), &raw) } } catch {
      throw SerialError(requesting: "RS-485 mode", at: .tty(path), error, in: "TIOCSRS485")
    }
  }
}

extension RS485Settings {
  fileprivate init(_ raw: serial_rs485) {
    assertsRTSOnSend = raw.flags & UInt32(SER_RS485_RTS_ON_SEND) != 0
    delayBeforeSend = Int(raw.delay_rts_before_send)
    delayAfterSend = Int(raw.delay_rts_after_send)
    receivesDuringSend = raw.flags & UInt32(SER_RS485_RX_DURING_TX) != 0
  }
}

extension serial_rs485 {
  fileprivate init(_ settings: RS485Settings, keeping old: serial_rs485) {
    self = old
    let ours =
      SER_RS485_ENABLED | SER_RS485_RTS_ON_SEND | SER_RS485_RTS_AFTER_SEND
      | SER_RS485_RX_DURING_TX
    flags &= ~UInt32(ours)
    flags |= UInt32(SER_RS485_ENABLED)
    flags |= UInt32(
      settings.assertsRTSOnSend ? SER_RS485_RTS_ON_SEND : SER_RS485_RTS_AFTER_SEND)
    if settings.receivesDuringSend { flags |= UInt32(SER_RS485_RX_DURING_TX) }
    delay_rts_before_send = UInt32(settings.delayBeforeSend)
    delay_rts_after_send = UInt32(settings.delayAfterSend)
  }

  fileprivate var isEnabled: Bool { flags & UInt32(SER_RS485_ENABLED) != 0 }
}
