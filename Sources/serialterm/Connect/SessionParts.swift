import DeviceWatch
import EventLoop
import SerialCore
import SystemPackage

/// A session, and what every one has, whoever sits at it: what its configuration makes of it.
///
/// The configuration may become another once, when the device is known at last and a profile is for
/// it: ``adopt(_:)`` is the one way by which it takes effect, early or late.
final class SessionParts {
  let session: Session
  let driver: SessionDriver
  let log: LogKeeper
  let binder: TargetBinder
  let pacer: Pacer
  let opening: OpeningSequence
  /// Called with a device that was not known when the program started, before its port is opened for
  /// the first time; nil where nothing depends on what it is. It may call ``adopt(_:)``.
  var onDeviceKnown: ((Device) throws -> Void)?
  /// Called when the logs that were asked for have been started.
  var onLogsStarted: () -> Void = {}
  /// Called when a device that has come cannot be used as it was asked for.
  var onFailure: (Failure) -> Void = { _ in }

  private let console: Console
  private let link: LinkMaking
  private var knownDevice: Device?
  private var hasStartedLogs = false

  /// How a port is opened; shared with the closure that opens it.
  private final class LinkMaking {
    var options: LinkOptions
    init(_ options: LinkOptions) { self.options = options }
  }

  /// Creates a session and its parts.
  ///
  /// - Parameter writeCapacity: how many bytes may wait to be sent.
  init(
    _ configuration: SessionConfiguration, on console: Console, loop: EventLoop, writeCapacity: Int
  ) {
    self.console = console
    let link = LinkMaking(configuration.linkOptions)
    self.link = link
    session = Session(settings: configuration.settings, writeCapacity: writeCapacity) {
      (path, settings) throws(SerialError) in
      try TermiosLink(opening: path, settings: settings, options: link.options)
    }
    driver = SessionDriver(session, on: loop)
    log = LogKeeper(on: console, loop: loop)
    // The log hears of bytes before everything that shows them.
    session.addObserver(log)
    opening = OpeningSequence(of: session, on: loop)
    pacer = Pacer(of: session, on: loop)
    binder = TargetBinder(session, on: loop)
    opening.onFailure = { [console] in console.warn(Failure($0).message) }
    adopt(configuration)
  }

  /// Makes the session what a configuration says; of a port that is open, what can be changed.
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

  // MARK: The device

  /// Finds the device, and opens it or waits for it; see ``TargetBinder/bind(to:mayAsk:)``.
  ///
  /// - Throws: ``Failure``, and what the device source says.
  func bind(to target: Target?, mayAsk: Bool) throws -> DeviceQuery? {
    if onDeviceKnown != nil {
      binder.onArrival = { [unowned self] in deviceArrived(at: $0, $1) }
    }
    let question = try binder.bind(to: target, mayAsk: mayAsk)
    // Until it is known which profile holds, nobody knows what is to be logged.
    if question == nil && (onDeviceKnown == nil || session.state.isOpen) {
      try startLogs(at: session.state.path)
    }
    return question
  }

  /// The user has said which device is meant.
  ///
  /// - Throws: ``Failure``.
  func bind(toChosen target: Target) throws {
    if case .node(let node) = target,
      let device = DeviceSelector.node(node).matches(
        among: try binder.startedDevices().devices
      ).first
    {
      try settle(device)
    }
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

  /// Starts the logs when the device is there: a failed attempt leaves no file behind.
  private func startLogs(at node: FilePath?) throws(Failure) {
    guard !hasStartedLogs else { return }
    hasStartedLogs = true
    try log.start(for: session.state, at: node)
    onLogsStarted()
  }
}
