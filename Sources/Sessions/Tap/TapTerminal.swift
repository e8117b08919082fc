import DeviceWatch
import EventLoop
import Glibc
package import Loopback
import Observing
import Posix
import Reconnecting
package import SerialCore
package import SystemPackage

/// A pseudo-terminal with a link to its node, that another program opens as its serial port.
///
/// ## Principles of operation
///
/// - Its session is open while a program has the node open, and otherwise waits: what is meant for
///   a closed port goes nowhere, as on a real line.
/// - The node keeps its settings when a program closes it, as a serial port does.
/// - The kernel reports a hang-up at the master when the last program has closed the node, and
///   inotify that one opens it. Therefore this side does not hold the node open.
/// - What another program puts in place of the link is left alone, and the node is used without it.
package final class TapTerminal {
  /// The path of the link.
  package let path: FilePath
  /// A program may have opened the node.
  let openings = Observable<Void>()
  /// The path no longer leads to the node, which is the value: programs can still open that.
  /// Reported once for each node.
  let linkLosses = Observable<FilePath>()

  private let settings: LineSettings
  private var master: OwnedDescriptor?
  private var node: FilePath?
  private var link: StableLink?
  private var inotify: OwnedDescriptor?
  private var watch: DescriptorWatch?
  private var linkWatch: LinkWatch?
  /// The node that was reported without its link.
  private var reportedNode: FilePath?
  private var isHungUp = false
  private var refreshing: LoopTimer?
  private weak var openLink: MasterLink?
  private weak var loop: IOLoop?

  private struct LinkWatch {
    let watcher: PathWatcher
    let watch: DescriptorWatch
    let events: ObservationToken<PathEvent>
  }

  /// How often the settings of the node are read while no bytes come.
  private static let refreshInterval = Duration.milliseconds(20)

  /// Makes the terminal and the link.
  ///
  /// - Parameter settings: the settings of the line at first.
  /// - Throws: ``TapTerminalError``.
  package init(at path: FilePath, _ settings: LineSettings) throws(TapTerminalError) {
    (self.path, self.settings) = (path, settings)
    try make()
    do throws(StableLinkError) {
      if let node { link = try StableLink(at: path, to: node) }
    } catch {
      throw .link(error)
    }
  }

  private func make() throws(TapTerminalError) {
    do throws(Errno) {
      let master = try OwnedDescriptor.openMaster()
      let node = try master.borrowed.nodeOfMaster()
      // Before it was opened for the first time, a node has no settings, and no hang-up
      // is reported.
      do {
        let first = try OwnedDescriptor.open(node, O_RDWR | O_NOCTTY | O_NONBLOCK)
        try MasterLink.prepare(first.borrowed, settings)
      }
      self.master = consume master
      self.node = node
    } catch {
      throw .system(error)
    }
  }

  /// The endpoint of the session. It has no path: the programs there are meant to use the node.
  package var endpoint: Endpoint { Endpoint(.tapTerminal, path.string) }

  /// Whether a program has the node open.
  var isOpened: Bool {
    guard !isHungUp, let descriptor = master?.borrowed else { return false }
    var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&entry, 1, 0) >= 0 else { return false }
    return entry.revents & Int16(POLLHUP) == 0
  }

  func makeLink(on loop: IOLoop) -> any Link {
    guard let descriptor = master?.borrowed, isOpened else { return AbsentLink(endpoint) }
    let link = MasterLink(to: endpoint, master: descriptor)
    openLink = link
    refreshLater(on: loop)
    return link
  }

  private func refreshLater(on loop: IOLoop) {
    refreshing = loop.schedule(after: Self.refreshInterval) { [unowned self] in
      refreshing = nil
      guard let openLink, openLink.descriptor != nil else { return }
      refreshLater(on: loop)
      openLink.refreshSettings()
    }
  }

  /// Starts to watch for programs that open the node.
  func startWatching(on loop: IOLoop) throws(Errno) {
    watch?.cancel()
    guard let node else { return }
    let inotify = try FileDescriptor.makeInotify()
    let descriptor = inotify.borrowed
    try systemCall {
      node.withPlatformString { inotify_add_watch(descriptor.rawValue, $0, UInt32(IN_OPEN)) }
    }
    self.inotify = consume inotify
    watch = try loop.watch(descriptor, for: .reading) { [unowned self] _ in
      descriptor.readInotifyEvents { _, _ in }
      openings.notify(())
    }
    self.loop = loop
    watchLink(on: loop)
  }

  private func watchLink(on loop: IOLoop) {
    linkWatch?.watch.cancel()
    linkWatch = nil
    // Without a watch, a loss is noticed when the terminal is made again.
    if link != nil, let watcher = try? PathWatcher(path),
      let watch = try? loop.watch(
        watcher.descriptor, for: .reading, { _ in watcher.handleReadable() })
    {
      let events = watcher.observe { [unowned self] _ in checkLink() }
      linkWatch = LinkWatch(watcher: watcher, watch: watch, events: events)
    }
    checkLink()
  }

  private func checkLink() {
    guard let node, link?.isPresent != true, reportedNode != node else { return }
    reportedNode = node
    linkLosses.notify(node)
  }

  /// Ends the terminal as if an adapter were unplugged: the program gets the end of the file, and
  /// the path is gone until ``renew()``.
  ///
  /// - Parameter closeLink: closes the link of the session, which must not open it again.
  func hangUp(_ closeLink: () -> Void) {
    isHungUp = true
    closeLink()
    linkWatch?.watch.cancel()
    linkWatch = nil
    link = nil
    watch?.cancel()
    watch = nil
    inotify = nil
    master = nil
    node = nil
  }

  /// Makes the terminal again after ``hangUp()``; without the link if the path is taken.
  ///
  /// - Throws: ``TapTerminalError/system(_:)``.
  package func renew() throws(TapTerminalError) {
    guard isHungUp else { return }
    try make()
    link = node.flatMap { try? StableLink(at: path, to: $0) }
    isHungUp = false
    do throws(Errno) {
      if let loop { try startWatching(on: loop) }
    } catch {
      throw .system(error)
    }
    openings.notify(())
  }
}

