import EventLoop
import Posix
import SystemPackage

/// The end of a line at which clients are, behind a pseudo-terminal.
final class TerminalEnd: WireEnd {
  /// How long after a client's closing the terminal is looked at again if it seems in use: the
  /// kernel tells of the closing before it is done, usually by less than a millisecond.
  private static let looks: [Duration] = [.milliseconds(1), .milliseconds(10), .milliseconds(100)]

  let terminal: PseudoTerminal
  private(set) var isReadable = false

  private let loop: EventLoop
  private var watch: DescriptorWatch?
  private var nodeWatch: NodeWatch?
  private var nextLook: Timer?
  private var onEvent: (WireEndEvent) -> Void = { _ in }

  /// Creates a terminal, its node ready to be opened.
  ///
  /// - Throws: what ``PseudoTerminal``, inotify(7) and epoll_ctl(2) say.
  init(on loop: EventLoop) throws(Errno) {
    self.loop = loop
    terminal = try PseudoTerminal()
    watch = try loop.watch(terminal.descriptor, for: []) { [weak self] in self?.handle($0) }
    nodeWatch = try NodeWatch(terminal.path, on: loop) { [weak self] in self?.handle($0) }
  }

  // The watches end before the descriptors are closed.
  deinit { hangUp() }

  func start(at now: MonotonicTime, onEvent: @escaping (WireEndEvent) -> Void) {
    self.onEvent = onEvent
  }

  func advance(to now: MonotonicTime) {}

  var nextDeadline: MonotonicTime? { nil }

  func hangUp() {
    onEvent = { _ in }
    nextLook = nil
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

  func arm(for interest: Interest) throws(Errno) -> Bool {
    try watch?.setInterest(interest)
    return false
  }

  private func handle(_ readiness: Readiness) {
    // Not while we hold the node open; should it come all the same, it would come for ever.
    if readiness.contains(.hungUp) { return onEvent(.failed(.ioError)) }
    if readiness.contains(.readable) { isReadable = true }
    onEvent(.ready)
  }

  // MARK: Clients

  func armForSilence() throws(Errno) -> Bool {
    try watch?.setInterest([])
    // First the watch, then the look: a read in between is heard of.
    try nodeWatch?.hearReading()
    return !terminal.hasUnreadBytes
  }

  private func handle(_ events: NodeWatch.Events) {
    if events.contains(.closed) { restore(lookingAgainAfter: Self.looks[...]) }
    if events.contains(.read) { onEvent(.ready) }
  }

  private func restore(lookingAgainAfter delays: ArraySlice<Duration>) {
    nextLook = nil
    do {
      guard try !terminal.restoreIfUnused(), let delay = delays.first else { return }
      nextLook = loop.schedule(after: delay) { [weak self] in
        self?.restore(lookingAgainAfter: delays.dropFirst())
      }
    } catch {
      onEvent(.failed(error))
    }
  }
}
