public import EventLoop
public import SystemPackage

/// A serial port with a simulated device, without any hardware.
///
/// The device receives the bytes that clients write to the node, and clients read the bytes
/// that the device sends. No byte is lost unless the options cause that: a slow reader
/// blocks the device, and a blocked device blocks the writers, with at most
/// ``bufferCapacity`` bytes in between.
///
/// Bytes that the device sends while no client has the node open are kept for the next client, as
/// far as the buffers allow. On a real port they would be lost.
///
/// Not `Sendable`: use it only on its loop's thread.
public final class LoopbackPort {
  /// The maximum number of bytes in the port, without the kernel's buffers: a queue for each
  /// direction, and the device's output, which a single answer of the device may exceed.
  public static let bufferCapacity = 3 * Pump.capacity

  private let terminal: TerminalEnd
  private let device: DeviceEnd
  private let line: DuplexLine

  /// Creates the port. The device is powered immediately; bytes move when the loop runs.
  ///
  /// - Parameters:
  ///   - device: the simulated device.
  ///   - options: the rate and the faults of the line.
  ///   - loop: the loop that drives the port. It must outlive the port.
  ///   - onHangUp: called once with the reason, when the port has hung up on its own. Its node is
  ///     then gone. The port may be released then.
  /// - Throws: the errors of ``PseudoTerminal/init()``, inotify(7) and epoll_ctl(2).
  public init(
    _ device: any SimulatedDevice, options: LoopbackOptions = LoopbackOptions(),
    on loop: IOLoop, onHangUp: @escaping (LoopbackHangUp) -> Void = { _ in }
  ) throws(Errno) {
    terminal = try TerminalEnd(on: loop)
    self.device = DeviceEnd(device)
    line = DuplexLine(
      from: terminal, to: self.device, options: options, on: loop, onHangUp: onHangUp)
  }

  /// The node that clients open.
  public var path: FilePath { terminal.terminal.path }

  /// The number of bytes in the port, in both directions.
  public var bufferedByteCount: Int { line.bufferedByteCount + device.bufferedByteCount }

  /// Hangs up now, as if the adapter were unplugged. Bytes that clients have not read are lost.
  ///
  /// The closure of the initializer is not called. Further calls do nothing.
  public func hangUp() { line.hangUp() }
}

@available(*, unavailable)
extension LoopbackPort: Sendable {}