@available(*, unavailable)
extension TapTerminal: Sendable {}

/// Why a pseudo-terminal for another program could not be made.
package enum TapTerminalError: Error {
  /// The system refused the pseudo-terminal.
  case system(Errno)
  /// The link could not be made.
  case link(StableLinkError)
}

extension Endpoint.Kind {
  /// A pseudo-terminal that another program opens as its serial port.
  package static let tapTerminal = Endpoint.Kind("pty")
}

/// The link to a node that no program has open: it cannot be opened.
private final class AbsentLink: Link {
  let endpoint: Endpoint
  init(_ endpoint: Endpoint) { self.endpoint = endpoint }

  func start(_ settings: LineSettings, report: @escaping (LinkEvent) -> Void) {
    report(.failed(SerialError(.notFound, in: "open", at: endpoint)))
  }

  private var notOpen: SerialError { SerialError(.notOpen, in: "open", at: endpoint) }
  var descriptor: FileDescriptor? { nil }
  func read(into buffer: UnsafeMutableRawBufferPointer, isLast: Bool) throws(SerialError)
    -> LinkInput
  { throw notOpen }
  func write(_ bytes: UnsafeRawBufferPointer) throws(SerialError) -> WriteOutcome { throw notOpen }
  func apply(
    _ settings: LineSettings, answer: @escaping (Result<LineSettings, SerialError>) -> Void
  ) { answer(.failure(notOpen)) }
  func setBreak(_ isOn: Bool) throws(SerialError) { throw notOpen }
  func modemLines() throws(SerialError) -> ModemLines { throw notOpen }
  func setModemLines(asserting: ModemLines, deasserting: ModemLines) throws(SerialError) {
    throw notOpen
  }
  func counters() throws(SerialError) -> LineCounters { throw notOpen }
  var unsentByteCount: Int { 0 }
  func discardUnsent() -> Int { 0 }
  func close() {}
}

/// Makes the links of one ``TapTerminal``.
struct TapTerminalProvider: LinkProvider {
  // A program makes and uses its links on one thread.
  nonisolated(unsafe) private let terminal: TapTerminal

  init(_ terminal: TapTerminal) { self.terminal = terminal }

  var kind: Endpoint.Kind { .tapTerminal }
  var options: LinkOptionGroups { .settings }

  /// No TARGET has this form: `--pty` makes the endpoint.
  func parse(_ text: String) -> Result<Target, TargetError>? { nil }

  func completions(of text: String, among devices: () -> [Device]) -> [TargetCompletion] { [] }

  func link(to endpoint: Endpoint, options: LinkOptions, on loop: IOLoop) -> any Link {
    terminal.makeLink(on: loop)
  }

  func presence(
    of endpoint: Endpoint, among devices: DeviceCatalog, on loop: IOLoop
  ) -> (any Presence)? {
    TapTerminalPresence(of: terminal, on: loop)
  }
}

extension LinkProviders {
  /// The kinds of this program, and the terminal for another program.
  package static func tapping(_ terminal: TapTerminal) -> LinkProviders {
    LinkProviders([TapTerminalProvider(terminal)] + standard.providers)
  }
}

/// Whether a program has the node of a ``TapTerminal`` open.
private final class TapTerminalPresence: Presence {
  let events = Observable<PresenceEvent>()
  private let terminal: TapTerminal
  private let loop: IOLoop
  private var openings: ObservationToken<Void>?

  init(of terminal: TapTerminal, on loop: IOLoop) { (self.terminal, self.loop) = (terminal, loop) }

  func start() throws(Errno) {
    openings = terminal.openings.observe { [unowned self] in
      if terminal.isOpened { events.notify(.appeared) }
    }
    try terminal.startWatching(on: loop)
  }

  func find(whileReleased isReleased: Bool) -> PresenceFinding {
    terminal.isOpened && !isReleased ? .present(terminal.endpoint, nil) : .absent
  }

  func didFail(with error: SerialError) -> FailureWatch { FailureWatch() }
  func endWait() {}
  func didOpen(at endpoint: Endpoint) {}
  func didLeave() {}
  func choose(_ device: Device) {}
}
