public import Observing
import Posix
public import SystemPackage

/// Waits for a path to lead to something, or to nothing: a pseudo-terminal, or a symbolic link to
/// one, of which udev knows nothing.
///
/// ## Principles of operation
///
/// - It owns no thread, never waits and never polls. Its owner watches ``descriptor`` for reading,
///   level-triggered, and calls ``handleReadable()``.
/// - A notice of the kernel is only the reason to look; what counts is what is seen then. Every
///   directory in which a name of the path is looked up is watched, those behind symbolic links too,
///   as far as the way leads: the first name that is missing is one that is waited for. A link that
///   leads nowhere counts as absent.
/// - What was replaced has vanished and appeared, even if it was never seen to be missing.
/// - What inotify(7) does not tell of, it does not see: another file system mounted over a directory
///   on the way, changes made on the other side of a network file system.
///
/// It is confined to one thread, and not `Sendable`.
public final class PathWatcher {
  /// The path, as it was given.
  public let path: FilePath
  /// Whether it leads to something.
  public private(set) var isPresent: Bool

  private let absolutePath: FilePath
  private let inotify: Inotify
  private let events = Observable<PathEvent>()
  private var walk: PathWalk
  /// The names that matter in each directory that is watched.
  private var names: [Inotify.Watch: Set<String>] = [:]
  /// The directory of the path's last step.
  private var lastWatch: Inotify.Watch?
  /// Why not all that matters is watched.
  private var failure: Errno?
  private var isHandling = false

  /// Starts watching.
  ///
  /// - Parameter path: a relative one counts from the directory that is current now.
  /// - Throws: what inotify_init1(2) and inotify_add_watch(2) say: `EMFILE` and `ENOSPC` at the
  ///   user's limits, `EACCES` if the directory that matters most may not be read.
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

  /// Readable while something has happened that ``handleReadable()`` has not seen.
  public var descriptor: FileDescriptor { inotify.descriptor }

  /// Takes in what has happened, and tells observers. An observer that calls it changes nothing:
  /// what there is to take in is taken in when it is called the next time.
  public func handleReadable() {
    guard !isHandling else { return }
    isHandling = true
    defer { isHandling = false }
    var news = takeNews()
    guard news.isRelevant else { return }
    let before = (destination: walk.destination, failure: failure)
    look(&news)
    tell(news, since: before.destination)
    if let failure, failure != before.failure { events.notify(.failed(failure)) }
  }

  private func tell(_ news: News, since before: [PathWalk.FileID]?) {
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

  // MARK: Looking

  /// What notices said, taken together.
  private struct News {
    /// Whether any is of something on the way.
    var isRelevant = false
    /// Whether something on the way was deleted or moved away.
    var hasDeparture = false
    /// Whether attributes of what the path leads to were changed.
    var hasNewAttributes = false
  }

  private func takeNews() -> News {
    var news = News()
    takeNews(into: &news)
    return news
  }

  private func takeNews(into news: inout News) {
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

  /// Walks the path until all that was walked was being watched before: whatever changes afterwards
  /// makes a notice. Notices of what the last walk has seen are taken in already.
  private func look(_ news: inout News) {
    var isSettled = false
    while !isSettled {
      let steps = walk.steps
      watch(steps)
      takeNews(into: &news)
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
        // It was replaced since it was walked, which the next walk shows; or it is a file where a
        // directory should be, and its own name is watched.
      } catch .permissionDenied where !isLast {
        // Above a directory that is there: one may pass, and not look around. That it is exchanged
        // whole goes unheard, or shows in the directory itself.
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
    // Unowned: every notification is made by a method of the watcher, which is alive in it.
    events.add(observer) { [unowned self] observer, event in event.tell(observer, of: self) }
  }

  /// Removes an observer; it hears nothing from now on.
  public func removeObserver(_ observer: some PathObserver) { events.remove(observer) }

  /// Observes every event with a closure, for as long as the token is kept.
  public func observe(_ handler: @escaping (PathEvent) -> Void) -> ObservationToken<PathEvent> {
    events.observe(handler)
  }
}
