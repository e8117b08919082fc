import DeviceWatch
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TextTools

/// Answers what the sessions ask, and asks the user what only the user knows: whether a session may
/// close during a transfer, and which device has returned.
final class SessionQuestions: SessionControllerDelegate {
  /// Whether the open question is whether to quit before a file, a script or a program has ended.
  private(set) var isAskingToQuit = false
  /// The port that the open question about a returned device belongs to.
  private var portAskedFor: PortPresenter?

  private let app: App
  private let focus: PortFocus
  private let keyboard: Keyboard
  private var dialogs: Dialogs { keyboard.dialogs }
  /// Ends the program, although that cuts something off.
  private let leave: () -> Void

  init(
    with keyboard: Keyboard, at focus: PortFocus, in app: App, leave: @escaping () -> Void
  ) {
    (self.keyboard, self.focus, self.app, self.leave) = (keyboard, focus, app, leave)
  }

  private func model(of session: Session) -> TerminalStateModel? {
    app.ports.first { $0.session === session }?.model
  }

  // MARK: Closing and releasing

  func sessionShouldRelease(_ session: Session) -> Bool {
    model(of: session)?.state.exchange == nil
  }

  /// Asks the user before a file, a script or a program is cut off. After a signal,
  /// nothing is asked.
  func sessionShouldClose(_ session: Session) -> Bool {
    guard let model = model(of: session), let exchange = model.state.exchange, app.outcome == nil
    else { return true }
    askWhetherToCut(exchange, model)
    return false
  }

  /// Asks whether to leave before an exchange has ended.
  private func askWhetherToCut(_ exchange: Author, _ model: TerminalStateModel) {
    dialogs.ask(
      Question(
        title: "leave before \(exchange.completion.harmless)",
        choices: { [unowned model] _ in
          let progress = model.state.progress.map { "\($0)" } ?? ""
          let isPlain = if case .bytes = model.state.progress { true } else { false }
          let detail = isPlain ? "\(progress) sent" : progress
          return [
            Choice(
              id: false, title: exchange.continuation, synonyms: ["stay"], detail: detail),
            Choice(id: true, title: "leave now", synonyms: ["leave"]),
          ]
        },
        onAnswer: { [unowned self] leaves in
          if leaves { leave() }
        },
        onEnd: { [unowned self] in isAskingToQuit = false }))
    isAskingToQuit = true
  }

  /// Closes the question whether to leave, because the exchange has ended.
  func exchangeDidEnd() {
    if isAskingToQuit { dialogs.dismiss() }
  }

  func reasonNotToRelease(portOf session: Session) -> String? {
    app.ports.first { $0.session === session }?.reasonNotToRelease
  }

  // MARK: The configuration and the input

  func dependsOnDevice(_ session: Session) -> Bool {
    presenter(of: session)?.dependsOnDevice ?? false
  }

  func session(_ session: Session, didFind device: Device) throws {
    try presenter(of: session)?.didFind(device)
  }

  private func presenter(of session: Session) -> PortPresenter? {
    focus.ports.first { $0.session === session }
  }

  /// The input is for the first port.
  func unreadInputCount(of session: Session) -> Int {
    session === focus.ports[0].session ? keyboard.input.unreadCount : 0
  }

  // MARK: A lost device

  /// Asks the user which device is the session's. The first answer is "none", because the user may
  /// have pressed a key for something else.
  ///
  /// - Parameter question: nil if the device was found, or if there are no candidates left.
  func ask(_ question: SessionDevice.ReturnQuestion?, about port: PortPresenter) {
    guard let question else {
      if portAskedFor === port { dialogs.dismiss() }
      return
    }
    let device = port.controller.device
    dialogs.ask(
      Question(
        title: port.port.named(question.title),
        choices: { [unowned device] _ in
          [Choice<Target?>(id: nil, title: "none, keep waiting")]
            + (device.candidates.isEmpty ? [] : DeviceChooser.choices(device.candidates))
        },
        onAnswer: { [unowned device] target in
          if case .endpoint(let endpoint) = target { device.choose(endpoint) }
        },
        onEnd: { [unowned self] in portAskedFor = nil }))
    // Set last: the question may have replaced another one, which ended just now.
    portAskedFor = port
  }
}

extension SessionDevice.ReturnQuestion {
  fileprivate var title: String {
    switch self {
    case .which: "which one is the lost device?"
    case .isThisIt: "is this the lost device?"
    }
  }
}
