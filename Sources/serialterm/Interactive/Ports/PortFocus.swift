import DeviceWatch
import EventLoop
import Observing
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal

/// The ports of the user, and which of them has the focus: the user types to it, and commands
/// act on it.
final class PortFocus {
  private(set) var ports: [PortPresenter]
  /// The port with the focus.
  @Observed private(set) var port: PortPresenter
  /// Whether typed bytes go to all ports.
  private(set) var sendsToAll = false
  /// What the commands of each port depend on outside of its session.
  @Observed private(set) var program = ProgramState()
  /// The user types to a port with another state: its state has changed, or the focus has moved.
  let changes = Observable<Change<TerminalState>>()

  private let app: App
  /// Returns the configuration of an additional port; nil to use that of the port with the focus.
  private let configurationOfAdditional: ((Endpoint) throws -> ConnectConfiguration)?
  /// Shows the ports line by line; nil while there is only one.
  private var merged: MergedScreen?
  private var stateChanges: [ObservationToken<Change<TerminalState>>] = []
  private var deviceChanges: ObservationToken<DeviceEvent>?

  /// - Parameters:
  ///   - ports: the ports, at least one. The first one gets the focus.
  ///   - configurationOfAdditional: returns the configuration of an additional port; nil to use
  ///     that of the port with the focus.
  init(
    on ports: [PortPresenter],
    additional configurationOfAdditional: ((Endpoint) throws -> ConnectConfiguration)?,
    in app: App
  ) {
    self.ports = ports
    self.configurationOfAdditional = configurationOfAdditional
    self.app = app
    _port = Observed(wrappedValue: ports[0])
  }

  /// The state of the port with the focus.
  var state: TerminalState { port.model.state }

  /// The name of the port with the focus.
  var name: String { port.name ?? "the port" }

  // MARK: Observing

  /// Starts to follow the state of a port. The port follows the state of the program.
  func observeState(of presenter: PortPresenter) {
    stateChanges.append(
      presenter.model.$state.observe { [unowned self, unowned presenter] in
        stateDidChange($0, of: presenter)
      })
  }

  /// Starts to follow the devices that are plugged in. Without udev, devices can only be named on
  /// the command line.
  func followDevices() {
    deviceChanges = try? app.devices.observe(on: app.loop) { [unowned self] _ in updateProgram() }
    updateProgram()
  }

  /// Ends the observation of the ports, which will be closed.
  func stop() { stateChanges = [] }

  private func stateDidChange(_ change: Change<TerminalState>, of presenter: PortPresenter) {
    if change.old.session.endpoint != change.new.session.endpoint { updateProgram() }
    guard presenter === port else { return }
    shareSettings(change)
    changes.notify(change)
  }

  /// Copies a change of the screen or keyboard settings to all ports, which share them.
  private func shareSettings(_ change: Change<TerminalState>) {
    let changed = SessionSettings.sharedParts.filter { $0.isChanged(change) }
    guard !changed.isEmpty else { return }
    for other in ports where other !== port {
      other.model.update { for part in changed { part.copy(change.new, &$0) } }
    }
  }

  private func updateProgram() {
    program = ProgramState(
      ports: ports.compactMap(\.name), focus: port.name,
      sendsToAll: sendsToAll, devices: app.devices.devices.filter(\.hasHardware),
      nodes: Set(ports.compactMap { $0.model.state.session.endpoint?.path }))
  }

  // MARK: The focus

  /// Moves the focus to another port.
  ///
  /// - Parameter name: the port's name; nil for the next one.
  func move(to name: String?) {
    let index = ports.firstIndex { $0 === port } ?? 0
    let next = name.flatMap { name in ports.first { $0.name == name } }
    move(to: next ?? ports[(index + 1) % ports.count])
  }

  private func move(to next: PortPresenter) {
    let old = state
    merged?.focus = ports.firstIndex { $0 === next } ?? 0
    port = next
    updateProgram()
    changes.notify(Change(from: old, to: state))
  }

  /// Sends typed bytes to all ports, or again to one.
  func toggleSendToAll() {
    sendsToAll.toggle()
    updateProgram()
  }

  // MARK: Several ports

  /// Shows several ports line by line, each with its name.
  func mergeIfNeeded() {
    guard ports.count > 1 else { return }
    let screen = merged ?? MergedScreen(on: app.console, loop: app.loop)
    merged = screen
    let names = PortNames(of: ports.map(\.configuration)).names
    let labels = zip(ports, names).map { port, name in
      port.configuration.lineDirection.map { "\(name) \($0.arrow)" } ?? name
    }
    for (port, place) in zip(ports, screen.places(named: labels)) { port.view.place = place }
    for (port, name) in zip(ports, names) { port.port.name = name }
    screen.focus = ports.firstIndex { $0 === port } ?? 0
    updateProgram()
  }

  /// Shows the unfinished lines.
  func finishLines() { merged?.finish() }

  /// Returns the configuration of an additional port.
  ///
  /// - Throws: ``Failure`` if the configuration file has a mistake.
  func configuration(ofAdditional endpoint: Endpoint) throws(Failure) -> ConnectConfiguration {
    do {
      let additional = try configurationOfAdditional?(endpoint) ?? port.configuration
      return additional.additional(
        at: endpoint, sharing: app.sharedLogs?.names ?? [],
        without: ports.flatMap(\.configuration.session.log.files))
    } catch {
      throw error as? Failure ?? Failure(.otherFailure, "\(endpoint): \(error).")
    }
  }

  /// Adds a port that was bound to its device. ``moveToLast()`` gives it the focus.
  func add(_ presenter: PortPresenter) {
    ports.append(presenter)
    presenter.model.followFocus(self)
  }

  /// Moves the focus to the port that was added last.
  func moveToLast() { move(to: ports[ports.count - 1]) }

  /// Handles the end of a port. The others continue. The program ends with the last one, and the
  /// first failure counts.
  func portEnded(_ presenter: PortPresenter, _ outcome: Result<ExitStatus, Failure>) {
    presenter.outcome = presenter.outcome ?? outcome
    let failure = ports.lazy.compactMap(\.outcome).first {
      if case .failure = $0 { true } else { false }
    }
    guard ports.contains(where: { $0.outcome == nil }) else {
      return app.finish(failure ?? outcome)
    }
    if case .failure(let failure) = outcome {
      app.console.warn(presenter.port.named(failure.message))
    }
    presenter.controller.sending.discardUnsent()
    presenter.session.close()
    guard presenter === port, let next = ports.first(where: { $0.outcome == nil }) else { return }
    move(to: next)
    app.console.say("what you type goes to \(name).")
  }
}
