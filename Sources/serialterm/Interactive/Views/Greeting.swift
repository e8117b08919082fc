import Options
import Terminal

/// The first lines that a user sees: the ports, and what this terminal cannot draw.
struct Greeting {
  private let focus: PortFocus
  private let keyboard: Keyboard
  private let console: Console

  init(of focus: PortFocus, for keyboard: Keyboard, on console: Console) {
    (self.focus, self.keyboard, self.console) = (focus, keyboard, console)
  }

  /// Prints the lines.
  func say() {
    for port in focus.ports { port.port.narrator.greet(port.session) }
    if focus.ports.count > 1 && !focus.state.isTapped && keyboard.terminal != nil
      && keyboard.keys.prefix != .none
    {
      console.say(
        "\(focus.ports.count) ports. You type to \(focus.port.name ?? ""); "
          + "\(keyboard.keys.name(of: .nextPort) ?? "") switches to the next one.")
    }
    sayWhatCannotBeDrawn()
  }

  /// Warns that a terminal that can only print shows neither the edited line nor the status line.
  private func sayWhatCannotBeDrawn() {
    let state = focus.state
    guard state.screen == .printing, let reason = Need.drawing.unmet(in: state) else { return }
    let values = focus.port.configuration.values
    let asked = [
      (KeyboardParameters.inputMode.command, values[KeyboardParameters.inputMode] == .line),
      (ViewParameters.status.command, values[ViewParameters.status]),
    ]
    for (command, isAsked) in asked where isAsked {
      console.say("\(command.name) is not available: \(reason).")
    }
  }
}
