import DeviceWatch
import SerialCore
import SystemPackage
import TerminalUI

/// What the user hears of a device that is to come back, and decides.
extension ConnectController {
  func startReconnecting() {
    do throws(Errno) {
      try parts.binder.startReconnecting { [unowned self] in take($0) }
    } catch {
      console.say("devices cannot be watched (\(error)): a lost one will not be found again.")
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
      ask("which is the one that has gone?")
    case .lookAlikes(let devices):
      console.answer(devices.notTaken)
      if terminal != nil { ask("is it the one that has gone?") }
    case .settled: takeBackQuestion()
    }
  }

  /// Lets the user say which device is the session's. The first answer, which may be given by a key
  /// that was meant for something else, is none.
  private func ask(_ title: String) {
    dialogs.ask(
      Question(
        title: title,
        choices: { [unowned parts] _ in
          [Choice(id: "", title: "none, keep waiting")]
            + (parts.binder.candidates.isEmpty
              ? [] : DeviceChooser.choices(parts.binder.candidates))
        },
        onAnswer: { [unowned self] in parts.binder.choose(FilePath($0)) },
        onEnd: { [unowned self] in isAskingForReturned = false }))
    // Not before: it may have taken the place of the one before it.
    isAskingForReturned = true
  }

  /// The device has come by itself, or none is left to choose from.
  private func takeBackQuestion() {
    if isAskingForReturned { dialogs.dismiss() }
  }
}

extension SerialError {
  /// Says who has a port that is waited for.
  var heldForNow: String {
    "waiting for \(path): \(PortProblem.busy(at: path))."
  }
}

extension [Device] {
  /// Why look-alikes are left alone, in lines.
  var notTaken: [String] {
    ["not taken, because nothing tells whether it is the one that has gone:"] + lines
  }
}

extension Failure {
  /// More than one device may be the one that has gone, and there is nobody to ask.
  init(indistinguishable devices: [Device]) {
    let list = devices.lines.joined(separator: "\n")
    self.init(.usage, "more than one device may be the one that has gone:\n\(list)")
  }
}
