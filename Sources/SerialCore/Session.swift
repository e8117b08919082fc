internal import Observing
import Posix
public import SystemPackage

/// Binds one device: opens it, moves bytes both ways, outlives its absence, tells observers.
///
/// ## Principles of operation
///
/// - It owns no thread and never waits. Its owner watches ``descriptor`` for ``interest`` and calls
///   ``handle(readable:writable:hungUp:)``; whoever knows of devices coming back calls
///   ``deviceDidReturn(at:)``.
/// - What it does next is decided by a pure state machine. What is to be closed is closed before
///   observers hear of it, what is to be opened is opened after they heard, if they left it so.
/// - A session has one device: opening another while it is bound throws. A device has one session:
///   the link locks it, against other sessions of this program too.
/// - Bytes go to observers as they were read. Before a hang-up is honoured, what is left is read.
/// - Bytes to be sent wait in a bounded queue; it takes all of a piece or nothing. What the driver
///   has not taken when the device is lost stays queued, and goes out when the device is back,
///   unless ``discardUnsent()`` is called. Nothing is sent twice.
///
/// It is confined to one thread, and not `Sendable`.
public final class Session {
  /// Opens a port for a session.
  public typealias LinkOpener = (FilePath, LineSettings) throws(SerialError) -> any Link

  /// The settings that are asked for whenever the port is opened.
  public private(set) var requestedSettings: LineSettings
  /// Who may veto. Not retained.
  public weak var delegate: (any SessionDelegate)?

  private let openLink: LinkOpener
  let events = Observable<SessionEvent>()
  private var machine: SessionMachine
  private var link: (any Link)?
  private var queue: ByteQueue
  private let readBuffer: UnsafeMutableRawBufferPointer
  /// How many bytes at the front of the queue the driver has taken, while observers are shown them.
  private var takenCount = 0
  /// What observers were told last of the interest.
  private var toldInterest: Interest = []

  /// Creates a session that is bound to no device.
  ///
  /// - Parameters:
  ///   - settings: what to ask for when a port is opened.
  ///   - waitsForLostDevice: whether it waits for a device that went away, or closes.
  ///   - writeCapacity: how many bytes may wait to be sent, at least 1.
  ///   - openLink: opens a port; by default a terminal device, locked.
  public init(
    settings: LineSettings, waitsForLostDevice: Bool = true, writeCapacity: Int = 65_536,
    openLink: @escaping LinkOpener = { (path, settings) throws(SerialError) in
      try TermiosLink(opening: path, settings: settings)
    }
  ) {
    requestedSettings = settings
    machine = SessionMachine(waitsForLostDevice: waitsForLostDevice)
    queue = ByteQueue(capacity: writeCapacity)
    // A terminal's buffer holds 4 KiB to 64 KiB: one read takes what there is.
    readBuffer = .allocate(byteCount: 65_536, alignment: 16)
    self.openLink = openLink
  }

  deinit {
    link?.close()
    readBuffer.deallocate()
  }

  // MARK: State

  /// Where the session stands.
  public var state: SessionState { machine.state }

  /// Whether the session waits for a device that goes away, or closes.
  public var waitsForLostDevice: Bool {
    get { machine.waitsForLostDevice }
    set { machine.waitsForLostDevice = newValue }
  }

  /// Opens a port.
  ///
  /// - Throws: ``SerialError``: `alreadyBound` when the session has a port, or why the port could
  ///   not be opened; the state says so too.
  public func open(_ path: FilePath) throws(SerialError) {
    try handle(.open(path))
    if case .closed(.failed(let error)) = state { throw error }
  }

  /// Binds the session to a device that is not there yet.
  ///
  /// - Throws: ``SerialError``: `alreadyBound`.
  public func waitForDevice(at path: FilePath) throws(SerialError) { try handle(.wait(path)) }

  /// The device that the session waits for is back; does nothing when it waits for none.
  ///
  /// A failure to open it changes the reason that the state gives for waiting; call again to try
  /// again.
  ///
  /// - Parameter path: where it is now.
  public func deviceDidReturn(at path: FilePath) {
    guard case .waitingForDevice = state else { return }
    guard delegate?.session(self, shouldReturnTo: path) ?? true else { return }
    take(.deviceReturned(path))
  }

  /// The device is gone, as the system told; does nothing when the link has noticed already.
  public func deviceDidDisappear() {
    guard let link else { return }
    loseLink(SerialError(.lost, in: "remove", at: link.path))
  }

  /// Closes the port, unless the delegate vetoes, and unbinds the session.
  ///
  /// - Returns: whether the session is closed now.
  @discardableResult
  public func close() -> Bool {
    if case .closed = state { return true }
    guard delegate?.sessionShouldClose(self) ?? true else { return false }
    take(.close)
    return true
  }

  // MARK: The line

  /// Changes the settings, now if the port is open, and for every opening to come.
  ///
  /// - Throws: ``SerialError``; the old settings stand then.
  public func apply(_ settings: LineSettings) throws(SerialError) {
    try link?.apply(settings)
    requestedSettings = settings
    if let link { take(.settingsChanged(link.settings)) }
  }

  /// Starts or ends a break condition.
  ///
  /// - Throws: ``SerialError``: `notOpen`, or what the driver says.
  public func setBreak(_ isOn: Bool) throws(SerialError) {
    guard let link else { throw notOpen(in: "break") }
    try link.setBreak(isOn)
  }

