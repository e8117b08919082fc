import DeviceWatch
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets

/// Messages and questions about a lost device.
extension UserInterface {
  /// Asks the user which device is the session's. The first answer is "none", because the user may have pressed a key
  /// for something else.
  ///
  /// - Parameter question: nil if the device was found, or if there are no candidates left.
  func ask(_ question: SessionController.ReturnQuestion?, about port: PortPresenter) {
    guard let question else {
      if portAskedFor === port { dialogs.dismiss() }
      return
    }
    let binder = port.controller.binder
    dialogs.ask(
      Question(
        title: port.port.named(question.title),
        choices: { [unowned binder] _ in
          [Choice<Target?>(id: nil, title: "none, keep waiting")]
            + (binder.candidates.isEmpty ? [] : DeviceChooser.choices(binder.candidates))
        },
        onAnswer: { [unowned binder] target in
          if case .endpoint(let endpoint) = target { binder.choose(endpoint) }
        },
        onEnd: { [unowned self] in portAskedFor = nil }))
    // Set last: the question may have replaced another one, which ended just now.
    portAskedFor = port
  }
}

extension SessionController.ReturnQuestion {
  fileprivate var title: String {
    switch self {
    case .which: "which one is the lost device?"
    case .isThisIt: "is this the lost device?"
    }
  }
}
