import EventLoop
import NetworkLinks
import Observing
import SerialCore
import Sessions
import Telnet
import Terminal
import TextTools

/// A session with its controller, the observed state that decides which commands are
/// available, and the messages about its events; with or without a user. What a user sees of
/// it is a ``PortPresenter``.
final class Port {
  let controller: SessionController
  /// The observed state, which determines the available commands.
  let model: TerminalStateModel
  let lineCommands: LineCommands
  /// Reports the session's events to the user.
  let narrator: SessionNarrator
  private let console: Console
  /// Accepts clients that join the session.
  let server: PortServer
  /// The page for browsers, if it was opened from this port.
  let page: BrowserPage
  /// Places where clients connect, with a warning if there is one, that were not announced yet.
  private var unannounced: [(place: String, warning: String?)] = []
  private let readOnlyChanges: ObservationToken<Change<TerminalState>>
  private let refusalChanges: ObservationToken<Change<TerminalState>>
  private let serverNews: ObservationToken<PortServer.News>
  private let pageNews: ObservationToken<BrowserPage.News>
  /// Watches the port for the rules of alerts; nil if there are none.
  var alertWatch: AlertWatch?
  /// What is known about addresses in received bytes; nil without ELF files.
  var symbols: PortSymbols?
  /// The answers about addresses, after the logs have them.
  let symbolAnswers = Observable<SymbolWatch.Answer>()

  var session: Session { controller.session }
  var sequences: SequencePlayer { controller.sequences }
  var statistics: Statistics { controller.statistics }
  var lender: PortLender { controller.lender }
  var log: SessionLogger { controller.log }
  var marks: Marks { controller.marks }
  var penControl: any PenControl { controller.userSharing.control }

  /// The port's name in messages that do not name a port themselves; nil while it is the only one.
  var name: String? {
    get { narrator.name }
    set {
      narrator.name = newValue
      log.portName = newValue
    }
  }

  /// Connects a controller with its state and the console.
  ///
  /// - Parameter state: the initial state, without the parts that the session determines.
  init(
    _ controller: SessionController, in state: TerminalState, narrator: SessionNarrator,
    on console: Console, loop: IOLoop
  ) {
    self.controller = controller
    self.console = console
    let model = TerminalStateModel(state)
    self.model = model
    lineCommands = LineCommands(controller.session, model, on: loop)
    self.narrator = narrator
    model.followController(controller)
    // Clients and viewers are refused like the user.
    readOnlyChanges = model.$state.observe { [unowned controller] in
      if $0.old.isReadOnly != $0.new.isReadOnly {
        controller.userSharing.isReadOnly = $0.new.isReadOnly
      }
    }
    // Members are refused with the reasons of this program.
    let sharing = controller.sharing
    sharing.refusals = SharingMessage.Subject.refusals(in: model.state)
    refusalChanges = model.$state.observe { [unowned sharing] in
      sharing.refusals = SharingMessage.Subject.refusals(in: $0.new)
    }
    server = PortServer(
      for: controller,
      program: ServedClient.Program(
        signature: "serialterm \(Serialterm.version)", words: { Failure($0).message }), on: loop)
    controller.server = server
    page = BrowserPage(on: loop)
    model.followPage(page)
    pageNews = page.news.observe { [narrator] in narrator.reportPageNews($0) }
    serverNews = server.news.observe { [narrator] in narrator.reportServerNews($0) }
  }

  /// The reason why the port may not be released now, which the palette gives too; nil if it may.
  var reasonNotToRelease: String? {
    Command.release.needs.unmet(in: model.state)?.text
  }

  // MARK: Sharing

  /// Sets who may write besides the user. Call it before any member joins.
  ///
  /// - Parameters:
  ///   - home: returns the name of the local user of the session; nil if there is none.
  ///   - answers: whether the local user is a person, who can be asked for the pen.
  func share(_ writers: Roster.Rule, home: (() -> MemberName)?, answers: Bool = false) {
    controller.sharing.begin(writers, home: home, answers: answers)
  }

  /// Starts to accept clients at a place. ``announcePlaces()`` prints the place.
  ///
  /// - Throws: ``Failure``.
  func listen(at listenAddress: PortServer.ListenAddress) throws(Failure) {
    let address: String
    do throws(ListeningError) {
      address = try server.listen(at: listenAddress)
    } catch {
      throw Failure(error, listeningAt: listenAddress)
    }
    guard listenAddress.place != .standardStreams else { return }
    let clientProtocol = listenAddress.clientProtocol ?? server.rules.clientProtocol
    unannounced.append(
      (
        "serving at \(address.harmless): \(clientProtocol.rawValue).",
        listenAddress.warning(allowing: server.rules.allowed)
      ))
  }

