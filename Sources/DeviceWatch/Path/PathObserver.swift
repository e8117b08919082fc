public import SystemPackage

/// Observes whether a path leads to a file.
///
/// All methods are called on the watcher's thread, after ``PathWatcher/isPresent`` was updated.
/// Appearing and vanishing alternate.
public protocol PathObserver: AnyObject {
  /// The path leads to a file. It may be a different file than before: a stale link `board ->
  /// /dev/pts/7` leads to a file again when any program opens a pseudo-terminal with that number.
  func pathWatcher(_ watcher: PathWatcher, didAppear path: FilePath)

  /// The path no longer leads to a file.
  func pathWatcher(_ watcher: PathWatcher, didVanish path: FilePath)

  /// The permissions, or other attributes, of the file were changed.
  func pathWatcher(_ watcher: PathWatcher, accessDidChangeOf path: FilePath)

  /// Some changes may be missed from now on, because a directory on the path cannot be watched.
  /// `ENOSPC` is the user's limit of watches; `EACCES` means that a directory may not be read.
  func pathWatcher(_ watcher: PathWatcher, didFailWith error: Errno)
}

extension PathObserver {
  /// Does nothing.
  public func pathWatcher(_ watcher: PathWatcher, didVanish path: FilePath) {}
  /// Does nothing.
  public func pathWatcher(_ watcher: PathWatcher, accessDidChangeOf path: FilePath) {}
  /// Does nothing.
  public func pathWatcher(_ watcher: PathWatcher, didFailWith error: Errno) {}
}

/// An event of a path as a value, for closures that observe one kind of event.
public enum PathEvent: Hashable, Sendable {
  /// See ``PathObserver/pathWatcher(_:didAppear:)``.
  case appeared
  /// See ``PathObserver/pathWatcher(_:didVanish:)``.
  case vanished
  /// See ``PathObserver/pathWatcher(_:accessDidChangeOf:)``.
  case accessChanged
  /// See ``PathObserver/pathWatcher(_:didFailWith:)``.
  case failed(Errno)
}
