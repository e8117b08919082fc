import DeviceWatch
import EventLoop
import SystemPackage

/// A path that is waited for on a loop: to lead somewhere, or to somewhere that may be opened.
final class AwaitedPath: PathObserver {
  /// What happened to it.
  enum News {
    /// It leads to something.
    case appeared
    /// The permissions of what it leads to were changed.
    case accessChanged
  }

  private let watcher: PathWatcher
  private let onNews: (News) -> Void
  private var watch: DescriptorWatch?

  /// Starts watching.
  ///
  /// - Parameter onNews: called with what happened; it may drop the last reference to this.
  /// - Throws: what inotify(7) and epoll_ctl(2) say.
  init(_ path: FilePath, on loop: EventLoop, onNews: @escaping (News) -> Void) throws(Errno) {
    self.onNews = onNews
    watcher = try PathWatcher(path)
    watcher.addObserver(self)
    watch = try loop.watch(watcher.descriptor, for: .reading) { [unowned watcher] _ in
      watcher.handleReadable()
    }
  }

  var path: FilePath { watcher.path }

  /// Whether the path leads to something.
  var isPresent: Bool { watcher.isPresent }

  func pathWatcher(_ watcher: PathWatcher, didAppear path: FilePath) { onNews(.appeared) }

  func pathWatcher(_ watcher: PathWatcher, accessDidChangeOf path: FilePath) {
    onNews(.accessChanged)
  }
}
