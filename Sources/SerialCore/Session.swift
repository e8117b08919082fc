package import Observing
public import Posix
public import SystemPackage

/// A connection to one device, which survives unplugging: opens the port, moves bytes in both
/// directions, notifies observers.
///
/// ## Principles of operation
///
/// - It has no thread and does not wait, except in ``drain(atMost:)``. Its owner polls
///   ``descriptor`` for ``interest`` and calls ``handle(_:)``. Code that watches
///   devices calls ``deviceDidReturn(at:)``.
/// - A pure state machine decides the transitions. A port is closed before observers learn of it,
///   and opened after they do, unless one of them changed the state.
/// - A session has one device: opening another one while it is bound throws. A device has one
///   session: the link locks the port, also for other sessions of the same program.
/// - Observers get bytes as they were read. If errors are marked, each error is reported before its
///   byte. After a hang-up, the bytes that are left are read first.
/// - Bytes to send wait in a bounded queue, which takes all of a piece or nothing. When the device
///   is lost, the queue remains, and is sent when the device is back, unless ``discardQueued()`` is
///   called. No byte is sent twice, and no byte for one device is sent to the next one.
/// - Every byte to send has an ``Author``. One author at a time has the pen and may write: the
///   ``owner``, unless another one has taken it with ``takePen(for:outlivesLoss:)``.
/// - No byte is discarded silently: ``close()``, ``release()`` and the methods that discard return
///   how many bytes of each author were written and not sent.
///
/// A session is confined to one thread, and not `Sendable`.
public final class Session {
  /// Makes a link to an endpoint, which is not open yet.
  public typealias LinkMaker = (Endpoint) -> any Link

  /// The settings to apply when the port is opened. To change those of an open
  /// port, call ``apply(_:)``.
  public var requestedSettings: LineSettings
  /// The delegate, which can veto. Not retained.
  public weak var delegate: (any SessionDelegate)?
  /// Whether the driver should deliver received bytes at once, if it can. The mode that was found
  /// is restored when this is off again, and when the port is closed.
  package var prefersLowLatency = false {
    didSet { if prefersLowLatency != oldValue { line?.link.preferLowLatency(prefersLowLatency) } }
  }
  /// Limits how fast bytes are sent; nil sends them as fast as the driver takes them. Not retained.
  public weak var pacer: (any SendingPacer)?

  private let makeLink: LinkMaker
  package let events = Observable<SessionEvent>()
  private var machine: SessionMachine
  // These are unchecked, for the same reason as in Observable: no access lasts while other code
  // runs, and the checks at run time were half of what the authors cost with each write.
  @exclusivity(unchecked) private var connection = Connection.none(lent: nil)
  @exclusivity(unchecked) private var pen = PenState()
  @exclusivity(unchecked) var outgoing: OutgoingBytes
  /// The number of bytes that were received since the session was created.
  public private(set) var receivedByteCount = 0
  /// The number of bytes that the driver has taken since the session was created.
  public internal(set) var sentByteCount = 0
  private let readBuffer: UnsafeMutableRawBufferPointer
  /// The number of reads that have returned bytes. A read with errors is several events.
  @exclusivity(unchecked) package private(set) var readCount = 0
  /// What keeps the session from reading and sending at present.
  var holds = Holds() {
    didSet { notifyInterestChange() }
  }
  /// The interest in the last notification.
  private var notifiedInterest: Interest = []

  /// What a session has of a port.
  private enum Connection {
    /// None is open. One may be lent to another program: the state in which it was found.
    case none(lent: LentPort?)
    /// One is being opened with the settings that were requested.
    case opening(any Link, LineSettings, lent: LentPort?)
    case open(OpenLine)

    /// The link, also while it is being opened.
    var link: (any Link)? {
      switch self {
      case .none: nil
      case .opening(let link, _, _): link
      case .open(let line): line.link
      }
    }

    var lent: LentPort? {
      switch self {
      case .none(let lent), .opening(_, _, let lent): lent
      case .open: nil
      }
    }
  }

