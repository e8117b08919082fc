import Posix
import SerialCore
import Sessions
import SystemPackage
import TransferProtocols

/// Checks before a transfer starts whether a line can carry a protocol, and how well.
struct LineCheck {
  /// The settings of the open line; nil if it has none.
  let settings: LineSettings?
  /// The time in milliseconds for which the adapter holds back received bytes; nil if
  /// it is unknown.
  let latency: Int?

  /// Why the line cannot carry a protocol, and which setting to change; nil if it can.
  func obstacle(to kind: TransferProtocol) -> String? {
    guard let settings else { return nil }
    if kind.needsEightBits, settings.dataBits != .eight {
      return """
        \(kind.title) needs 8 data bits, and the line has \(settings.dataBits.rawValue). Set \
        --data-bits 8; in a session, the command 'data-bits'.
        """
    }
    if settings.flowControl == .soft, !kind.isPlain, !kind.avoidsFlowControl {
      let others = TransferProtocol.transferring.filter(\.avoidsFlowControl)
      return """
        \(kind.title) sends all bytes, XON and XOFF too, on which this line acts. Set --flow none \
        or --flow hard; in a session, the command 'flow'. Not affected by XON and XOFF: \
        \(others.titles).
        """
    }
    return nil
  }

  /// Why a transfer will be slow, and which setting to change; nil if it will not.
  func advice(on kind: TransferProtocol) -> String? {
    guard let block = kind.acknowledgedBlock, let latency, latency > 1, let settings else {
      return nil
    }
    let (slow, fast) = (
      share(block, settings, milliseconds: latency), share(block, settings, milliseconds: 1)
    )
    guard fast - slow >= 5 else { return nil }
    return """
      the adapter keeps answers back for up to \(latency) ms: \(kind.title) reaches \(slow) % of \
      the line's rate. With --low-latency it reaches \(fast) %.
      """
  }

  /// The maximum share of the line's rate that blocks of some bytes reach, in percent, if each
  /// answer takes the given time.
  private func share(_ block: Int, _ settings: LineSettings, milliseconds: Int) -> Int {
    let bytes = Double(block)
    let second = Double(settings.bytesPerSecond)
    // A block has five additional bytes, and its answer has one.
    return Int(100 * bytes / (bytes + 6 + Double(milliseconds) / 1_000 * second))
  }
}

extension LineSettings {
  /// The number of bytes that the line carries per second. Each byte has a start bit, the data
  /// bits, possibly a parity bit, and the stop bits.
  var bytesPerSecond: Int {
    let bits = 1 + Int(dataBits.rawValue) + (parity == .none ? 0 : 1) + Int(stopBits.rawValue)
    return max(Int(baudRate) / bits, 1)
  }
}

extension LineCheck {
  /// Makes the check for the line of an open session.
  init(of session: Session) {
    guard case .open(let endpoint, let settings) = session.state else {
      (self.settings, latency) = (nil, nil)
      return
    }
    self.settings = session.capabilities.contains(.settings) ? settings : nil
    latency = endpoint.path.flatMap { Self.latency(of: $0) }
  }

  /// The latency timer of an FTDI adapter: the attribute `latency_timer` of the
  /// kernel's driver, drivers/usb/serial/ftdi_sio.c.
  private static func latency(of path: FilePath) -> Int? {
    guard let name = path.realPath?.lastComponent?.string,
      let text = try? FilePath("/sys/class/tty/\(name)/device/latency_timer").contents()
    else { return nil }
    return Int(String(decoding: text, as: UTF8.self).prefix { $0.isNumber })
  }
}
