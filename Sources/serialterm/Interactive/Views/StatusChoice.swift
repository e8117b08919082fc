import Observing
import Options
import SystemPackage
import Terminal
import TerminalWidgets

/// Remembers whether the user wants the status line. A session begins with what was chosen last, in
/// any session, unless the command line or the configuration says it.
final class StatusChoice {
  private var file: HistoryFile
  private var isOn: Bool?
  private let focus: PortFocus
  private var configurations: [AnyObject] = []

  /// Reads the choice. A file that cannot be read is no choice.
  ///
  /// - Parameter folder: the state folder of the user; nil to remember nothing.
  init(of focus: PortFocus, in folder: FilePath?) {
    self.focus = focus
    file = HistoryFile(of: .statusLine, in: folder)
    switch file.load().lines.last {
    case "on": isOn = true
    case "off": isOn = false
    default: isOn = nil
    }
  }

  /// Applies the choice to all ports, and again when a device becomes known and has a profile.
  func begin() {
    configurations = focus.ports.map { port in
      port.$configuration.observe { [unowned self] _ in apply() }
    }
    apply()
  }

  /// The ports have one line, so that one of them decides for all.
  private func apply() {
    guard let isOn, !focus.ports.contains(where: Self.isSaid) else { return }
    for port in focus.ports {
      port.model.update { $0.showsStatus = isOn && Need.drawing.unmet(in: $0) == nil }
    }
  }

  /// Whether the command line or the configuration of a port says it.
  private static func isSaid(of port: PortPresenter) -> Bool {
    let (parameters, keys) = (port.configuration.values.all, port.configuration.profile.keys)
    let name = ViewParameters.status.declaration.name
    // `status = false` is only among the keys.
    return parameters[name] != nil || parameters.switchedOff.contains(name) || keys.contains(name)
  }

  /// Keeps what the user has chosen for this session and later ones.
  func remember(_ isOn: Bool) {
    self.isOn = isOn
    // Another session may have chosen since: a line that is the last one is not written again.
    _ = file.load()
    file.append(isOn ? "on" : "off")
  }
}