  /// What keeps a session from reading and sending.
  struct Holds {
    /// The number of pauses of ``Session/pauseReading()`` that have not ended.
    var readingPauses = 0
    /// The number of pauses of ``Session/pauseSending()`` that have not ended.
    var sendingPauses = 0
    /// Whether the pacer allows no bytes now.
    var isHeldByPacer = false

    var allowsReading: Bool { readingPauses == 0 }
    var allowsSending: Bool { sendingPauses == 0 && !isHeldByPacer }
  }

  /// Creates a session that is bound to no device.
  ///
  /// - Parameters:
  ///   - settings: the settings to apply when a port is opened.
  ///   - waitsForLostDevice: whether to wait for a lost device, or to close.
  ///   - writeCapacity: the capacity of the queue in bytes, at least 1.
  ///   - makeLink: makes a link to an endpoint; by default to a terminal device, which it locks.
  ///     The endpoint must have a path then.
  public init(
    settings: LineSettings, waitsForLostDevice: Bool = true, writeCapacity: Int = 65_536,
    makeLink: @escaping LinkMaker = { TermiosLink(to: $0) }
  ) {
    requestedSettings = settings
    machine = SessionMachine(waitsForLostDevice: waitsForLostDevice)
    outgoing = OutgoingBytes(capacity: writeCapacity)
    // A terminal's buffer holds 4 KiB to 64 KiB: one read takes all of it.
    readBuffer = .allocate(byteCount: 65_536, alignment: 16)
    self.makeLink = makeLink
  }

  /// Creates a session that is bound to no device, for terminal devices of this computer.
  ///
  /// - Parameters:
  ///   - settings: the settings to apply when a port is opened.
  ///   - options: the other options for opening a port.
  ///   - waitsForLostDevice: whether to wait for a lost device, or to close.
  ///   - writeCapacity: the capacity of the queue in bytes, at least 1.
  public convenience init(
    settings: LineSettings, options: LinkOptions, waitsForLostDevice: Bool = true,
    writeCapacity: Int = 65_536
  ) {
    self.init(
      settings: settings, waitsForLostDevice: waitsForLostDevice, writeCapacity: writeCapacity,
      makeLink: { TermiosLink(to: $0, options: options) })
  }

  deinit {
    connection.link?.close()
    readBuffer.deallocate()
  }

  // MARK: State

  /// The present state.
  public var state: SessionState { machine.state }

  /// Whether the port is open: the same as in ``state``, which costs more to copy.
  public var isOpen: Bool {
    if case .open = connection { true } else { false }
  }

  /// The open port; nil while none is open.
  var line: OpenLine? {
    if case .open(let line) = connection { line } else { nil }
  }

  /// The link of the open port.
  var link: (any Link)? { line?.link }

  /// The modem lines at the last reading; see ``refreshModemLines()``. Nil if the port has none,
  /// and while none is open.
  public var modemLines: ModemLines? { line?.probe.modemLines }

  /// The driver's counters at the last reading; see ``refreshCounters()``. Nil if it counts
  /// nothing, and while no port is open.
  public var counters: LineCounters? { line?.probe.counters }

  /// The features of the port; empty while none is open.
  public var capabilities: LineCapabilities { line?.probe.capabilities ?? [] }

  /// The author who may write unless another one has taken the pen.
  public var owner: Author {
    get { pen.owner }
    set { changePen { $0.owner = newValue } }
  }

  /// The author who may write now: who has taken the pen, or else the ``owner``.
  public var writer: Author { pen.writer }

  /// Whether the session waits for a lost device, or closes.
  public var waitsForLostDevice: Bool {
    get { machine.waitsForLostDevice }
    set { machine.waitsForLostDevice = newValue }
  }

