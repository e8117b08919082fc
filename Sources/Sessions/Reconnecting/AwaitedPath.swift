import DeviceWatch
import EventLoop
import Posix
import SystemPackage

/// Waits on a loop until a path leads to a file, or until the file's permissions change.
final class AwaitedPath: PathObserver {
  /// An event of the path.
  enum News {
    /// The path leads to a file.
    case appeared
    /// The permissions of the file changed.
    case accessChanged
  }

  private let watcher: PathWatcher
  private let onNews: (News) -> Void
  private var watch: DescriptorWatch?

  /// Starts watching.
  ///
  /// - Parameter onNews: called with each event; it may release this object.
  /// - Throws: the errors of inotify(7) and epoll_ctl(2).
  init(_ path: FilePath, on loop: IOLoop, onNews: @escaping (News) -> Void) throws(Errno) {
    self.onNews = onNews
    watcher = try PathWatcher(path)
    watcher.addObserver(self)
    watch = try loop.watch(watcher.descriptor, for: .reading) { [unowned watcher] _ in
      watcher.handleReadable()
    }
  }

  var path: FilePath { watcher.path }

  /// Whether the path leads to a file.
  var isPresent: Bool { watcher.isPresent }

  func pathWatcher(_ watcher: PathWatcher, didAppear path: FilePath) { onNews(.appeared) }

  func pathWatcher(_ watcher: PathWatcher, accessDidChangeOf path: FilePath) {
    onNews(.accessChanged)
  }
}
