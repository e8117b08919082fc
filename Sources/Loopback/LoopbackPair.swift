public import EventLoop
public import SystemPackage

/// Two serial ports wired back to back: what is written to one is read from the other.
///
/// Nothing is lost that the options do not ask to lose: who reads slowly holds up who writes at the
/// other end. In between wait at most ``bufferCapacity`` bytes.
///
/// It is confined to its loop's thread, and not `Sendable`.
public final class LoopbackPair {
  /// How many bytes wait at most within the pair, the kernel's own buffers not counted.
  public static let bufferCapacity = 2 * Pump.capacity

  private let first: TerminalEnd
  private let second: TerminalEnd
  private let line: DuplexLine

  /// Creates the pair. Bytes move when the loop runs.
  ///
  /// - Parameters:
  ///   - options: how each direction treats the bytes.
  ///   - loop: what drives the pair; it must be kept for as long.
  /// - Throws: what ``PseudoTerminal/init()``, inotify(7) and epoll_ctl(2) say.
  public init(options: LoopbackOptions = LoopbackOptions(), on loop: EventLoop) throws(Errno) {
    first = try TerminalEnd(on: loop)
    second = try TerminalEnd(on: loop)
    line = DuplexLine(from: first, to: second, options: options, on: loop)
  }

  /// The nodes that clients open.
  public var paths: (first: FilePath, second: FilePath) {
    (first.terminal.path, second.terminal.path)
  }

  /// Called when both ports have hung up of their own accord, and why; the nodes are gone then.
  public var onHangUp: ((LoopbackHangUp) -> Void)? {
    get { line.onHangUp }
    set { line.onHangUp = newValue }
  }

  /// How many bytes wait within the pair, in both directions.
  public var bufferedByteCount: Int { line.bufferedByteCount }

  /// Hangs up both ports now: what clients have not read is lost.
  ///
  /// ``onHangUp`` is not called. Calling it again does nothing.
  public func hangUp() { line.hangUp() }
}

@available(*, unavailable)
extension LoopbackPair: Sendable {}