  /// Opens the page for browsers. ``announcePlaces()`` prints the link.
  ///
  /// - Parameter answer: called once, later.
  func openPage(at place: BrowserPage.Place, answer: @escaping (Result<PageLink, Failure>) -> Void)
  {
    page.open(at: place) { [unowned self] in
      if case .success(let link) = $0 {
        let told = link.words(isKept: console.keepsMessages)
        unannounced.append(("a page for browsers is at \(told)", place.warning))
      }
      answer($0)
    }
  }

  /// Prints where clients connect, and who can reach those places.
  func announcePlaces() {
    for (place, warning) in unannounced {
      console.say(named(place))
      if let warning { console.say(named(warning)) }
    }
    unannounced = []
  }

  /// Applies a configuration. An open port gets the parts that can be changed while it is open.
  func adopt(_ configuration: SessionConfiguration) {
    controller.adopt(configuration)
    server.profileName = configuration.profile
    console.isQuiet = configuration.isQuiet
    model.update {
      $0.requestedSettings = configuration.settings
      $0.reconnects = configuration.reconnects
      $0.sharesLog = configuration.log.isForMembers
    }
  }

  /// Finds the device, and opens it or waits for it; see ``SessionDevice/bind(mayAsk:)``.
  ///
  /// - Throws: ``Failure``.
  func bind(mayAsk: Bool) throws(Failure) -> DeviceQuery? {
    do throws(SessionError) {
      return try controller.device.bind(mayAsk: mayAsk)
    } catch {
      throw Failure(error)
    }
  }

  /// Opens the device that the user has chosen.
  ///
  /// - Throws: ``Failure``.
  func bind(toChosen target: Target) throws(Failure) {
    do throws(SessionError) {
      try controller.device.bind(toChosen: target)
    } catch {
      throw Failure(error)
    }
  }

  /// Starts to report the port's openings and losses to the user.
  func narrate() { narrator.followSession(session) }

  /// Why sending makes no progress, as a phrase. The number of unsent bytes is reported at the end.
  ///
  /// - Parameter namesLine: whether the line that got no answer is named. It may be a password.
  func standstill(_ time: String, namesLine: Bool) -> String {
    guard let line = controller.pacer.awaitedLine else {
      return "the device accepted no bytes \(time)"
    }
    let phrase = "no text matched --wait-for \(time)"
    return namesLine ? "\(phrase) after \(line.words)" : phrase
  }

  /// A message with the name of the port, if it needs one.
  func named(_ message: String) -> String { narrator.named(message) }

  /// The outcome of an error that ends the session. The end of a joined session is not a failure of
  /// this program.
  func outcome(of error: SessionError) -> Result<ExitStatus, Failure> {
    let remote = controller.userSharing.remote
    let hasEnded = remote?.sharing.isJoined == true && remote?.endReason != nil
    return hasEnded ? .success(.done) : .failure(Failure(error))
  }

  /// Returns the outcome of the program with regard to this session: 0 becomes another status if
  /// something was not sent or not logged. Finish the logs first.
  func verdict(on outcome: Result<ExitStatus, Failure>) -> Result<ExitStatus, Failure> {
    // The narrator has already reported what is missing.
    let (sending, unlogged) = (controller.sending, log.missingCount)
    switch outcome {
    case .success(.done):
      let status: ExitStatus =
        sending.hasCutFile
        ? .transferFailed
        : unlogged > 0 ? .logFailed : sending.unsentCount > 0 ? .otherFailure : .done
      return .success(status)
    case .failure(let failure) where sending.hasCutFile && failure.status == .deviceLost:
      return .failure(Failure(.transferFailed, failure.message))
    case .success, .failure: return outcome
    }
  }
}

extension Pace.SentLine {
  /// The maximum number of characters of a line in a message.
  private static let shownLimit = 80

  /// The line in a message: `line 3, 'G28 X'`.
  fileprivate var words: String {
    guard !text.isEmpty else { return "line \(number.grouped), which is empty" }
    let all = String(decoding: text, as: UTF8.self).harmlessLine
    let rest = all.count > Self.shownLimit ? "…" : ""
    return "line \(number.grouped), '\(all.prefix(Self.shownLimit))\(rest)'"
  }
}
