import EventLoop
import Observing
import Options
import SerialCore
import Sessions
import Terminal
import TerminalWidgets

/// Looks for what the user of a port should know, and says it: errors of the line, a device that
/// accepts nothing, a wrong rate, offers of files.
final class PortWatches {
  private let port: Port
  private let console: Console
  private let loop: IOLoop
  private let lineWatch: ModemLineWatch
  private let counterWatch: CounterWatch
  private let errorReport: LineErrorReport
  private let holdDetector: HoldDetector
  private let rateWatch: WrongRateWatch
  /// Looks for offers of files; nil while offers are not reported.
  private var offerWatch: OfferWatch?
  /// The key before the key of a command.
  private var prefix = PrefixKey.none
  private var observations: [AnyObject] = []

  init(of port: Port, on console: Console, loop: IOLoop) {
    (self.port, self.console, self.loop) = (port, console, loop)
    let session = port.session
    lineWatch = ModemLineWatch(session, on: loop)
    counterWatch = CounterWatch(session, on: loop)
    errorReport = LineErrorReport(session, on: loop) { [unowned port] in console.say(port.named($0))
    }
    holdDetector = HoldDetector(session, on: loop)
    rateWatch = WrongRateWatch(session, port.controller.hub, on: loop)
    port.model.followHoldDetector(holdDetector)
  }

  /// Applies a configuration.
  func adopt(_ configuration: ConnectConfiguration) {
    errorReport.marksErrors = configuration.session.linkOptions.marksErrors
    prefix = configuration.values[KeyboardParameters.prefix]
  }

  /// Starts to say what is found.
  func start() {
    observations = [
      holdDetector.$acceptance.observe { [unowned self] in sayAcceptance($0.new) },
      rateWatch.$looksWrong.observe { [unowned self] in if $0.new { sayWrongRate() } },
    ]
  }

  /// Starts to look for offers of files. Offers are not reported between pipes, which must be fast.
  func lookForOffers() {
    guard offerWatch == nil else { return }
    let watch = OfferWatch(port.session, port.controller.hub, on: loop)
    port.model.followOffers(watch)
    offerWatch = watch
  }

  /// Looks for what is possible in a state.
  func stateDidChange(to state: TerminalState) {
    lineWatch.isWatched = state.showsLines
    rateWatch.isOn = state.canHaveWrongRate
  }

  private func say(_ text: String) { console.say(port.named(text)) }

  private func sayWrongRate() {
    let key = LineParameters.baud.command.key
    let advice =
      prefix == .none ? "--baud sets another one." : "\(prefix) \(key ?? " ") changes it."
    say("This looks like a wrong baud rate. \(advice)")
  }

  private func sayAcceptance(_ acceptance: HoldDetector.Acceptance) {
    switch acceptance {
    case .held: say("held by the device: it accepts no bytes.")
    case .resumed: say("the device accepts bytes again.")
    case .unknown: break
    }
  }

  /// Reports the errors that were not reported yet.
  func finish() { errorReport.finish() }
}

extension TerminalState {
  /// Whether the rate can be wrong, and a user sees the received bytes as text. A pseudo-terminal
  /// has no rate and no counters, and the bytes for a file, a script or a filter need not be text.
  fileprivate var canHaveWrongRate: Bool {
    session.isOpen && capabilities.contains(.settings)
      && (!capabilities.contains(.backPressure) || capabilities.contains(.counters))
      && screen != .none && !view.isHex && !view.isRaw && !isFiltering && exchange == nil
  }
}
