import DeviceWatch
import EventLoop
import SerialCore
import SystemPackage

/// A session and its collaborators, shared by interactive and scripted use.
///
/// The configuration can change once: when the device is known and a profile is for it. ``adopt(_:)``
/// applies it in both cases.
final class SessionParts {
  let session: Session
  let driver: SessionDriver
  let log: LogKeeper
  let binder: TargetBinder
  let pacer: Pacer
  let opening: OpeningSequence
  let unsent: UnsentReport
  /// The file that is being sent.
  var transfer: FileTransfer?
  /// The number of bytes of the input that can be read and were not.
  var unreadInputCount: () -> Int = { 0 }
  private let sharing: SharingWatch
  /// Called with a device that was not known when the program started, before its port is opened for
  /// the first time; nil if the configuration does not depend on the device. It may call ``adopt(_:)``.
  var onDeviceKnown: ((Device) throws -> Void)?
  /// Called when the logs of the configuration have been started.
  var onLogsStarted: () -> Void = {}
  /// Called when the configuration cannot be applied to a device that was plugged in.
  var onFailure: (Failure) -> Void = { _ in }

  private let console: Console
  private let link: LinkMaking
  private var knownDevice: Device?
  private var hasStartedLogs = false
  private var hasFinished = false

  /// The options for opening a port, shared with the closure that opens it.
  private final class LinkMaking {
    var options: LinkOptions
    private var hasLookedForConsole = false
    init(_ options: LinkOptions) { self.options = options }

    /// Says, before a port is opened for the first time, that the kernel writes to it too.
    func warnOfConsole(at endpoint: Endpoint, on console: Console) {
      guard !hasLookedForConsole else { return }
      hasLookedForConsole = true
      guard let path = endpoint.path, KernelConsoles().contains(path) else { return }
      console.warn(
        "warning: \(path) is a console of the kernel. Its messages come between the device's bytes, "
          + "and what you send may reach a login prompt.")
    }
  }

  /// Creates a session and its collaborators.
  ///
  /// - Parameter writeCapacity: the capacity of the queue for sending, in bytes.
  init(
    _ configuration: SessionConfiguration, on console: Console, loop: IOLoop, writeCapacity: Int
  ) {
    self.console = console
    let link = LinkMaking(configuration.linkOptions)
    self.link = link
    session = Session(settings: configuration.settings, writeCapacity: writeCapacity) {
      link.warnOfConsole(at: $0, on: console)
      return TermiosLink(to: $0, options: link.options)
    }
    driver = SessionDriver(session, on: loop)
    log = LogKeeper(on: console, loop: loop)
    // The log gets the bytes before any view.
    session.addObserver(log)
    opening = OpeningSequence(of: session, on: loop)
    unsent = UnsentReport { [console] in console.warn($0) }
    pacer = Pacer(of: session, on: loop)
    binder = TargetBinder(session, on: loop)
    sharing = SharingWatch(session, on: loop, console: console)
    opening.onFailure = { [console] in console.warn(Failure($0).message) }
    adopt(configuration)
  }

  /// Applies a configuration; to an open port, as far as that can be changed.
  func adopt(_ configuration: SessionConfiguration) {
    session.requestedSettings = configuration.settings
    session.waitsForLostDevice = configuration.reconnects
    link.options = configuration.linkOptions
    opening.sequence = configuration.onOpen
    pacer.pacing = configuration.pacing
    log.configuration = configuration.log
    binder.waitsForAbsentDevice = configuration.waitsForAbsentDevice
    console.isQuiet = configuration.isQuiet
  }

  // MARK: The end

  /// Discards the bytes that were not sent, and reports the file that is being sent and the number of
  /// the other bytes. Call it before the port is closed, or when it was lost.
  ///
  /// - Parameter unread: the number of bytes of the input that will not be read.
  func discardUnsent(unread: Int = 0) {
    let count = session.discardUnsent()
    let ofFile = transfer?.cutOff(discarding: count) ?? 0
    unsent.bytes(count - ofFile + unread)
  }

  /// Reports what was not sent. Call it on every way out, before the port is closed. Calling it again
  /// does nothing.
  func finishSending() {
    guard !hasFinished else { return }
    hasFinished = true
    discardUnsent(unread: unreadInputCount())
  }

  /// The exit status of the program. Finish the logs first.
  ///
  /// - Throws: ``Failure``.
  func verdict(on outcome: Result<ExitStatus, Failure>) throws(Failure) -> ExitStatus {
    // The log has reported what is missing.
    try unsent.verdict(on: outcome, isLogComplete: log.missingCount == 0).get()
  }

  // MARK: The device

  /// Finds the device, and opens it or waits for it; see ``TargetBinder/bind(to:mayAsk:)``.
  ///
  /// - Throws: ``Failure``, and what the device source says.
  func bind(to target: Target?, mayAsk: Bool) throws -> DeviceQuery? {
    if onDeviceKnown != nil {
      binder.onArrival = { [unowned self] in deviceArrived(at: $0, $1) }
    }
    let question = try binder.bind(to: target, mayAsk: mayAsk)
    // Until the profile is known, the logs are not known either.
    if question == nil && (onDeviceKnown == nil || session.state.isOpen) {
      try startLogs(at: session.state.endpoint?.path)
    }
    return question
  }

  /// Opens the device that the user has chosen.
  ///
  /// - Throws: ``Failure``.
  func bind(toChosen target: Target) throws {
    let present = try binder.startedDevices().devices
    let resolved = ResolvedTarget(target) { present }
    if let device = resolved.device(among: { present }) { try settle(device) }
    _ = try bind(to: target, mayAsk: false)
  }

  private func deviceArrived(at node: FilePath, _ device: Device?) -> Bool {
    do {
      if let device { try settle(device) }
      try startLogs(at: node)
      return true
    } catch {
      onFailure(error as? Failure ?? Failure(.otherFailure, "\(error)."))
      return false
    }
  }

  private func settle(_ device: Device) throws {
    guard device != knownDevice else { return }
    try onDeviceKnown?(device)
    knownDevice = device
  }

  /// Starts the logs when the device is present: a failed attempt leaves no file behind.
  private func startLogs(at node: FilePath?) throws(Failure) {
    guard !hasStartedLogs else { return }
    hasStartedLogs = true
    try log.start(for: session.state, at: node)
    onLogsStarted()
  }
}
