import DeviceWatch
import EventLoop
import Glibc
import Observing
import Posix
import Reconnecting
import SerialCore
import SystemPackage

/// Reports when another program has the session's port open, at the start or later.
///
/// A port that was opened with `--shared`, or by root, can be opened twice. The programs then split
/// the received bytes. inotify(7) reports that a program opens the node, but not which one. A
/// search of all processes finds that, which the sessions of a program share.
final class PortUseWatch {
  /// The time from the opening of the port to the first search.
  private static let firstSearch = Duration.milliseconds(100)

  private let report: (SessionNews) -> Void
  private let loop: IOLoop
  private var stateChanges: ObservationToken<SessionEvent>?
  private var path: FilePath?
  private var portUse = PortUseReport()
  private var watcher: OpeningWatcher?
  private var watch: DescriptorWatch?
  private let search: PortHolderSearch
  /// The search that was asked for.
  private var request: PortHolderSearch.Request?
  /// Whether the node was opened or closed during a search.
  private var isSearchDue = false
  /// Starts the next search, for the programs that are not reported yet.
  private var timer: LoopTimer?

  /// - Parameters:
  ///   - search: finds the programs; one for all sessions.
  ///   - report: receives the programs that share the port.
  package init(
    _ session: Session, searchingBy search: PortHolderSearch, on loop: IOLoop,
    report: @escaping (SessionNews) -> Void
  ) {
    self.search = search
    self.report = report
    self.loop = loop
    stateChanges = session.observe(.stateChange) { [unowned self] in
      stateDidChange(from: $0.old, to: $0.new)
    }
  }

  private func stateDidChange(from old: SessionState, to new: SessionState) {
    guard old.isOpen != new.isOpen else { return }
    stop()
    if case .open(let endpoint, _) = new, let path = endpoint.path { start(path) }
  }

  /// Starts to watch a path. Without inotify or a thread, the session works, and does not warn.
  private func start(_ path: FilePath) {
    self.path = path
    if let watcher = try? OpeningWatcher(path) {
      self.watcher = watcher
      watch = try? loop.watch(watcher.descriptor, for: .reading) { [unowned self] _ in
        if self.watcher?.readEvents() == true { look() }
      }
    }
    // Not during the start: a search of all processes would delay the first bytes.
    timer = loop.schedule(after: Self.firstSearch) { [unowned self] in look() }
  }

  private func stop() {
    (path, watcher, watch, timer, request) = (nil, nil, nil, nil, nil)
    isSearchDue = false
    portUse = PortUseReport()
  }

  /// Asks for a search, or for another one after the one that is running.
  private func look() {
    guard let path else { return }
    guard request == nil else { return isSearchDue = true }
    isSearchDue = false
    request = search.uses(of: path, on: loop) { [unowned self] uses in searchEnded(uses) }
  }

  private func searchEnded(_ uses: [PortHolders.Use]?) {
    request = nil
    guard let path, let uses else { return }
    if isSearchDue { return look() }
    let isOpenElsewhere = (watcher?.openCount ?? 0) > 0
    let messages = portUse.update(
      uses, besides: getpid(), isOpenElsewhere: isOpenElsewhere, at: loop.now)
    timer =
      portUse.isUndecided
      ? loop.schedule(after: PortUseReport.moment) { [unowned self] in look() } : nil
    for message in messages { report(.portUse(message, at: path)) }
  }
}
