public import Observing
import Posix
public import SystemPackage

/// Watches whether a path leads to a file. It is used for files that udev does not know: a
/// pseudo-terminal, or a symbolic link to one.
///
/// ## Principles of operation
///
/// - It has no thread, never waits and never polls. Its owner watches ``descriptor`` for reading,
///   level-triggered, and calls ``handleReadable()``.
/// - An event only causes a new walk along the path, whose result counts. All directories in which
///   a name of the path is looked up are watched, including those behind symbolic links, up to the
///   first name that does not exist. A link that leads nowhere counts as absent.
/// - A file that was replaced is reported as vanished and appeared, even if it was never missing.
/// - It cannot detect what inotify(7) does not report: a file system that is mounted over a
///   directory on the path, and remote changes of a network file system.
///
/// It is confined to one thread, and not `Sendable`.
public final class PathWatcher {
  /// The path, in the form in which it was given.
  public let path: FilePath
  /// Whether it leads to a file.
  public private(set) var isPresent: Bool

  private let absolutePath: FilePath
  private let inotify: Inotify
  private let events = Observable<PathEvent>()
  private var walk: PathWalk
  /// The relevant names in each watched directory.
  private var names: [Inotify.Watch: Set<String>] = [:]
  /// The directory of the last lookup.
  private var lastWatch: Inotify.Watch?
  /// The error if some directory cannot be watched.
  private var failure: Errno?
  private var isHandling = false

  /// Starts watching.
  ///
  /// - Parameter path: a relative path starts at the present current directory.
  /// - Throws: the errors of inotify_init1(2) and inotify_add_watch(2): `EMFILE` and `ENOSPC` at
  ///   the user's limits, `EACCES` if the directory of the last lookup may not be read.
  public init(_ path: FilePath) throws(Errno) {
    self.path = path
    if path.isAbsolute {
      absolutePath = path
    } else {
      guard let current = FilePath(".").realPath else { throw .noSuchFileOrDirectory }
      absolutePath = current.pushing(path)
    }
    inotify = try Inotify()
    walk = PathWalk(absolutePath)
    isPresent = false
    var news = News()
    look(&news)
    if let failure { throw failure }
    isPresent = walk.destination != nil
  }

  /// Readable while there are events that ``handleReadable()`` has not processed.
  public var descriptor: FileDescriptor { inotify.descriptor }

  /// Processes the queued events, and notifies observers. A call by an observer does nothing: the
  /// next call from outside processes the rest.
  public func handleReadable() {
    guard !isHandling else { return }
    isHandling = true
    defer { isHandling = false }
    var news = readNews()
    guard news.isRelevant else { return }
    let before = (destination: walk.destination, failure: failure)
    look(&news)
    report(news, since: before.destination)
    if let failure, failure != before.failure { events.notify(.failed(failure)) }
  }

  private func report(_ news: News, since before: [PathWalk.FileID]?) {
    let isReplaced = before != walk.destination || news.hasDeparture
    if isPresent && isReplaced {
      isPresent = false
      events.notify(.vanished)
    }
    if !isPresent && walk.destination != nil {
      isPresent = true
      events.notify(.appeared)
    } else if isPresent && news.hasNewAttributes {
      events.notify(.accessChanged)
    }
  }

  // MARK: Walking

  /// A summary of events.
  private struct News {
    /// Whether an event concerns a name on the path.
    var isRelevant = false
    /// Whether a name on the path was deleted or moved away.
    var hasDeparture = false
    /// Whether attributes of the file at the end were changed.
    var hasNewAttributes = false
  }

  private func readNews() -> News {
    var news = News()
    readNews(into: &news)
    return news
  }

  private func readNews(into news: inout News) {
    for event in inotify.readEvents() {
      if event.isOverflow { news.isRelevant = true }
      guard let names = names[event.watch] else { continue }
      if event.isEndOfWatch { self.names[event.watch] = nil }
      guard event.isOfDirectory || names.contains(event.name) else { continue }
      news.isRelevant = true
      if event.isDeparture { news.hasDeparture = true }
      if event.isOfAttributes && event.watch == lastWatch && event.name == walk.steps.last?.name {
        news.hasNewAttributes = true
      }
    }
  }

  /// Walks the path until all its directories were watched before the walk, so that each later
  /// change causes an event. Events that the last walk has covered are discarded.
  private func look(_ news: inout News) {
    var isSettled = false
    while !isSettled {
      let steps = walk.steps
      watch(steps)
      readNews(into: &news)
      walk = PathWalk(absolutePath)
      isSettled = walk.steps == steps
    }
  }

  private func watch(_ steps: [PathWalk.Step]) {
    let before = names
    names = [:]
    failure = nil
    for (index, step) in steps.enumerated() {
      let isLast = index == steps.count - 1
      do throws(Errno) {
        let watch = try inotify.watch(step.directory)
        names[watch, default: []].insert(step.name)
        if isLast { lastWatch = watch }
      } catch .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels {
        // It was replaced since the walk, which the next walk shows; or it is a file instead of a
        // directory, and its name is watched.
      } catch .permissionDenied where !isLast {
        // The directory may be searched, but not read. If a directory below it is replaced, that is
        // missed, unless that directory itself reports it.
      } catch {
        failure = error
      }
    }
    for watch in before.keys where names[watch] == nil { inotify.remove(watch) }
  }
}

@available(*, unavailable)
extension PathWatcher: Sendable {}

extension PathWatcher {
  /// Adds an observer, which is not retained, at the end of the list.
  public func addObserver(_ observer: some PathObserver) {
    // Unowned is safe: only methods of the watcher send notifications, so it is alive.
    events.add(observer) { [unowned self] observer, event in notify(observer, of: event) }
  }

  private func notify(_ observer: some PathObserver, of event: PathEvent) {
    switch event {
    case .appeared: observer.pathWatcher(self, didAppear: path)
    case .vanished: observer.pathWatcher(self, didVanish: path)
    case .accessChanged: observer.pathWatcher(self, accessDidChangeOf: path)
    case .failed(let error): observer.pathWatcher(self, didFailWith: error)
    }
  }

  /// Removes an observer, which receives nothing from now on.
  public func removeObserver(_ observer: some PathObserver) { events.remove(observer) }

  /// Observes all events with a closure, as long as the token exists.
  public func observe(_ handler: @escaping (PathEvent) -> Void) -> ObservationToken<PathEvent> {
    events.observe(handler)
  }
}
