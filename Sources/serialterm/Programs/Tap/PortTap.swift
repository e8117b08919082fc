import EventLoop
import Observing
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextStages
import TextTools

/// Joins the two ports of a user interface, and says what could not be forwarded.
///
/// Both ports are shown with the same settings of the view, each with its own direction.
final class PortTap {
  /// How the two ports are joined.
  struct Rules {
    /// The pseudo-terminal in place of the second port; nil for two ports.
    let terminal: TapTerminal?
    let isPassive: Bool
    let onLoss: PortJunction.LossRule
    /// The words of the command, for `copy-settings`.
    let words: [String]
  }

  private let focus: PortFocus
  private let app: App
  private let junction: PortJunction
  private let rules: Rules
  private var observations: [AnyObject] = []

  /// Joins the ports. Call it before they are opened.
  init(_ rules: Rules, of focus: PortFocus, _ leaving: Leaving, in app: App) {
    (self.rules, self.focus, self.app) = (rules, focus, app)
    junction = PortJunction(
      PortJunction.Port(focus.ports[0].controller),
      PortJunction.Port(focus.ports[1].controller, rules.terminal),
      isPassive: rules.isPassive, onLoss: rules.onLoss, on: app.loop)
    observations = [
      junction.news.observe { [unowned self] in report($0) },
      leaving.$isLeaving.observe { [unowned self] in if $0.new { stop() } },
      focus.changes.observe { [unowned self] in shareView(of: $0.new) },
    ]
    for port in focus.ports { port.model.update { $0.tapWords = rules.words } }
  }

  /// Says how the ports are joined.
  func greet() {
    let names = focus.ports.map { $0.name ?? "" }
    app.console.say(
      rules.isPassive
        ? "\(names[0]) → and \(names[1]) ← are shown; nothing is sent to either."
        : "\(names[0]) → ← \(names[1]): what one sends goes to the other.")
  }

  /// Stops to read the ports.
  func stop() { junction.stop() }

  private func shareView(of state: TerminalState) {
    for port in focus.ports where port !== focus.port {
      var view = state.view
      view.lineDirection = port.configuration.lineDirection
      if view != port.model.state.view { port.model.update { $0.view = view } }
    }
  }

  private func name(_ side: PortJunction.Side) -> String {
    focus.ports[side.rawValue].name ?? "the port"
  }

  private func report(_ news: PortJunction.News) {
    switch news {
    case .notForwarded(let feature, let side):
      let what =
        switch feature {
        case .settings: "no line settings: those of \(name(side.other)) are"
        case .modemLines: "no modem lines: changes of \(name(side.other)) are"
        case .breaks: "no break: those of \(name(side.other)) are"
        }
      app.console.say("\(name(side)) has \(what) not forwarded.")
    case .settingsRefused(let error, let side):
      app.console.say("\(name(side)): \(Failure(error).message)")
    case .settingsForwarded(let settings, let side):
      app.console.say("\(name(side)): now \(settings), as at \(name(side.other)).")
    case .stray(let count, let side):
      app.console.say(
        "\(count.bytesWere) received from \(name(side)) while \(name(side.other)) was away, and "
          + "went nowhere.")
    case .ended(let side):
      app.finish(.failure(Failure(.deviceLost, "\(name(side)) is gone.")))
    case .linkLost(let path, let node):
      app.console.say(
        "\(path.string.harmless) no longer leads to this tap, and is left alone. Programs can open "
          + "\(node).")
    case .terminalFailed(let error):
      app.finish(.failure(Failure(error)))
    }
  }
}

extension Direction {
  /// The arrow of what one side of a tap sends.
  var arrow: String {
    switch self {
    case .toDevice: TerminalCharacters.areASCII ? ">" : "→"
    case .fromDevice: TerminalCharacters.areASCII ? "<" : "←"
    }
  }
}
