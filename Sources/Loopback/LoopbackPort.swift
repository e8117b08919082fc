public import EventLoop
public import SystemPackage

/// A serial port with a simulated device behind it, without any hardware.
///
/// What clients write to the node arrives at the device, what the device says they read. Nothing is
/// lost that the options do not ask to lose: a slow reader holds up the device, a device that is
/// held up holds up who writes. In between wait at most ``bufferCapacity`` bytes.
///
/// Bytes that the device says while nobody has the node open wait for the next client, as far as
/// the buffers go; with a real port they would be lost.
///
/// It is confined to its loop's thread, and not `Sendable`.
public final class LoopbackPort {
  /// How many bytes wait at most within the port, the kernel's own buffers not counted: a queue
  /// each way, and what the device has said, which may be more by one answer of the device.
  public static let bufferCapacity = 3 * Pump.capacity

  private let terminal: TerminalEnd
  private let device: DeviceEnd
  private let line: DuplexLine

  /// Creates the port. The device is switched on at once; bytes move when the loop runs.
  ///
  /// - Parameters:
  ///   - device: what is behind the port.
  ///   - options: how the line treats the bytes.
  ///   - loop: what drives the port; it must be kept for as long.
  /// - Throws: what ``PseudoTerminal/init()``, inotify(7) and epoll_ctl(2) say.
  public init(
    _ device: any SimulatedDevice, options: LoopbackOptions = LoopbackOptions(),
    on loop: EventLoop
  ) throws(Errno) {
    terminal = try TerminalEnd(on: loop)
    self.device = DeviceEnd(device)
    line = DuplexLine(from: terminal, to: self.device, options: options, on: loop)
  }

  /// The node that clients open.
  public var path: FilePath { terminal.terminal.path }

  /// Called when the port has hung up of its own accord, and why; the node is gone then.
  public var onHangUp: ((LoopbackHangUp) -> Void)? {
    get { line.onHangUp }
    set { line.onHangUp = newValue }
  }

  /// How many bytes wait within the port, in both directions.
  public var bufferedByteCount: Int { line.bufferedByteCount + device.bufferedByteCount }

  /// Hangs up now, as if the adapter was unplugged: what clients have not read is lost.
  ///
  /// ``onHangUp`` is not called. Calling it again does nothing.
  public func hangUp() { line.hangUp() }
}

@available(*, unavailable)
extension LoopbackPort: Sendable {}
