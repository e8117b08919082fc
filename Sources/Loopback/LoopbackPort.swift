public import EventLoop
public import SystemPackage

/// A serial port with a simulated device, without any hardware.
///
/// The device receives the bytes that clients write to the node, and clients read the bytes that the
/// device sends. No byte is lost unless the options say so: a slow reader blocks the device, and a
/// blocked device blocks the writers, with at most ``bufferCapacity`` bytes in between.
///
/// Bytes that the device sends while no client has the node open are kept for the next client as far
/// as the buffers allow; on a real port they would be lost.
///
/// Not `Sendable`: use it only on its loop's thread.
public final class LoopbackPort {
  /// The maximum number of bytes in the port, without the kernel's buffers: a queue in each direction,
  /// and the device's output, which one answer of the device can exceed.
  public static let bufferCapacity = 3 * Pump.capacity

  private let terminal: TerminalEnd
  private let device: DeviceEnd
  private let line: DuplexLine

  /// Creates the port. The device is powered at once; bytes move when the loop runs.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - options: Rate and faults of the line.
  ///   - loop: The loop that drives the port; must outlive it.
  /// - Throws: The errors of ``PseudoTerminal/init()``, inotify(7) and epoll_ctl(2).
  public init(
    _ device: any SimulatedDevice, options: LoopbackOptions = LoopbackOptions(),
    on loop: IOLoop
  ) throws(Errno) {
    terminal = try TerminalEnd(on: loop)
    self.device = DeviceEnd(device)
    line = DuplexLine(from: terminal, to: self.device, options: options, on: loop)
  }

  /// The node that clients open.
  public var path: FilePath { terminal.terminal.path }

  /// Called with the reason when the port has hung up by itself; its node is gone then.
  public var onHangUp: ((LoopbackHangUp) -> Void)? {
    get { line.onHangUp }
    set { line.onHangUp = newValue }
  }

  /// The number of bytes in the port, in both directions.
  public var bufferedByteCount: Int { line.bufferedByteCount + device.bufferedByteCount }

  /// Hangs up now, as if the adapter were unplugged. Bytes that clients have not read are lost.
  ///
  /// Does not call ``onHangUp``. Further calls do nothing.
  public func hangUp() { line.hangUp() }
}

@available(*, unavailable)
extension LoopbackPort: Sendable {}
