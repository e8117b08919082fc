public import EventLoop
public import SystemPackage

/// Two serial ports connected to each other: bytes written to one can be read from the other.
///
/// No byte is lost unless the options cause that: a slow reader blocks the writer at the other end,
/// with at most ``bufferCapacity`` bytes in between.
///
/// Not `Sendable`: use it only on its loop's thread.
public final class LoopbackPair {
  /// The maximum number of bytes in the pair, without the kernel's buffers.
  public static let bufferCapacity = 2 * Pump.capacity

  private let first: TerminalEnd
  private let second: TerminalEnd
  private let line: DuplexLine

  /// Creates the pair. Bytes move when the loop runs.
  ///
  /// - Parameters:
  ///   - options: the rate and the faults of each direction.
  ///   - loop: the loop that drives the pair. It must outlive the pair.
  ///   - onHangUp: called once with the reason, when both ports have hung up on their own. Their
  ///     nodes are then gone. The pair may be released then.
  /// - Throws: the errors of ``PseudoTerminal/init()``, inotify(7) and epoll_ctl(2).
  public init(
    options: LoopbackOptions = LoopbackOptions(), on loop: IOLoop,
    onHangUp: @escaping (LoopbackHangUp) -> Void = { _ in }
  ) throws(Errno) {
    first = try TerminalEnd(on: loop)
    second = try TerminalEnd(on: loop)
    line = DuplexLine(from: first, to: second, options: options, on: loop, onHangUp: onHangUp)
  }

  /// The nodes that clients open.
  public var paths: (first: FilePath, second: FilePath) {
    (first.terminal.path, second.terminal.path)
  }

  /// The number of bytes in the pair, in both directions.
  public var bufferedByteCount: Int { line.bufferedByteCount }

  /// Hangs up both ports now. Bytes that clients have not read are lost.
  ///
  /// The closure of the initializer is not called. Further calls do nothing.
  public func hangUp() { line.hangUp() }
}

@available(*, unavailable)
extension LoopbackPair: Sendable {}
