public import SystemPackage

/// Hears whether a path leads to something.
///
/// All are called on the watcher's thread; by then ``PathWatcher/isPresent`` shows it. A path appears
/// and vanishes in turns.
public protocol PathObserver: AnyObject {
  /// The path leads to something. Whether it is what was there before is not known: a stale link
  /// `board -> /dev/pts/7` comes to life again when anybody opens a seventh pseudo-terminal.
  func pathWatcher(_ watcher: PathWatcher, didAppear path: FilePath)

  /// The path leads nowhere any more.
  func pathWatcher(_ watcher: PathWatcher, didVanish path: FilePath)

  /// The permissions, or other attributes, of what the path leads to were changed.
  func pathWatcher(_ watcher: PathWatcher, accessDidChangeOf path: FilePath)

  /// From now on some changes may go unheard: a directory on the way cannot be watched. `ENOSPC` is
  /// the user's limit of watches, `EACCES` a directory that may not be read.
  func pathWatcher(_ watcher: PathWatcher, didFailWith error: Errno)
}

extension PathObserver {
  /// Ignores it.
  public func pathWatcher(_ watcher: PathWatcher, didVanish path: FilePath) {}
  /// Ignores it.
  public func pathWatcher(_ watcher: PathWatcher, accessDidChangeOf path: FilePath) {}
  /// Ignores it.
  public func pathWatcher(_ watcher: PathWatcher, didFailWith error: Errno) {}
}

/// What happened to a path, as one value, for closures that observe one kind of it.
public enum PathEvent: Hashable, Sendable {
  /// See ``PathObserver/pathWatcher(_:didAppear:)``.
  case appeared
  /// See ``PathObserver/pathWatcher(_:didVanish:)``.
  case vanished
  /// See ``PathObserver/pathWatcher(_:accessDidChangeOf:)``.
  case accessChanged
  /// See ``PathObserver/pathWatcher(_:didFailWith:)``.
  case failed(Errno)

  func tell(_ observer: some PathObserver, of watcher: PathWatcher) {
    switch self {
    case .appeared: observer.pathWatcher(watcher, didAppear: watcher.path)
    case .vanished: observer.pathWatcher(watcher, didVanish: watcher.path)
    case .accessChanged: observer.pathWatcher(watcher, accessDidChangeOf: watcher.path)
    case .failed(let error): observer.pathWatcher(watcher, didFailWith: error)
    }
  }
}
