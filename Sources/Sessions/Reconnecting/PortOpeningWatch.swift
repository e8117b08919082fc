import DeviceWatch
import EventLoop
import Posix
import SystemPackage

/// Reports when a program opens or closes a port that another program holds.
final class PortOpeningWatch {
  let path: FilePath
  private let watcher: OpeningWatcher?
  private let loop: IOLoop
  private var watch: DescriptorWatch?

  /// Starts watching. Without inotify it reports nothing.
  ///
  /// - Parameter onUse: called after each use; it may release this object.
  init(of path: FilePath, on loop: IOLoop, onUse: @escaping () -> Void) {
    self.path = path
    self.loop = loop
    watcher = try? OpeningWatcher(path)
    guard let watcher else { return }
    watch = try? loop.watch(watcher.descriptor, for: .reading) { [unowned watcher] _ in
      if watcher.readEvents() { onUse() }
    }
  }

  deinit {
    // Released at the end of this method, because the watch may be calling it.
    let ended = (watch, watcher)
    loop.atEndOfTurn { withExtendedLifetime(ended) {} }
  }

  /// Whether uses are reported.
  var isWatching: Bool { watch != nil }

  /// Skips the uses that were not reported yet.
  func skipEvents() { _ = watcher?.readEvents() }
}