  /// Opens a port. A port of this computer is open, or has failed, when the method returns; the
  /// result of any other comes as a change of the state.
  ///
  /// - Throws: ``SerialError``: `alreadyBound` if the session has a port, or the reason why the
  ///   port could not be opened, which is in the state too.
  public func open(_ endpoint: Endpoint) throws(SerialError) {
    discardQueueOfOtherDevice()
    try tryTransition(on: .open(endpoint))
    if case .closed(.failed(let error)) = state { throw error }
  }

  /// Binds the session to a device that is not present yet.
  ///
  /// - Parameter endpoint: where it will be, or a description of it:
  ///   see ``Endpoint/Kind/unresolved``.
  /// - Throws: ``SerialError``: `alreadyBound`.
  public func waitForDevice(at endpoint: Endpoint) throws(SerialError) {
    discardQueueOfOtherDevice()
    try tryTransition(on: .wait(endpoint))
  }

  private func discardQueueOfOtherDevice() {
    if case .closed = state { discardQueued() }
  }

  /// Opens the port of the device that the session waits for, because the device is back. Does
  /// nothing if the session does not wait.
  ///
  /// If opening fails, the state has the new reason for waiting; call again to retry. A released
  /// session only notes the place.
  ///
  /// - Parameter endpoint: where the device is now.
  public func deviceDidReturn(at endpoint: Endpoint) {
    switch state {
    case .waitingForDevice, .released: transition(on: .deviceReturned(endpoint))
    case .closed, .opening, .open: break
    }
  }

  /// Reports that the device is missing after ``takeBack()``: the session waits for it only if
  /// ``waitsForLostDevice`` is true. Does nothing in any other state.
  public func deviceIsMissing() { transition(on: .deviceMissing) }

  /// Reports that the device was removed; does nothing if the link has noticed it already.
  /// An observer must not call it, because the remaining bytes are read into the buffer
  /// that observers see.
  public func deviceDidDisappear() {
    precondition(!events.isNotifying, "an observer said that the device is gone")
    guard let link = connection.link else { return }
    handleLoss(of: link, SerialError(.lost, in: "remove", at: link.endpoint))
  }

  /// Closes and unlocks the port for another program to use, unless the delegate vetoes. The port
  /// keeps the session's line settings; the session stays bound to its device, and leaves it alone
  /// until ``takeBack()``. When the session closes the port after that, it restores what it found
  /// before the release.
  ///
  /// The queue remains, and is sent when the port is open again. Bytes that the driver has taken
  /// and not sent are discarded: see ``drain(atMost:)``.
  ///
  /// - Returns: whether the port is released now, and the bytes that the driver discarded.
  @discardableResult
  public func release() -> Closing {
    if case .released = state { return .done(discarded: [:]) }
    guard delegate?.sessionShouldRelease(self) ?? true else { return .refused }
    notifyWillClose()
    let discarded = transition(on: .release)
    if case .released = state { return .done(discarded: discarded) }
    return .refused
  }

  /// Ends ``release()``: the session waits for its device, and opens the port when
  /// ``deviceDidReturn(at:)`` is called.
  public func takeBack() { transition(on: .takeBack) }

  /// Asks the delegate whether the session may close: for a program that drains, for example,
  /// before it closes. ``close()`` asks too.
  public func mayClose() -> Bool { delegate?.sessionShouldClose(self) ?? true }

  /// Closes the port, unless the delegate vetoes, and unbinds the session.
  ///
  /// It does not wait: bytes that were written and not sent are discarded and counted. To have them
  /// sent, wait until ``unsentByteCount`` is 0, or call ``drain(atMost:)``. A session that is
  /// deallocated closes its port in the same way, but cannot return the count.
  ///
  /// - Returns: whether the session is closed now, and the bytes that were discarded. After the
  ///   loss of the device, these are the bytes that it never received.
  @discardableResult
  public func close() -> Closing {
    if case .closed = state { return .done(discarded: discardQueued()) }
    guard mayClose() else { return .refused }
    notifyWillClose()
    if case .closed = state { return .done(discarded: [:]) }
    // Before observers are notified: they may open the session again, and write.
    let queued = discardQueued()
    return .done(discarded: queued + transition(on: .close))
  }

