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
  private var configurations: [AnyObject] = []

  /// Reads the choice. A file that cannot be read is no choice.
  ///
  /// - Parameter folder: the state folder of the user; nil to remember nothing.
  init(in folder: FilePath?) {
    file = HistoryFile(of: .statusLine, in: folder)
    switch file.load().lines.last {
    case "on": isOn = true
    case "off": isOn = false
    default: isOn = nil
    }
  }

  /// Applies the choice to a port, and again when its device becomes known and has a profile.
  func follow(_ port: PortPresenter) {
    configurations.append(
      port.$configuration.observe { [unowned self, unowned port] _ in apply(to: port) })
    apply(to: port)
  }

  private func apply(to port: PortPresenter) {
    let (parameters, keys) = (port.configuration.values.all, port.configuration.profile.keys)
    let name = ViewParameters.status.declaration.name
    // `status = false` is only among the keys.
    let isSaid =
      parameters[name] != nil || parameters.switchedOff.contains(name) || keys.contains(name)
    guard let isOn, !isSaid else { return }
    port.model.update { $0.showsStatus = isOn && Need.drawing.unmet(in: $0) == nil }
  }

  /// Keeps what the user has chosen for this session and later ones.
  func remember(_ isOn: Bool) {
    self.isOn = isOn
    file.append(isOn ? "on" : "off")
  }
}
