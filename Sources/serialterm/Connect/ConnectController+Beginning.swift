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
      for: query, among: try binder.startedDevices(), on: dialogs, loop: loop)
    while chooser.isUndecided && outcome == nil {
      chooser.ask()
      try loop.turn()
    }
    guard outcome == nil, let target = chooser.target else { return false }
    _ = try binder.bind(to: target, mayAsk: false)
    return true
  }

  /// Opens the logs when the device is there: a failed attempt leaves no file behind.
  func openLogs() throws(Failure) {
    try log.start(for: session.state)
    model.update { $0.log = log.path }
  }

  func greet() {
    narrator.warnOfDifferences(in: session)
    let prefix = configuration.prefix
    let keys =
      prefix == .none
      ? "No key quits: 'kill \(getpid())' does."
      : "\(prefix) q quits, \(prefix) ? for help."
    switch session.state {
    case .open(let path, let settings):
      let name = configuration.target?.simulationName ?? path.string
      if terminal != nil { console.say("\(name) at \(settings). \(keys)") }
    case .waitingForDevice(let path, _):
      console.say("waiting for \(path).\(terminal == nil ? "" : " \(keys)")")
    case .closed, .opening, .released: break
    }
  }
}