  /// The result of a request to close or to release the port.
  public enum Closing: Hashable, Sendable {
    /// The port is as it was: the delegate vetoed, or there is no port to release.
    case refused
    /// The port is closed. These bytes were written and not sent; they are discarded.
    case done(discarded: UnsentBytes)
  }

  /// The port that errors name, also while the session is bound to none.
  var namedEndpoint: Endpoint { state.endpoint ?? Endpoint(.unresolved, "") }

  func notOpen(in operation: String) -> SerialError {
    SerialError(.notOpen, in: operation, at: namedEndpoint)
  }

  // MARK: The caller's loop

  /// The descriptor to poll, while a port is open or being opened. Do not close it; it is closed
  /// before observers learn that the state changed. It may change with the state only.
  public var descriptor: FileDescriptor? { connection.link?.descriptor }

  /// The events to poll for. Observers are notified when they change.
  public var interest: Interest {
    switch connection {
    case .none: return []
    case .opening(let link, _, _): return link.interest
    case .open(let line):
      var interest = line.link.interest
      if holds.allowsReading { interest.insert(.reading) }
      if !outgoing.isEmpty && holds.allowsSending && line.link.acceptsBytes {
        interest.insert(.writing)
      }
      return interest
    }
  }

  /// Reads and writes what the descriptor is ready for. An observer must not call it.
  ///
  /// - Parameter ready: the events that the descriptor is ready for. After a hang-up, the bytes
  ///   that are left are read before the port is closed.
  public func handle(_ ready: Readiness) {
    precondition(!events.isNotifying, "an observer called the session's loop")
    guard let link else {
      connection.link?.makeProgress(ready)
      return notifyInterestChange()
    }
    link.makeProgress(ready)
    guard self.link === link else { return }
    defer { notifyInterestChange() }
    if ready.contains(.hungUp) {
      handleLoss(of: link, SerialError(.lost, in: "poll", at: link.endpoint))
    } else {
      if ready.contains(.readable) && holds.allowsReading { receive() }
      if ready.contains(.writable) { sendQueued() }
    }
  }

  // MARK: Receiving

  /// Reads once, so that other descriptors have their turn.
  private func receive() {
    guard let link else { return }
    do throws(SerialError) {
      if case .endOfFile = try read(from: link, isLast: false) {
        handleLoss(of: link, SerialError(.lost, in: "read", at: link.endpoint))
      }
    } catch {
      handleLoss(of: link, error)
    }
  }

  /// The maximum number of reads after a hang-up: more than a terminal's buffer or
  /// a socket's holds.
  private static let lastReads = 1_024

  /// Reads the bytes that are left, then closes the link. A link that is being opened has failed.
  func handleLoss(of lost: any Link, _ error: SerialError) {
    if case .opening(let link, _, _) = connection, link === lost {
      transition(on: .openFailed(error))
      return
    }
    // Bounded, because a far end that only takes nothing any more may send without end.
    var readRest = Self.lastReads
    while link === lost, readRest > 0, case .bytes? = try? read(from: lost, isLast: true) {
      readRest -= 1
    }
    if link === lost { transition(on: .linkLost(error)) }
  }

  private func read(from link: any Link, isLast: Bool) throws(SerialError) -> LinkInput {
    let input = try link.read(into: readBuffer, isLast: isLast)
    guard case .bytes(let count, let errors) = input else { return input }
    readCount &+= 1
    var start = 0
    for marked in errors {
      notifyReceived(start..<marked.offset)
      // An observer may have closed the port: the rest is not wanted then.
      guard self.link === link else { return input }
      notify(.lineError, marked.error)
      guard self.link === link else { return input }
      start = marked.offset
    }
    notifyReceived(start..<count)
    return input
  }

  private func notifyReceived(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    receivedByteCount += range.count
    notify(.received, UnsafeRawBufferPointer(rebasing: readBuffer[range]))
  }

  // MARK: Transitions

