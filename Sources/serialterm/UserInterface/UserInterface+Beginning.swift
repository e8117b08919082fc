import EventLoop
import Glibc
import SerialCore
import Sessions
import SystemPackage
import Terminal

/// The start of a session.
extension UserInterface {
  /// Asks the user for a device, and opens it.
  ///
  /// - Returns: whether the user chose one.
  func choose(for query: DeviceQuery, of port: PortPresenter) throws -> Bool {
    let chooser = try DeviceChooser(
      for: query, among: app.devices, on: dialogs, loop: loop)
    if chooser.isWithoutDevices {
      console.say("no device is there yet. Plug one in, and it is listed here.")
      console.say("Is one plugged in? 'serialterm doctor' says why it is not listed.")
    } else if query == .latest {
      console.say("no USB or other hot-pluggable device is present. Other ports:")
    }
    while chooser.isUndecided && outcome == nil {
      chooser.ask()
      try loop.turn()
    }
    guard outcome == nil, let target = chooser.target else { return false }
    try port.port.bind(toChosen: target)
    return true
  }

  /// Starts to read a pipe that joins a session, when that session has reported whether the pipe may write.
  func startPipeOfViewer() {
    let sharing = model.state.sharing
    guard sharing.isJoined, !sharing.isJoining else { return }
    if takesPenAtOnce, sharing.mayTake {
      switch sharing.pen {
      case .free, .others: return
      case .mine, .everybodys, .nobodys: break
      }
    }
    startPipe()
  }

  /// Starts to read standard input that has waited for a script, or for the session that it joins. Does nothing on a
  /// terminal, or if reading has already begun.
  func startPipe() {
    guard terminal == nil, outcome == nil, !hasStartedPipe else { return }
    hasStartedPipe = true
    do throws(Errno) {
      try input.start(on: loop)
    } catch {
      finish(.failure(Failure(inputFailed: error)))
    }
  }

  /// How to quit and to list the commands, as text.
  var keysInWords: String {
    let (prefix, escape) = (input.prefix, input.escape)
    return switch (prefix, escape) {
    case (.none, .none): "No key quits: 'kill \(getpid())' does."
    case (.none, .character): "\(escape). quits, \(escape)? for help."
    case (.control, .none): "\(prefix) q quits, \(prefix) ? for help."
    case (.control, .character): "\(prefix) q or \(escape). quits, \(prefix) ? for help."
    }
  }

  /// Prints the first line of the session.
  func greet() {
    for port in ports { port.port.narrator.greet(port.controller.session) }
    if ports.count > 1 && terminal != nil && input.prefix != .none {
      console.say(
        "\(ports.count) ports. You type to \(focus.name ?? ""); "
          + "\(input.prefix) \(Command.nextPort.key ?? " ") switches to the next one.")
    }
    sayWhatCannotBeDrawn()
  }

  /// Warns that a terminal that can only print shows neither the edited line nor the status line.
  private func sayWhatCannotBeDrawn() {
    guard model.state.screen == .printing, let reason = Need.drawing.unmet(in: model.state) else {
      return
    }
    let asked = [
      (Command.lineInput, configuration.editsLines), (.statusLine, configuration.showsStatus),
    ]
    for (command, isAsked) in asked where isAsked {
      console.say("\(command.name) is not available: \(reason).")
    }
  }
}
