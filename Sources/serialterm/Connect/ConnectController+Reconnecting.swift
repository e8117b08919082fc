import DeviceWatch
import SerialCore
import SystemPackage
import TerminalUI

/// What the user is shown, and asked, about a lost device.
extension ConnectController {
  func startReconnecting() {
    do throws(Errno) {
      try parts.binder.startReconnecting { [unowned self] in take($0) }
    } catch {
      console.say("cannot watch devices (\(error)): a lost device will not be found again.")
    }
  }

  private func take(_ report: Reconnector.Report) {
    switch report {
    case .held(let error): console.say(error.heldForNow)
    case .refused(let error):
      if parts.binder.endsWhenRefused { return finish(.failure(Failure(error))) }
      console.say(Failure(error).message)
    case .several(let devices):
      if terminal == nil { return finish(.failure(Failure(indistinguishable: devices))) }
      ask("which one is the lost device?")
    case .lookAlikes(let devices):
      console.answer(devices.notTaken)
      if terminal != nil { ask("is this the lost device?") }
    case .settled: takeBackQuestion()
    }
  }

  /// Asks the user which device is the session's. The first answer is "none", because the user may have
  /// pressed a key for something else.
  private func ask(_ title: String) {
    dialogs.ask(
      Question(
        title: title,
        choices: { [unowned parts] _ in
          [Choice<Target?>(id: nil, title: "none, keep waiting")]
            + (parts.binder.candidates.isEmpty
              ? [] : DeviceChooser.choices(parts.binder.candidates))
        },
        onAnswer: { [unowned self] target in
          if case .node(let node) = target { parts.binder.choose(node) }
        },
        onEnd: { [unowned self] in isAskingForReturned = false }))
    // Set last: the question may have replaced another one, which ended just now.
    isAskingForReturned = true
  }

  /// The device was found, or there is none left to choose from.
  private func takeBackQuestion() {
    if isAskingForReturned { dialogs.dismiss() }
  }
}

extension SerialError {
  /// The message about a port that is busy, and waited for.
  var heldForNow: String {
    "waiting for \(endpoint): \(PortProblem.busy(at: endpoint))."
  }
}

extension [Device] {
  /// Why similar devices are not used, in lines.
  var notTaken: [String] {
    ["not used, because it is not certain that it is the lost device:"] + lines
  }
}

extension Failure {
  /// More than one device may be the lost one, and there is no user to ask.
  init(indistinguishable devices: [Device]) {
    let list = devices.lines.joined(separator: "\n")
    self.init(.usage, "more than one device may be the lost device:\n\(list)")
  }
}
