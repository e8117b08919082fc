import DeviceWatch
import EventLoop
import Framing
import Logs
import Observing
import Options
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

/// What the user sees of one ``Port``: its text, its errors and its end. The port itself is the
/// session with its state, with or without a user.
final class PortPresenter {
  let port: Port
  /// The configuration. It changes when the device becomes known and has a profile.
  @Observed private(set) var configuration: ConnectConfiguration
  /// What the device sends, as the user sees it.
  let text: PortText
  /// Looks for what the user should know.
  let watches: PortWatches
  /// Returns the configuration once the device is known; nil if it does not depend on the device.
  private let configurationForDevice: ((Device) throws -> ConnectConfiguration)?
  /// The size of the window that the far end knows; nil while it does not follow the window.
  var sentSize: ScreenSize?
  /// How the port has ended; nil while it continues.
  var outcome: Result<ExitStatus, Failure>?

  private let console: Console
  private let symbols: SymbolCenter
  /// Whether a user types. Typed bytes are sent only to the device for which they were typed.
  private let isTyped: Bool
  /// The observations of why the session must end, and of what only the user can say about the
  /// lost device.
  var observations: [AnyObject] = []
  private var stateChanges: ObservationToken<Change<TerminalState>>?

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
    (console, symbols) = (app.console, app.symbols)
    port = app.add(
      configuration.session,
      in: TerminalState(
        filter: configuration.filterCommand, screen: console.kind,
        hasColours: console.outputStyle.isColoured),
      writeCapacity: configuration.lineDirection == nil
        ? InputPump.queueCapacity(isTerminal: isTyped) : Relay.queueCapacity,
      keys: keys)
    watches = PortWatches(of: port, on: console, loop: app.loop)
    text = PortText(of: port, configuration, on: console, loop: app.loop, keys: keys)
    // A program that reopens its port does not expect what was meant for the one before.
    controller.sending.discardsForLostDevice = isTyped || configuration.lineDirection != nil
    session.owner = isTyped ? .keyboard : .pipe
    adopt(configuration)
  }

  var controller: SessionController { port.controller }
  var session: Session { port.session }
  var model: TerminalStateModel { port.model }
  var name: String? { port.name }
  var view: DeviceView { text.view }
  var filter: FilterController { text.filter }
  var scrollback: Scrollback? { text.scrollback }

  /// Prints a message about the port.
  func say(_ text: String) { console.say(port.named(text)) }

  /// Applies a configuration to the session, at the start and when its device becomes known.
  private func adopt(_ configuration: ConnectConfiguration) {
    port.adopt(configuration.session)
    watches.adopt(configuration)
    symbols.watch(port, for: configuration.symbolFiles)
    port.narrator.reopenKeys = configuration.reopenKeys
    controller.lender.patience = Drain.Patience(total: configuration.releaseDrain)
    model.update {
      $0.configuredKeys = Set(configuration.profile.keys)
      $0.origin = SessionOrigin(
        file: configuration.values[SessionParameters.config].map { FilePath($0) },
        profile: configuration.profile.name,
        target: configuration.session.target, given: configuration.values.all)
      $0.snippets = configuration.profile.snippets
      $0.sequences = configuration.profile.sequences
      $0.adopt(configuration.values)
      if let direction = configuration.lineDirection {
        ($0.isReadOnly, $0.view.lineDirection) = (true, direction)
      }
      if !isTyped { $0.editsLines = false }
    }
    if isTyped { text.keep(configuration.values[ViewParameters.scrollback]) }
    if isTyped || configuration.autoReceiveFolder != nil { watches.lookForOffers() }
    self.configuration = configuration
  }

  /// The endpoint's name as text; nil before it is known.
  var endpointName: String? { model.state.session.endpoint.map { "\($0)" } }

  /// Whether the configuration depends on the device.
  var dependsOnDevice: Bool { configurationForDevice != nil }

  /// Applies the configuration for the device, before its port is opened for the first time.
  func didFind(_ device: Device) throws {
    if let configurationForDevice { adopt(try configurationForDevice(device)) }
  }

  /// Binds the session to its device.
  ///
  /// - Returns: the query that the user has to resolve; nil if the session is bound.
  /// - Throws: ``Failure``, and the errors of the device source.
  func bind() throws -> DeviceQuery? {
    let query = try port.bind(mayAsk: isTyped)
    port.narrate()
    return query
  }

  /// Starts to accept clients at the places of the configuration.
  ///
  /// - Throws: ``Failure``.
  func listen() throws(Failure) {
    port.server.rules = configuration.servingRules
    for listenAddress in configuration.values.listenAddresses { try port.listen(at: listenAddress) }
    if let place = configuration.values.pagePlace {
      port.openPage(at: place) { [unowned self] in
        switch $0 {
        case .success: port.announcePlaces()
        case .failure(let failure): say("there is no page for browsers: \(failure.message)")
        }
      }
    }
  }

  /// Starts to find a lost device again.
  func startReconnecting() {
    do throws(Errno) {
      try controller.device.startReconnecting()
    } catch {
      say("cannot watch devices (\(error)): a lost device will not be found again.")
    }
  }

  /// Starts to show received bytes, and to follow the state.
  func start() {
    text.start()
    watches.start()
    stateChanges = model.$state.observe { [unowned self] _ in stateDidChange() }
    stateDidChange()
  }

  private func stateDidChange() {
    text.stateDidChange(to: model.state)
    controller.showsSilences =
      model.state.isTapped || model.state.view.frames?.dependsOnSilence == true
    watches.stateDidChange(to: model.state)
  }

  // MARK: The end

  /// Reports the driver's error counters for the last time. Later changes are not shown.
  func stop() {
    port.lineCommands.end()
    port.sequences.end()
    controller.session.refreshCounters()
    watches.finish()
    stateChanges = nil
  }

  /// Shows the remaining text.
  func finish() {
    text.finish()
  }
}
