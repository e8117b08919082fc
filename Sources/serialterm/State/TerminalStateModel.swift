import Observing
import Scrollback
import SerialCore
import Sessions

/// The observed state of one port: it follows those who know its parts, and announces its changes
/// with the old and the new state.
///
/// This file is the only one that says who determines which part. The parts that it does not bind
/// are settings: commands, and the configuration before them, change them by ``update(_:)``. So do
/// exchanges with their ``TerminalState/progress``, and ``TextRepetition``.
final class TerminalStateModel {
  @Observed private(set) var state: TerminalState
  private var observations: [AnyObject] = []

  init(_ state: TerminalState) { _state = Observed(wrappedValue: state) }

  /// Changes parts of the state that no other object determines.
  func update(_ change: (inout TerminalState) -> Void) { _state.update(change) }

  // MARK: Who determines which part

  /// Follows a session with what belongs to it.
  func followController(_ controller: SessionController) {
    followSession(controller.session)
    _state.bind(\.playing, to: controller.sequences.$playing)
    _state.bind(\.log, to: controller.log.$path)
    _state.bind(\.ownLog, to: controller.log.$ownPath)
    _state.bind(\.sharing, to: controller.userSharing.$sharing)
  }

  /// Follows a session alone.
  func followSession(_ session: Session) {
    observations += [
      session.observe(.stateChange, rank: .state) { [unowned self, unowned session] change in
        update {
          $0.session = change.new
          $0.requestedSettings = session.requestedSettings
          $0.capabilities = session.capabilities
          $0.modemLines = session.modemLines
          $0.exchange = session.exchange
        }
      },
      session.observe(.modemLinesChange, rank: .state) { [unowned self] change in
        update { $0.modemLines = change.new }
      },
      session.observe(.capabilitiesChange, rank: .state) { [unowned self, unowned session] in
        let (capabilities, lines) = ($0.new, session.modemLines)
        update { ($0.capabilities, $0.modemLines) = (capabilities, lines) }
      },
      session.observe(.penChange, rank: .state) { [unowned self, unowned session] _ in
        update { ($0.exchange, $0.progress) = (session.exchange, nil) }
      },
    ]
  }

  /// Follows what shows a port to a user.
  func followFilter(_ filter: FilterController, scrollback: Observed<Scrollback?>.Projection) {
    _state.bind(\.isFiltering, to: filter.$isOn)
    _state.bind(\.keepsScrollback, to: scrollback) { $0 != nil }
  }

  /// Follows whether the device accepts bytes.
  func followHoldDetector(_ holdDetector: HoldDetector) {
    _state.bind(\.isHeld, to: holdDetector.$acceptance) { $0 == .held }
  }

  /// Follows the page for browsers.
  func followPage(_ page: BrowserPage) { _state.bind(\.pageLink, to: page.$link) }

  /// Follows what the device offers.
  func followOffers(_ offers: OfferWatch) { _state.bind(\.offer, to: offers.$offer) }

  /// Follows the plot.
  func followPlot(_ plot: PlotController) { _state.bind(\.showsPlot, to: plot.$isShown) }

  /// Follows the program: its ports, and the devices that are plugged in.
  func followFocus(_ focus: PortFocus) { _state.bind(\.program, to: focus.$program) }
}

extension Session {
  /// The author that has the pen, if that is not the owner.
  fileprivate var exchange: Author? { writer == owner ? nil : writer }
}