  /// - Returns: the bytes that the driver had not sent, if the port was closed.
  @discardableResult
  private func tryTransition(on event: SessionMachine.Event) throws(SerialError) -> UnsentBytes {
    var discarded = UnsentBytes()
    let old = machine.state
    let action = try machine.handle(event)
    let new = machine.state
    let line = line
    switch action {
    case .closeLink:
      discarded = discardTaken()
      if case .linkLost = event { outgoing.linkWasLost(with: discarded) }
      connection.link?.close()
      connection = .none(lent: connection.lent)
    case .lendLink:
      discarded = discardTaken()
      connection = .none(lent: line?.link.lend())
    case .openLink, nil: break
    }
    if case .closed = new { connection = .none(lent: nil) }
    let closed = isOpen ? nil : line
    if !isOpen { returnPenAtLoss() }
    if old != new { notify(.stateChange, Change(from: old, to: new)) }
    notifyInterestChange()
    closed?.refuseSettings()
    // An observer may have closed the session when it was notified.
    if case .openLink(let endpoint) = action, state == new { open(linkTo: endpoint) }
    return discarded
  }

  /// Handles an event that no state refuses.
  ///
  /// - Returns: the bytes that the driver had not sent, if the port was closed.
  @discardableResult
  func transition(on event: SessionMachine.Event) -> UnsentBytes {
    do { return try tryTransition(on: event) } catch {
      preconditionFailure("\(event) was refused: \(error)")
    }
  }

  private func open(linkTo endpoint: Endpoint) {
    let link = makeLink(endpoint)
    connection = .opening(link, requestedSettings, lent: connection.lent)
    link.start(requestedSettings) { [unowned self, unowned link] in linkDidReport($0, from: link) }
    notifyInterestChange()
  }

  private func linkDidReport(_ event: LinkEvent, from link: any Link) {
    guard link === connection.link else { return }
    switch event {
    case .opened(let settings, let probe): bind(link, settings, probe)
    case .failed(let error): transition(on: .openFailed(error))
    case .settingsChanged(let settings): transition(on: .settingsChanged(settings))
    case .modemLinesChanged(let lines): update(modemLines: lines)
    case .featuresChanged(let probe): update(probe)
    case .countersChanged(let new): update(counters: new)
    case .ready:
      guard isOpen, !events.isNotifying else { return }
      if holds.allowsReading { receive() }
      notifyInterestChange()
    case .lost(let error): handleLoss(of: link, error)
    }
  }

  private func bind(_ link: any Link, _ settings: LineSettings, _ probe: LineProbe) {
    guard case .opening(_, let asked, let lent) = connection else { return }
    connection = .open(OpenLine(link, probe))
    if prefersLowLatency { link.preferLowLatency(true) }
    if let lent { link.inherit(lent) }
    transition(on: .opened(settings))
    // Other settings were requested while the port was being opened.
    if self.link === link, requestedSettings != asked { apply(requestedSettings) { _ in } }
    if !events.isNotifying { sendQueued() }
  }

  private func update(_ probe: LineProbe) {
    guard let line, capabilities != probe.capabilities else { return }
    let old = capabilities
    line.probe = probe
    notify(.capabilitiesChange, Change(from: old, to: capabilities))
  }

  /// Changes who may write, and notifies observers if it is another author then.
  func changePen<Result>(_ change: (inout PenState) -> Result) -> Result {
    let old = pen.writer
    let result = change(&pen)
    if pen.writer != old { notify(.penChange, Change(from: old, to: pen.writer)) }
    return result
  }

  // MARK: Notifying observers

  /// Notifies observers that the open port is about to be closed, and writes what they write now.
  private func notifyWillClose() {
    guard isOpen else { return }
    notify(.willClose, ())
    if !events.isNotifying { sendQueued() }
  }

  func notifyInterestChange() {
    let (old, new) = (notifiedInterest, interest)
    guard old != new else { return }
    notifiedInterest = new
    notify(.interestChange, Change(from: old, to: new))
  }
}

@available(*, unavailable)
extension Session: Sendable {}
