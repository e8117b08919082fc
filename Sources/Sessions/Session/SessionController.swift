package import Encodings
package import EventLoop
import Framing
import Logs
package import Observing
package import Reconnecting
package import SerialCore
import Telnet

/// A session and its collaborators: the hub that its bytes pass through, its device, what it sends,
/// its logs, its members, the programs that borrow its port. Any front end can use it.
///
/// The configuration can change once: when the device becomes known and has a profile.
/// ``adopt(_:)`` applies the first configuration and the changed one.
package final class SessionController {
  package let session: Session
  package let hub: Hub
  /// Objects that only have to stay alive.
  private var observations: [AnyObject] = []
  package let device: SessionDevice
  package let sending: Sending
  package let log: SessionLogger
  package let marks: Marks
  package let statistics: Statistics
  package let lender: PortLender
  package let pacer: Pacer
  package let sequences: SequencePlayer
  package let opening: OpeningSequence
  /// The members of the session.
  package let sharing: SharingController
  /// Accepts clients that join the session; nil if none can join.
  package var server: PortServer?
  /// The members of the session as the user sees them, here and at the far end.
  package let userSharing: UserSharing
  /// News for the user, besides the events of the session.
  package let news: Observable<SessionNews>
  /// Why the session must end: its device is lost, or an error occurred.
  package let ends: Observable<SessionError>
  private let link: LinkMaking
  private var stateChanges: ObservationToken<SessionEvent>?

  /// The front end, which is asked what only it knows, and may veto.
  package var delegate: (any SessionControllerDelegate)? {
    get { device.delegate }
    set { (session.delegate, device.delegate) = (newValue, newValue) }
  }

  /// The encoding of the device's text: that of the configuration, or the one that the user
  /// has chosen.
  package var encoding: Encoding {
    get { log.encoding }
    set { (log.encoding, sharing.screen.encoding, pacer.encoding) = (newValue, newValue, newValue) }
  }

  /// Creates a session and its collaborators.
  ///
  /// - Parameters:
  ///   - devices: the serial ports of this computer.
  ///   - providers: the known kinds of endpoints.
  ///   - writeCapacity: the capacity of the queue for sending, in bytes.
  package init(
    _ configuration: SessionConfiguration, among devices: DeviceCatalog, on loop: IOLoop,
    from providers: LinkProviders = .standard, writeCapacity: Int
  ) {
    let (news, ends) = (Observable<SessionNews>(), Observable<SessionError>())
    (self.news, self.ends) = (news, ends)
    let link = LinkMaking(configuration.linkOptions, from: providers, on: loop) {
      news.notify(.kernelConsole($0))
    }
    self.link = link
    session = Session(settings: configuration.settings, writeCapacity: writeCapacity) {
      link.link(to: $0)
    }
    hub = Hub(of: session)
    sharing = SharingController(of: session, hub, on: loop)
    log = SessionLogger(
      of: session, hub, on: loop,
      members: { [sharing] in sharing.isShared ? sharing.roster : Roster() }
    ) { news.notify($0) }
    userSharing = UserSharing(of: sharing, log)
    marks = Marks(in: log) { news.notify($0) }
    sequences = SequencePlayer(on: session, loop: loop) {
      news.notify(.networkTiming(sequence: $0))
    }
    opening = OpeningSequence(of: session, with: sequences) {
      news.notify(.openingSequenceFailed($0))
    }
    pacer = Pacer(of: session, on: loop)
    sending = Sending(on: session, sharedBy: sharing) { news.notify($0) }
    statistics = Statistics(of: session)
    device = SessionDevice(
      of: session, at: configuration.target,
      boundBy: TargetBinder(session, providers: providers, among: devices, on: loop),
      startingLogs: LogStart(log, of: session),
      onNews: { news.notify($0) }, onEnd: { ends.notify($0) })
    lender = PortLender(
      session, on: loop,
      refusal: { [device, unowned session] in
        device.delegate?.reasonNotToRelease(portOf: session)
      },
      onUnsent: { [sending] in sending.reportUnsent($0) }, report: { news.notify($0) })
    stateChanges = session.observe(.stateChange, rank: .controller) { [unowned self] in
      stateDidChange(from: $0.old, to: $0.new)
    }
    observations = [
      SessionDriver(session, on: loop) { ends.notify(.watching($0)) },
      TelnetWatch(session, hub, link.links, on: loop) { news.notify(.server($0, speaks: $1)) },
      SettingsWatch(session, on: loop) { [userSharing] in
        let pen = userSharing.remote?.sharing.pen
        let name = if case .others(let person)? = pen { person.name } else { String?.none }
        news.notify(.settings($0, by: name))
      },
      PortUseWatch(session, searchingBy: devices.holderSearch, on: loop) { news.notify($0) },
      link.links.observe { [unowned self] in
        userSharing.observe($0)
        windowDidChange()
      },
      sharing.events.observe { [log] in log.append($0) },
      session.observe(.stateChange, rank: .line) { [unowned session] in
        // A change of one setting must not change those that the joined session has set.
        if case .open(let endpoint, let settings) = $0.new, endpoint.kind == .session {
          session.requestedSettings = settings
        }
      },
      log.$path.observe { [unowned self] _ in updateLatency() },
    ]
    adopt(configuration)
  }

  deinit {
    // The port must not be polled any more when the last collaborator that retains the session is
    // released.
    observations = []
  }

  /// Applies a configuration. An open port gets the parts that can be changed while it is open.
  package func adopt(_ configuration: SessionConfiguration) {
    session.requestedSettings = configuration.settings
    session.waitsForLostDevice = configuration.reconnects
    link.options = configuration.linkOptions
    opening.sequence = configuration.onOpen
    pacer.pacing = configuration.pacing
    log.configuration = configuration.log
    encoding = configuration.log.encoding
    device.waitsForAbsentDevice = configuration.waitsForAbsentDevice
    updateLatency()
  }

  /// Whether the front end needs the short silences between bytes, as those of Modbus RTU; nil to
  /// decide by the form of frames in the configuration. A log that is written decides for itself.
  package var showsSilences: Bool? {
    didSet { updateLatency() }
  }

  /// An FTDI adapter holds received bytes back for 16 ms: too long to see a short silence.
  private func updateLatency() {
    let isLogged = log.configuration.options.frameForm?.dependsOnSilence == true
    session.prefersLowLatency = showsSilences ?? isLogged || isLogged && log.path != nil
  }

  /// Handles a change of the size of the user's window, of which a telnet server may want to know.
  package func windowDidChange() {
    link.windowSize = sharing.screen.terminal.map {
      .init(columns: $0.textSize.columns, rows: $0.textSize.rows)
    }
  }

  private func stateDidChange(from old: SessionState, to new: SessionState) {
    switch (old, new) {
    case (.open, .waitingForDevice), (.open, .released): sending.portWasLost()
    case (_, .closed(.lost(let error))): ends.notify(.port(error))
    case (_, .open), (_, .waitingForDevice): device.startAwaitedLogs()
    case (_, .closed), (_, .opening), (_, .released): break
    }
  }

  // MARK: The end

  /// Reports unsent bytes. Call it before the port is closed, however the session ends. Calling it
  /// again does nothing.
  package func finishSending() {
    sending.finish { delegate?.unreadInputCount(of: session) ?? 0 }
  }

  /// Closes the port. Finish sending and the logs first.
  package func close() {
    stateChanges = nil
    session.close()
  }
}
