import DeviceWatch
import EventLoop
import Observing
import Reconnecting
import Scrollback
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TextTools
import Time
import TransferProtocols

/// What the user sees of one ``Port``: its text, its errors and its end. The port itself is the session with its state,
/// with or without a user.
final class PortPresenter {
  let port: Port
  /// The configuration. It changes when the device becomes known and has a profile.
  @Observed private(set) var configuration: ConnectConfiguration
  let view: DeviceView
  let filter: FilterController
  let errorReport: LineErrorReport
  /// The scrollback; nil if received bytes are not kept.
  @Observed private(set) var scrollback: Scrollback?
  /// Returns the configuration once the device is known; nil if it does not depend on the device.
  private let configurationForDevice: ((Device) throws -> ConnectConfiguration)?
  /// The size of the window that the far end knows; nil while it does not follow the window.
  var sentSize: ScreenSize?
  /// The received bytes that were just shown. They are valid during the call.
  let shown = Observable<UnsafeRawBufferPointer>()
  /// How the port has ended; nil while it continues.
  var outcome: Result<ExitStatus, Failure>?

  private let console: Console
  private let loop: IOLoop
  /// Whether a user types. Typed bytes are sent only to the device for which they were typed.
  private let isTyped: Bool
  private let lineWatch: ModemLineWatch
  private let counterWatch: CounterWatch
  private let holdDetector: HoldDetector
  private let rateWatch: WrongRateWatch
  /// Looks for offers of files; nil while offers are not reported.
  private var offerWatch: OfferWatch?
  /// Observes what the watches have found.
  private var watched: [AnyObject] = []
  /// Observes why the session must end.
  var ends: ObservationToken<SessionError>?
  /// The subscription to received bytes. The device waits for a slow terminal if it can, and always for a pipe.
  private var subscription: Hub.Subscription?
  private var keeping: Hub.Subscription?
  private var stateChanges: ObservationToken<Change<TerminalState>>?
  private var news: ObservationToken<SessionNews>?

  /// Creates the presentation of a port. The port is opened later.
  ///
  /// - Parameter keys: the user's keys for messages; nil if the input is not a terminal.
  init(
    _ configuration: ConnectConfiguration,
    forDevice configurationForDevice: ((Device) throws -> ConnectConfiguration)?, in app: App,
    keys: CommandKeys?
  ) {
    _configuration = Observed(wrappedValue: configuration)
    self.configurationForDevice = configurationForDevice
    isTyped = keys != nil
    let (loop, console) = (app.loop, app.console)
    self.loop = loop
    self.console = console
    port = app.add(
      configuration.session,
      in: TerminalState(
        filter: configuration.filter, screen: console.kind,
        hasColours: console.outputStyle.isColoured),
      writeCapacity: InputPump.queueCapacity(isTerminal: isTyped), keys: keys)
    let session = port.session
    lineWatch = ModemLineWatch(session, on: loop)
    counterWatch = CounterWatch(session, on: loop)
    errorReport = LineErrorReport(session, on: loop)
    holdDetector = HoldDetector(session, on: loop)
    rateWatch = WrongRateWatch(session, port.controller.hub, on: loop)
    view = DeviceView(configuration.view, on: console, loop: loop)
    filter = FilterController(configuration.filter, to: view, on: console, loop: loop)
    controller.discardsForLostDevice = isTyped
    session.owner = isTyped ? .keyboard : .pipe
    model.follow(filter, holdDetector, scrollback: $scrollback)
    errorReport.say = { [unowned self] in say($0) }
    news = controller.news.observe { [unowned self] in
      switch $0 {
      case .mark(let mark): show(mark)
      case .far(.history(let bytes, let time)): showHistory(bytes, time)
      case .far(.missed(let count)): showGap(count)
      default: break
      }
    }
    adopt(configuration)
  }

  var controller: SessionController { port.controller }
  var session: Session { port.session }
  var model: TerminalStateModel { port.model }
  var name: String? { port.name }

  /// Prints a message about the port.
  func say(_ text: String) { console.say(port.named(text)) }

