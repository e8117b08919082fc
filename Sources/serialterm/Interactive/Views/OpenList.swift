import Observing
import Terminal

/// Keeps the open list up to date: it is drawn again when the state of a port changes, at once
/// unless only the progress of an exchange has changed, which is drawn ten times a second at most.
final class OpenList {
  private let dialogs: Dialogs
  private var stateChanges: [ObservationToken<Change<TerminalState>>] = []

  init(in dialogs: Dialogs) { self.dialogs = dialogs }

  /// Starts to follow the state of a port.
  func observeState(of model: TerminalStateModel) {
    stateChanges.append(
      model.$state.observe { [unowned self] in dialogs.refresh(isUrgent: !$0.isProgress) })
  }

  /// Ends the observation of the ports, which will be closed.
  func stop() { stateChanges = [] }
}

extension Change<TerminalState> {
  /// Whether only the progress of an exchange has changed.
  fileprivate var isProgress: Bool {
    guard old.progress != nil, new.progress != nil else { return false }
    var old = old
    old.progress = new.progress
    return old == new
  }
}
