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
/// - Bytes go to observers as they were read; where errors are marked, each error is told before
///   the byte that it is about. Before a hang-up is honoured, what is left is read.
/// - Bytes to be sent wait in a bounded queue; it takes all of a piece or nothing. What the driver
///   has not taken when the device is lost stays queued, and goes out when the device is back,
///   unless ``discardUnsent(keeping:)`` is called. Nothing is sent twice, and nothing that was meant
///   for one device goes to the next that the session is bound to.
///
/// It is confined to one thread, and not `Sendable`.
public final class Session {
  /// Opens a port for a session.
  public typealias LinkOpener = (FilePath, LineSettings) throws(SerialError) -> any Link

  /// The settings that are asked for whenever the port is opened. One that is open is changed by
  /// ``apply(_:)``.
  public var requestedSettings: LineSettings
  /// Who may veto. Not retained.
  public weak var delegate: (any SessionDelegate)?
  /// Who says how fast bytes go out; nil: as the driver takes them. Not retained.
  public weak var pacer: (any SendingPacer)?

  private let openLink: LinkOpener
  let events = Observable<SessionEvent>()
  private var machine: SessionMachine
  private(set) var link: (any Link)?
  /// The modem lines as they were last read; see ``refreshModemLines()``. Nil where the port has
  /// none, and while none is open.
  public internal(set) var modemLines: ModemLines?
  /// The driver's counters as they were last read; see ``refreshCounters()``. Nil where it counts
  /// nothing, and while no port is open.
  public internal(set) var counters: LineCounters?
  var queue: ByteQueue
  /// How many bytes at the front of the queue the driver has taken, while observers are shown them.
  var takenCount = 0
  let readBuffer: UnsafeMutableRawBufferPointer
  /// How many bytes at the front of the read buffer are a mark that was read in part.
  var unfinishedCount = 0
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
    forgetWhatAnotherWasToGet()
    try handle(.open(path))
    if case .closed(.failed(let error)) = state { throw error }
  }

  /// Binds the session to a device that is not there yet.
  ///
  /// - Throws: ``SerialError``: `alreadyBound`.
  public func waitForDevice(at path: FilePath) throws(SerialError) {
    forgetWhatAnotherWasToGet()
    try handle(.wait(path))
  }

  private func forgetWhatAnotherWasToGet() {
    if case .closed = state { discardUnsent() }
  }

  /// The device that the session waits for is back; does nothing when it waits for none.
  ///
  /// A failure to open it changes the reason that the state gives for waiting; call again to try
  /// again. A session that is released only notes where its device is.
  ///
  /// - Parameter path: where it is now.
  public func deviceDidReturn(at path: FilePath) {
    switch state {
    case .waitingForDevice:
      guard delegate?.session(self, shouldReturnTo: path) ?? true else { return }
      take(.deviceReturned(path))
    case .released: take(.deviceReturned(path))
    case .closed, .opening, .open: break
    }
  }

  /// The device that is to be taken back after ``release()`` is not there: the session waits for it
  /// only if ``waitsForLostDevice``. Does nothing in any other state.
  public func deviceIsMissing() { take(.deviceMissing) }

  /// The device is gone, as the system told; does nothing when the link has noticed already. Must not
  /// be called by an observer: what is left is read, over the bytes that observers are being shown.
  public func deviceDidDisappear() {
    precondition(!events.isNotifying, "an observer said that the device is gone")
    guard let link else { return }
    loseLink(SerialError(.lost, in: "remove", at: link.path))
  }

  /// Closes and unlocks the port for another program to use, unless the delegate vetoes; the session
  /// stays bound to its device, and leaves it alone until ``takeBack()``.
  ///
  /// - Returns: whether the port is released now.
  @discardableResult
  public func release() -> Bool {
    if case .released = state { return true }
    guard delegate?.sessionShouldRelease(self) ?? true else { return false }
    take(.release)
    if case .released = state { return true }
    return false
  }

  /// Waits for the device again, after ``release()``: its port is opened when
  /// ``deviceDidReturn(at:)`` says where it is now.
  public func takeBack() { take(.takeBack) }

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

  func notOpen(in operation: String) -> SerialError {
    SerialError(.notOpen, in: operation, at: state.path ?? "")
  }

  // MARK: The caller's loop

  /// What to watch, while a port is open. Lent, and closed before observers hear that the state
  /// changed.
  public var descriptor: FileDescriptor? { link?.descriptor }

  /// What to watch it for; observers hear when it changes.
  public var interest: Interest {
    guard link != nil else { return [] }
    return (isReadingPaused ? [] : Interest.reading)
      .union(queue.isEmpty || isSendingPaused || isHeldBack ? [] : .writing)
  }

  /// Lets the driver keep what the device sends, for as long as nobody can take it.
  public var isReadingPaused = false {
    didSet { tellInterest() }
  }

  /// Keeps what is written in the queue, for as long as the device is not to hear it.
  public var isSendingPaused = false {
    didSet { tellInterest() }
  }

  /// Whether the pacer lets nothing go at the moment.
  var isHeldBack = false {
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

  // MARK: Transitions

  private func handle(_ event: SessionMachine.Event) throws(SerialError) {
    let old = machine.state
    let action = try machine.handle(event)
    let new = machine.state
    if action == .closeLink {
      link?.close()
      bind(nil)
    }
    if old != new { notify(.stateChange(Change(from: old, to: new))) }
    tellInterest()
    // An observer may have closed the session when it heard of the opening.
    if case .openLink(let path) = action, state == new { open(linkTo: path) }
  }

  /// For events that no state refuses.
  func take(_ event: SessionMachine.Event) {
    do { try handle(event) } catch { preconditionFailure("\(event) was refused: \(error)") }
  }

  private func open(linkTo path: FilePath) {
    do {
      let link = try openLink(path, requestedSettings)
      bind(link)
      take(.opened(link.settings))
      if !events.isNotifying { sendQueued() }
    } catch {
      take(.openFailed(error))
    }
  }

  private func bind(_ link: (any Link)?) {
    self.link = link
    modemLines = link?.probe.modemLines
    counters = link?.probe.counters
    unfinishedCount = 0
  }

  // MARK: Telling observers

  func notify(_ event: SessionEvent) {
    withExtendedLifetime(self) { events.notify(event) }
  }

  func tellInterest() {
    let (old, new) = (toldInterest, interest)
    guard old != new else { return }
    toldInterest = new
    notify(.interestChange(Change(from: old, to: new)))
  }
}

@available(*, unavailable)
extension Session: Sendable {}