  // MARK: Sending

  /// How many bytes ``write(_:)`` would take now.
  public var writeRoom: Int { queue.room }

  /// How many bytes are under way: queued here, or taken by the driver and not on the line yet.
  public var unsentByteCount: Int { queuedByteCount + (link?.unsentByteCount ?? 0) }

  /// How many bytes the driver has not taken yet.
  public var queuedByteCount: Int { queue.count - takenCount }

  /// Queues bytes and hands the driver what it takes at once.
  ///
  /// - Throws: ``SerialError``: `notOpen`, or `queueFull` when there is not room for all of them;
  ///   none is taken then.
  public func write(_ bytes: RawSpan) throws(SerialError) {
    guard let link else { throw notOpen(in: "write") }
    let taken = bytes.withUnsafeBytes { queue.append($0) }
    guard taken else { throw SerialError(.queueFull, in: "write", at: link.path) }
    // Inside a round the bytes that observers are shown could change before all have seen them.
    if events.isNotifying { tellInterest() } else { sendQueued() }
  }

  /// Forgets what the driver has not taken.
  ///
  /// - Returns: how many bytes that were.
  @discardableResult
  public func discardUnsent() -> Int {
    defer { tellInterest() }
    let count = queuedByteCount
    queue.removeLast(count)
    return count
  }

  private func notOpen(in operation: String) -> SerialError {
    SerialError(.notOpen, in: operation, at: state.path ?? "")
  }

  // MARK: The caller's loop

  /// What to watch, while a port is open. Lent, and closed before observers hear that the state
  /// changed.
  public var descriptor: FileDescriptor? { link?.descriptor }

  /// What to watch it for; observers hear when it changes.
  public var interest: Interest {
    guard link != nil else { return [] }
    return (isReadingPaused ? [] : Interest.reading).union(queue.isEmpty ? [] : .writing)
  }

  /// Lets the driver keep what the device sends, for as long as nobody can take it.
  public var isReadingPaused = false {
    didSet { tellInterest() }
  }

  /// Does what the descriptor is ready for. Must not be called by an observer.
  ///
  /// - Parameters:
  ///   - readable: a read would bring something, or the end.
  ///   - writable: the driver would take something.
  ///   - hungUp: the device is gone; what it left to read is read first.
  public func handle(readable: Bool, writable: Bool, hungUp: Bool) {
    precondition(!events.isNotifying, "an observer called the session's loop")
    if hungUp, let link {
      loseLink(SerialError(.lost, in: "poll", at: link.path))
    } else {
      if readable { receive() }
      if writable { sendQueued() }
    }
  }

  /// Reads once: another descriptor may be waiting for its turn.
  private func receive() {
    guard let link else { return }
    do throws(SerialError) {
      switch try link.read(into: readBuffer) {
      case .bytes(let count): tellReceived(count)
      case .wouldBlock: break
      case .endOfFile: loseLink(SerialError(.lost, in: "read", at: link.path))
      }
    } catch {
      loseLink(error)
    }
  }

  private func tellReceived(_ count: Int) {
    notify(.received(UnsafeRawBufferPointer(rebasing: readBuffer[..<count])))
  }

  private func sendQueued() {
    defer { tellInterest() }
    while let link, !queue.isEmpty {
      let front = queue.front
      do throws(SerialError) {
        guard case .bytes(let count) = try link.write(front) else { return }
        takenCount = count
        notify(.sent(UnsafeRawBufferPointer(rebasing: front[..<count])))
        takenCount = 0
        queue.removeFirst(count)
      } catch {
        return loseLink(error)
      }
    }
  }

  /// Reads what is left, then lets go of the link.
  private func loseLink(_ error: SerialError) {
    let lost = link
    while let link, link === lost, case .bytes(let count)? = try? link.read(into: readBuffer) {
      tellReceived(count)
    }
    if link === lost { take(.linkLost(error)) }
  }

  // MARK: Transitions

  private func handle(_ event: SessionMachine.Event) throws(SerialError) {
    let old = machine.state
    let action = try machine.handle(event)
    let new = machine.state
    if action == .closeLink {
      link?.close()
      link = nil
    }
    if old != new { notify(.stateChange(Change(from: old, to: new))) }
    tellInterest()
    // An observer may have closed the session when it heard of the opening.
    if case .openLink(let path) = action, state == new { open(linkTo: path) }
  }

  /// For events that no state refuses.
  private func take(_ event: SessionMachine.Event) {
    do { try handle(event) } catch { preconditionFailure("\(event) was refused: \(error)") }
  }

  private func open(linkTo path: FilePath) {
    do {
      let link = try openLink(path, requestedSettings)
      self.link = link
      take(.opened(link.settings))
      if !events.isNotifying { sendQueued() }
    } catch {
      take(.openFailed(error))
    }
  }

  // MARK: Telling observers

  private func notify(_ event: SessionEvent) {
    withExtendedLifetime(self) { events.notify(event) }
  }

  private func tellInterest() {
    let (old, new) = (toldInterest, interest)
    guard old != new else { return }
    toldInterest = new
    notify(.interestChange(Change(from: old, to: new)))
  }
}

@available(*, unavailable)
extension Session: Sendable {}