  /// Applies a configuration to the session, at the start and when its device becomes known.
  private func adopt(_ configuration: ConnectConfiguration) {
    port.adopt(configuration.session)
    errorReport.marksErrors = configuration.session.linkOptions.marksErrors
    port.narrator.reopenKeys = configuration.reopenKeys
    controller.lender.patience = Drain.Patience(total: configuration.releaseDrain)
    model.update {
      $0.configuredKeys = configuration.configuredKeys
      $0.origin = SessionOrigin(
        file: configuration.file, profile: configuration.profile,
        target: configuration.session.target, given: configuration.given)
      $0.snippets = configuration.snippets
      $0.sequences = configuration.sequences
      $0.isReadOnly = configuration.isReadOnly
      $0.echoesLocally = configuration.echoesLocally
      $0.lineEnding = configuration.lineEnding
      // Nothing is drawn on a terminal that can only print, or into a file or pipe.
      let draws = $0.screen == .drawing
      $0.editsLines = configuration.editsLines && draws && isTyped
      $0.view = configuration.view
      if let format = configuration.view.timestamps { $0.lastTimestamps = format }
      $0.showsStatus = configuration.showsStatus && draws
    }
    keepScrollback(configuration.scrollbackCapacity)
    if isTyped || configuration.autoReceiveFolder != nil { watchOffers() }
    self.configuration = configuration
  }

  /// Starts to look for offers of files. Offers are not reported between pipes, which must be fast.
  private func watchOffers() {
    guard offerWatch == nil else { return }
    let watch = OfferWatch(controller.session, controller.hub, on: loop)
    model.follow(watch)
    offerWatch = watch
  }

  /// Calls a function with the newest lines that the scrollback has, the oldest of them first, and with their times in
  /// seconds since 1970. Reading more would hold the session up.
  func readKept(_ body: (UnsafeRawBufferPointer, Double) -> Void) {
    guard let scrollback else { return }
    var (start, rest) = (scrollback.lines.upperBound, Self.readableLimit)
    while start > scrollback.lines.lowerBound, rest > 0 {
      start -= 1
      rest -= scrollback.withLine(start) { $0.bytes.count } ?? 0
    }
    for number in start..<scrollback.lines.upperBound {
      scrollback.withLine(number) { line in
        if !line.isMark { body(line.bytes, Double(line.time) / 1_000) }
      }
    }
  }

  /// The number of bytes that ``readKept(_:)`` reads.
  private static let readableLimit = 4 << 20

  /// The endpoint's name as text; nil before it is known.
  var endpointName: String? { model.state.session.endpoint.map { "\($0)" } }

  /// Starts the scrollback. Bytes that a user cannot search are not kept.
  private func keepScrollback(_ capacity: Int) {
    guard isTyped, console.isOutputTerminal, capacity != scrollback?.capacity ?? 0 else { return }
    let scrollback = capacity > 0 ? Scrollback(capacity: capacity) : nil
    self.scrollback = scrollback
    keeping = scrollback.map { scrollback in
      controller.hub.subscribe(as: .log) { scrollback.add($0, at: $1.wallClock) }
    }
    // The bytes are kept once: members who join the session get them from the scrollback.
    controller.sharing.scrollback = scrollback
  }

  /// Binds the session to its device.
  ///
  /// - Returns: the query that the user has to resolve; nil if the session is bound.
  /// - Throws: ``Failure``, and the errors of the device source.
  func bind() throws -> DeviceQuery? {
    if let configurationForDevice {
      controller.onDeviceKnown = { [unowned self] in
        adopt(try configurationForDevice($0))
      }
    }
    let query = try port.bind(mayAsk: isTyped)
    port.narrate()
    return query
  }

  /// Starts to accept clients at the places of the configuration.
  ///
  /// - Throws: ``Failure``.
  func listen() throws(Failure) {
    port.server.rules = configuration.servingRules
    for entrance in configuration.entrances { try port.listen(at: entrance) }
  }

