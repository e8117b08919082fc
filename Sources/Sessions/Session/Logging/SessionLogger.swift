package import Encodings
package import EventLoop
import Logs
package import Observing
import Posix
package import SerialCore
package import SystemPackage
import TextStages
package import Time

/// Writes the bytes and events of a session to its own logs, and to those that it shares with other
/// sessions. The hub serves logs before all views.
package final class SessionLogger {
  /// The maximum time to wait at the end until everything is written.
  package static let patience = Duration.milliseconds(400)

  /// Receives news about the logs.
  let report: (SessionNews) -> Void
  /// What to log. A change does not affect logs that are switched on.
  package var configuration = LogConfiguration() {
    didSet { encoding = configuration.encoding }
  }
  /// The encoding of the device's text. Logs of text convert it; a change is an event in them.
  package var encoding = Encoding.utf8 {
    didSet { if encoding != oldValue { append(encodingEvent) } }
  }
  /// The logs that the program's sessions share; nil if there are none. Set before ``start(at:)``.
  package var shared: SharedLogs?
  /// The name of the port in shared logs.
  package var portName: String?
  /// The first file that is being written; nil if there is none.
  @Observed package private(set) var path: FilePath?
  /// The first file that is being written for this session alone; nil if there is none.
  @Observed package private(set) var ownPath: FilePath?
  /// Reads logs for members.
  private(set) lazy var reader = Worker(on: loop)

  private unowned let session: Session
  private var observations: [ObservationToken<SessionEvent>] = []
  private let loop: IOLoop
  private let roster: () -> Roster
  private lazy var own = LogSet(on: loop, report: report) { [unowned self] log in
    for event in firstEvents { log.append(event) }
  }
  private var ownFiles: ObservationToken<Change<[FilePath]>>?
  private var sharedFiles: ObservationToken<Change<[FilePath]>>?
  /// The logs that the session has joined, and the number of its port in them.
  private var joined: (logs: SharedLogs, port: Int)?
  private var hasBeenOpen = false
  private var subscription: Hub.Subscription?

  /// - Parameters:
  ///   - members: returns the members of the session; without members if it is not shared.
  ///   - report: receives news about the logs.
  package init(
    of session: Session, _ hub: Hub, on loop: IOLoop,
    members roster: @escaping () -> Roster = { Roster() }, report: @escaping (SessionNews) -> Void
  ) {
    self.session = session
    self.loop = loop
    self.roster = roster
    self.report = report
    ownFiles = own.$files.observe { [unowned self] in
      (path, ownPath) = (paths.first, $0.new.first)
    }
    subscription = hub.subscribe(as: .log) { [unowned self] in
      append($0, configuration.lineDirection ?? .fromDevice, by: nil, at: $1)
    }
    observations = [
      session.observe(.stateChange, rank: .recorder) { [unowned self] in
        stateDidChange(from: $0.old, to: $0.new)
      },
      session.observe(.sent, rank: .recorder) { [unowned self] in
        // What goes to one side of a line is in the log already: it came from the other one.
        guard configuration.lineDirection == nil else { return }
        append(
          $0.bytes, .toDevice, by: $0.author.isNamed ? $0.author.name : nil, at: .now)
      },
      session.observe(.modemLinesChange, rank: .recorder) { [unowned self, unowned session] in
        append(LogEvent(from: $0.old, to: $0.new, in: session.state))
      },
      session.observe(.countersChange, rank: .recorder) { [unowned self, unowned session] in
        append(LogEvent(errors: $0.new.changes(since: $0.old), in: session.state))
      },
    ]
  }

  /// Whether any file is being written.
  package var isOn: Bool { joined?.logs.files.value.isEmpty == false || own.isOn }

  /// The log in ``ownPath``.
  var ownLog: Log? { own.first }

  /// All files that are being written, the shared ones first.
  package var paths: [FilePath] { (joined?.logs.files.value ?? []) + own.files }

  /// The number of sessions that share the logs; nil if the session has only its own logs.
  package var sharingCount: Int? { joined?.logs.memberCount }

  /// The number of bytes that are missing from all logs. For shared logs, it includes the bytes
  /// of all sessions.
  package var missingCount: Int { own.missingCount + (joined?.logs.missingCount ?? 0) }

  // MARK: On and off

  /// Starts the logs of the configuration, and joins those that are shared.
  ///
  /// - Parameter endpoint: the endpoint of the device; nil if it is not known.
  package func start(at endpoint: Endpoint?) throws(LogError) {
    for name in configuration.files {
      if let shared, shared.names.contains(name) {
        if joined == nil { try join(shared, at: endpoint) }
      } else {
        try own.start(configuration.log(in: name), port: endpoint.fileName)
      }
    }
  }

  private func join(_ shared: SharedLogs, at endpoint: Endpoint?) throws(LogError) {
    let place = endpoint.map { "\($0)" }
    let name = portName ?? endpoint.fileName
    joined = (shared, try shared.join(self, as: name, at: place ?? name))
    sharedFiles = shared.files.observe { [unowned self] _ in path = paths.first }
    path = paths.first
  }

  /// Switches logging on: in the same files as before, or in a new one in the working directory.
  /// Shared logs are switched on for all their sessions.
  package func switchOn() throws(LogError) {
    if let joined { return try joined.logs.switchOn() }
    try own.switchOn(orElse: configuration.standard, port: session.state.endpoint.fileName)
  }

  /// Whether ``switchOn()`` would start a new log: none was on before, and none is shared.
  package var startsNewLog: Bool { joined == nil && !own.wasOn }

  /// The file of a new log: in the working directory, with the name of the port and the time.
  package var suggestedFile: FilePath {
    let name = LogName(configuration.standard.name, port: portFileName).currentPath
    return (FilePath(".").realPath ?? ".").pushing(name)
  }

  /// The name of the port in names of files: `ttyUSB0`.
  package var portFileName: String { session.state.endpoint.fileName }

  /// Switches logging on in a file that the user has chosen. Requires ``startsNewLog``.
  package func switchOn(in file: FilePath, appending appends: Bool) throws(LogError) {
    try own.start(
      configuration.log(inChosen: file, appending: appends), port: portFileName)
  }

  /// Switches logging off. Shared logs are switched off for all their sessions.
  package func switchOff() {
    if let joined { return joined.logs.switchOff() }
    switchOwnOff()
  }

  func switchOwnOnAgain() throws(LogError) {
    if own.wasOn { try own.switchOn() }
  }

  func switchOwnOff() { own.switchOff() }

  // MARK: The end

  /// Ends the logs when everything is written. Later events are not logged.
  package func close() {
    own.close()
    joined?.logs.close()
  }

  /// Waits for a short time until the logs are written, and reports what is missing. Calling it
  /// again does nothing. If several sessions end, call ``close()`` for all of them first.
  package func finish(by deadline: MonotonicTime = .now + SessionLogger.patience) {
    close()
    own.finish(by: deadline)
    joined?.logs.finish(by: deadline)
  }

  // MARK: Records

  /// The events at the start of a log: the open port, and the other members of the session.
  var firstEvents: [LogEvent] {
    let opened =
      session.state.isOpen
      ? LogEvent(
        from: .closed(nil), to: session.state, isReturn: false,
        hasSettings: session.capabilities.contains(.settings)) : nil
    return (opened.map { [$0] } ?? []) + (encoding.isUTF8 ? [] : [encodingEvent])
      + LogEvent.present(in: roster(), at: place)
  }

  private var encodingEvent: LogEvent { LogEvent(.encoding, at: place, .encoding(encoding)) }

  /// The port's endpoint as text, for events.
  private var place: String { session.state.endpoint.map { "\($0)" } ?? "" }

  private func append(
    _ bytes: UnsafeRawBufferPointer, _ direction: Direction, by client: String?, at moment: Moment
  ) {
    own.append(bytes, direction, by: client, at: moment)
    if let (logs, port) = joined {
      logs.append(bytes, direction, from: port, by: client, at: moment)
    }
  }

  private func append(_ event: LogEvent?) {
    guard let event else { return }
    let moment = Moment.now
    own.append(event, at: moment)
    if let (logs, port) = joined { logs.append(event, from: port, at: moment) }
  }

  /// Writes a mark.
  ///
  /// - Returns: the logs without the mark, with the reason.
  func append(_ mark: Mark) -> [UnmarkedLog] {
    let event = LogEvent(.mark, at: place, .mark(mark.number, mark.text))
    let shared = joined.map { $0.logs.append(mark: event, from: $0.port, at: mark.moment) } ?? []
    return shared + own.append(mark: event, at: mark.moment)
  }

  /// Logs what is known about an address in a line of the device.
  ///
  /// - Parameters:
  ///   - address: the address as text.
  ///   - frames: the functions and places, the innermost one first. Harmless text.
  package func append(
    symbols address: String, _ frames: [(function: String, place: String?)]
  ) {
    let frames = frames.map { LogEvent.Frame($0.function, at: $0.place) }
    append(LogEvent(.symbols, at: place, .symbols(address: address, frames)))
  }

  /// Logs a change among the members of the session.
  package func append(_ event: Roster.Event) { append(LogEvent(event, at: place)) }

  /// Logs that a member has discarded bytes of its own that were not sent.
  func append(discarded count: Int, by name: String) {
    append(LogEvent(.discarded, at: place, .bytes(count, by: name)))
  }

  private func stateDidChange(from old: SessionState, to new: SessionState) {
    append(
      LogEvent(
        from: old, to: new, isReturn: hasBeenOpen,
        hasSettings: session.capabilities.contains(.settings)))
    if new.isOpen { hasBeenOpen = true }
  }
}

extension Endpoint? {
  fileprivate var fileName: String { self?.fileName ?? Endpoint.unknownFileName }
}

extension Author {
  /// Whether logs name the author: it is not the user, who has the session.
  fileprivate var isNamed: Bool { [.client, .agent, .terminal].contains(kind) }
}
