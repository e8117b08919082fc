import EventLoop
import Posix
import SystemPackage
import Time

/// The end of a line for clients: a pseudo-terminal.
final class TerminalEnd: WireEnd {
  /// The delays before the terminal is checked again if it still seems to be in use after a
  /// client closed it. The kernel reports a close before it is complete, usually by less
  /// than a millisecond.
  private static let retryDelays: [Duration] = [
    .milliseconds(1), .milliseconds(10), .milliseconds(100),
  ]

  let terminal: PseudoTerminal
  private(set) var isReadable = false

  private let loop: IOLoop
  private var watch: DescriptorWatch?
  private var nodeWatch: NodeWatch?
  private var nextRetry: LoopTimer?
  /// Handles the events; nil before the start, and after the hang-up.
  private weak var line: DuplexLine?

  /// Creates a terminal. Clients can open its node.
  ///
  /// - Throws: the errors of ``PseudoTerminal``, inotify(7) and epoll_ctl(2).
  init(on loop: IOLoop) throws(Errno) {
    self.loop = loop
    terminal = try PseudoTerminal()
    watch = try loop.watch(terminal.descriptor, for: []) { [weak self] in self?.handle($0) }
    nodeWatch = try NodeWatch(terminal.path, on: loop) { [weak self] in self?.handle($0) }
  }

  // The watches must end before the descriptors are closed.
  deinit { hangUp() }

  func start(at now: MonotonicTime, for line: DuplexLine) { self.line = line }

  func advance(to now: MonotonicTime) {}

  var nextDeadline: MonotonicTime? { nil }

  func hangUp() {
    line = nil
    nextRetry = nil
    nodeWatch = nil
    watch?.cancel()
    terminal.hangUp()
  }

  // MARK: Bytes

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at now: MonotonicTime
  ) throws(Errno) -> Int {
    switch try terminal.read(into: buffer) {
    case .bytes(let count):
      return count
    case .wouldBlock:
      isReadable = false
      return 0
    case .endOfFile:
      throw .ioError
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) throws(Errno) -> Int {
    switch try terminal.write(bytes) {
    case .bytes(let count): count
    case .wouldBlock: 0
    }
  }

  func arm(for interest: Interest) -> Bool {
    watch?.setInterest(interest)
    return false
  }

  private func handle(_ readiness: Readiness) {
    // This cannot happen while this side keeps the node open. If it did, the event
    // would repeat forever.
    if readiness.contains(.hungUp) { return fail(.ioError) }
    if readiness.contains(.readable) { isReadable = true }
    line?.handle(.ready)
  }

  private func fail(_ error: Errno) { line?.handle(.failed(error)) }

  // MARK: Clients

  func armForDrain() throws(Errno) -> Bool {
    watch?.setInterest([])
    // Watches before it checks, so that a read in between is detected.
    try nodeWatch?.watchReads()
    return !terminal.hasUnreadBytes
  }

  private func handle(_ events: NodeWatch.Events) {
    if events.contains(.closed) { restore(retryingAfter: Self.retryDelays[...]) }
    if events.contains(.read) { line?.handle(.ready) }
  }

  private func restore(retryingAfter delays: ArraySlice<Duration>) {
    nextRetry = nil
    do {
      guard try !terminal.restoreIfUnused(), let delay = delays.first else { return }
      nextRetry = loop.schedule(after: delay) { [weak self] in
        self?.restore(retryingAfter: delays.dropFirst())
      }
    } catch {
      fail(error)
    }
  }
}