  /// Starts to find a lost device again.
  func startReconnecting() {
    do throws(Errno) {
      try controller.startReconnecting()
    } catch {
      say("cannot watch devices (\(error)): a lost device will not be found again.")
    }
  }

  /// Starts to show received bytes.
  func start() {
    subscription = controller.hub.subscribe(
      as: .view, whenFull: console.isOutputTerminal ? .waitOrLeaveOut : .wait
    ) { [unowned self] in show($0, at: $1) }
    filter.onRoom = { [unowned self] in updateRoom() }
    if console.isOutputTerminal { filter.start() }
    watched = [
      holdDetector.$acceptance.observe { [unowned self] in sayAcceptance($0.new) },
      rateWatch.$looksWrong.observe { [unowned self] in if $0.new { sayWrongRate() } },
    ]
    stateChanges = model.$state.observe { [unowned self] _ in followState() }
    followState()
  }

  private func show(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    if filter.isOn {
      filter.take(bytes)
    } else if console.isOutputTerminal {
      view.show(bytes, at: moment)
    } else {
      view.place.show(bytes)
    }
    if isCrowded { updateRoom() }
    shown.notify(bytes)
  }

  /// Shows the bytes that the device sent before the user joined the session. Logs do not get them.
  private func showHistory(_ bytes: [UInt8], _ time: UInt64) {
    bytes.withUnsafeBytes { bytes in
      scrollback?.add(bytes, at: time)
      if console.isOutputTerminal {
        view.show(bytes, at: Moment.now.moved(to: time))
      } else {
        view.place.show(bytes)
      }
    }
  }

  private func showGap(_ count: Int) {
    view.showHeld()
    let text = "[\(count.counted("byte")) of the device missed: this terminal took nothing]"
    console.answer([StyledLine(text, .dimmed)])
  }

  /// Shows a mark after all received bytes.
  private func show(_ mark: Mark) {
    let line = mark.line(port: name).harmless
    view.showHeld()
    console.answer([StyledLine(line, .dimmed)])
    scrollback?.addMark(line, at: mark.moment.wallClock)
  }

  private var isCrowded: Bool { console.isCrowded || filter.isCrowded }

  private func updateRoom() { subscription?.update(isFull: isCrowded) }

  /// Resumes when the screen takes bytes again.
  func screenHasRoom() {
    filter.screenHasRoom()
    updateRoom()
  }

  private func followState() {
    var settings = model.state.view
    settings.echoesLocally = model.state.echoesLocally
    view.settings = settings
    lineWatch.isWatched = model.state.showsLines
    rateWatch.isOn = model.state.canHaveWrongRate
  }

  private func sayWrongRate() {
    let prefix = configuration.prefix
    let key = Command.baudRate.command.key
    let advice =
      prefix == .none ? "--baud sets another one." : "\(prefix) \(key ?? " ") changes it."
    say("This looks like a wrong baud rate. \(advice)")
  }

  private func sayAcceptance(_ acceptance: HoldDetector.Acceptance) {
    switch acceptance {
    case .held: say("held by the device: it accepts no bytes.")
    case .resumed: say("the device accepts bytes again.")
    case .unknown: break
    }
  }

  // MARK: The end

  /// Reports the driver's error counters for the last time. Later changes are not shown.
  func stop() {
    port.lineCommands.end()
    port.sequences.end()
    controller.session.refreshCounters()
    errorReport.finish()
    stateChanges = nil
  }

  /// Shows the remaining text.
  func finish() {
    filter.stop()
    if console.isOutputTerminal { view.finish() }
  }
}

extension TerminalState {
  /// Whether the rate can be wrong, and a user sees the received bytes as text. A pseudo-terminal has no rate and no
  /// counters, and the bytes for a file, a script or a filter need not be text.
  fileprivate var canHaveWrongRate: Bool {
    session.isOpen && capabilities.contains(.settings)
      && (!capabilities.contains(.backPressure) || capabilities.contains(.counters))
      && screen != .none && !view.isHex && !view.isRaw && !isFiltering && exchange == nil
  }
}
