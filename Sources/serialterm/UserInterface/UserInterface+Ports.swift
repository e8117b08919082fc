import DeviceWatch
import EventLoop
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal

/// Several ports: the focus, and the end of each.
extension UserInterface {
  /// Shows several ports line by line, each with its name.
  func mergeIfNeeded() {
    guard ports.count > 1 else { return }
    let screen = merged ?? MergedScreen(on: console, loop: loop)
    merged = screen
    let names = PortNames(of: ports.map(\.configuration)).names
    for (port, place) in zip(ports, screen.places(named: names)) { port.view.place = place }
    for (port, name) in zip(ports, names) { port.port.name = name }
    screen.focus = ports.firstIndex { $0 === focus } ?? 0
    tellPorts()
  }

  /// Shows the unfinished lines.
  func finishLines() { merged?.finish() }

  /// Updates the state of every port about the other ports and the plugged-in devices.
  func tellPorts() {
    let program = ProgramState(
      ports: ports.compactMap(\.name), focus: focus.name,
      sendsToAll: sendsToAll, devices: app.devices.devices.filter(\.hasHardware),
      nodes: Set(ports.compactMap { $0.model.state.session.endpoint?.path }))
    for port in ports { port.model.update { $0.program = program } }
  }

  // MARK: The keyboard

  var focusName: String { focus.name ?? "the port" }

  func moveFocus(to name: String?) {
    let index = ports.firstIndex { $0 === focus } ?? 0
    let next = name.flatMap { name in ports.first { $0.name == name } }
    focus = next ?? ports[(index + 1) % ports.count]
  }

  func toggleSendToAll() { sendsToAll.toggle() }

  /// Sends the bytes for the focused port to the other ports too. These do not hold the keyboard back.
  func sendToOthers(_ bytes: UnsafeRawBufferPointer) {
    for port in ports where port !== focus {
      do throws(SerialError) {
        if let reason = Need.toSend.unmet(in: port.model.state) {
          refusals.add(bytes.count, because: port.port.named(reason))
        } else {
          try port.controller.session.write(bytes.bytes, by: .keyboard)
        }
      } catch {
        refusals.add(bytes.count, because: port.port.named("the queue is full"))
      }
    }
  }

  // MARK: Adding and removing ports

  private func configuration(ofFurther endpoint: Endpoint) throws(Failure) -> ConnectConfiguration {
    do {
      let further = try configurationOfFurther?(endpoint) ?? configuration
      return further.further(
        at: endpoint, sharing: app.sharedLogs?.names ?? [],
        without: ports.flatMap(\.configuration.session.log.files))
    } catch {
      throw error as? Failure ?? Failure(.otherFailure, "\(endpoint): \(error).")
    }
  }

  func connect(to endpoint: Endpoint) throws(Failure) {
    let port = PortPresenter(
      try configuration(ofFurther: endpoint), forDevice: nil, in: app, isTyped: true)
    // The name in shared logs.
    port.port.name = PortNames(of: (ports + [port]).map(\.configuration)).names.last
    do {
      connect(port)
      _ = try port.bind()
    } catch {
      app.remove(port.port)
      throw error as? Failure ?? Failure(.otherFailure, "\(endpoint): \(error).")
    }
    ports.append(port)
    start(port)
    mergeIfNeeded()
    reconnect(port)
    focus = port
    port.port.narrator.greet(port.controller.session)
  }

  /// Handles the end of a port. The others continue. The program ends with the last one, and the first failure
  /// counts.
  func portEnded(_ port: PortPresenter, _ outcome: Result<ExitStatus, Failure>) {
    port.outcome = port.outcome ?? outcome
    let failure = ports.lazy.compactMap(\.outcome).first {
      if case .failure = $0 { true } else { false }
    }
    guard ports.contains(where: { $0.outcome == nil }) else { return finish(failure ?? outcome) }
    if case .failure(let failure) = outcome { console.warn(port.port.named(failure.message)) }
    port.controller.discardUnsent()
    port.controller.session.close()
    guard port === focus, let next = ports.first(where: { $0.outcome == nil }) else { return }
    focus = next
    console.say("what you type goes to \(focusName).")
  }
}
