import DeviceWatch
import SerialCore
import SessionKit
import SystemPackage
import TerminalUI

/// What the user is shown, and asked, about a lost device.
extension ConnectController {
  /// Asks the user which device is the session's. The first answer is "none", because the user may have
  /// pressed a key for something else.
  ///
  /// - Parameter title: the question; nil when the device was found, or there is none left to choose
  ///   from.
  func askForReturned(_ title: String?) {
    guard let title else {
      if isAskingForReturned { dialogs.dismiss() }
      return
    }
    dialogs.ask(
      Question(
        title: title,
        choices: { [unowned parts] _ in
          [Choice<Target?>(id: nil, title: "none, keep waiting")]
            + (parts.binder.candidates.isEmpty
              ? [] : DeviceChooser.choices(parts.binder.candidates))
        },
        onAnswer: { [unowned self] target in
          if case .endpoint(let endpoint) = target { parts.binder.choose(endpoint) }
        },
        onEnd: { [unowned self] in isAskingForReturned = false }))
    // Set last: the question may have replaced another one, which ended just now.
    isAskingForReturned = true
  }
}
