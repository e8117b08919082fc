import DeviceWatch
import SystemPackage
import Testing

/// Records the events of a path, and checks that the watcher's state agrees.
final class PathRecorder: PathObserver {
  private(set) var heard: [PathEvent] = []
  var onEvent: (PathEvent) -> Void = { _ in }

  func pathWatcher(_ watcher: PathWatcher, didAppear path: FilePath) {
    #expect(watcher.isPresent)
    #expect(path == watcher.path)
    record(.appeared)
  }

  func pathWatcher(_ watcher: PathWatcher, didVanish path: FilePath) {
    #expect(!watcher.isPresent)
    record(.vanished)
  }

  func pathWatcher(_ watcher: PathWatcher, accessDidChangeOf path: FilePath) {
    #expect(watcher.isPresent)
    record(.accessChanged)
  }

  func pathWatcher(_ watcher: PathWatcher, didFailWith error: Errno) { record(.failed(error)) }

  private func record(_ event: PathEvent) {
    heard.append(event)
    onEvent(event)
  }

  /// Handles events until the given number was received, and expects exactly the given ones.
  func expect(
    _ events: [PathEvent], of watcher: PathWatcher,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    handle(
      watcher.descriptor, with: watcher.handleReadable,
      until: { heard.count >= events.count }, sourceLocation: sourceLocation)
    // inotify receives its events during the test's system calls, so all of them are queued.
    watcher.handleReadable()
    #expect(heard == events, sourceLocation: sourceLocation)
    heard = []
  }
}
