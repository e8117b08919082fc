import EventLoop
import Glibc
import SerialCore
import SystemPackage

/// How a session comes about.
extension ConnectController {
  /// Lets the user choose a device, and opens it.
  ///
  /// - Returns: whether one was chosen.
  func choose(for query: DeviceQuery) throws -> Bool {
    let chooser = try DeviceChooser(
      for: query, among: try parts.binder.startedDevices(), on: dialogs, loop: loop)
    if chooser.isWithoutDevices {
      console.say("no device is there yet. Plug one in, and it is listed here.")
      console.say("Is one plugged in? 'serialterm doctor' says why it is not listed.")
    }
    while chooser.isUndecided && outcome == nil {
      chooser.ask()
      try loop.turn()
    }
    guard outcome == nil, let target = chooser.target else { return false }
    try parts.bind(toChosen: target)
    return true
  }

  /// How to quit, and to see more.
  var keysInWords: String {
    let prefix = configuration.prefix
    return prefix == .none
      ? "No key quits: 'kill \(getpid())' does."
      : "\(prefix) q quits, \(prefix) ? for help."
  }

  func greet() {
    narrator.warnOfDifferences(in: session)
    let keys = keysInWords
    switch session.state {
    case .open(let path, let settings):
      let name = parts.binder.simulationName ?? path.string
      if terminal != nil { console.say("\(name) at \(settings). \(keys)") }
    case .waitingForDevice(let path, _):
      console.say("waiting for \(path).\(terminal == nil ? "" : " \(keys)")")
    case .closed, .opening, .released: break
    }
    sayWhatCannotBeDrawn()
  }

  /// A terminal that can only print has neither of the lines that can be asked for.
  private func sayWhatCannotBeDrawn() {
    guard model.state.screen == .printing, let reason = Need.drawing.unmet(in: model.state) else {
      return
    }
    let asked = [
      (Command.lineInput, configuration.editsLines), (.statusLine, configuration.showsStatus),
    ]
    for (command, isAsked) in asked where isAsked {
      console.say("\(command.entry.name) is off: \(reason).")
    }
  }
}
