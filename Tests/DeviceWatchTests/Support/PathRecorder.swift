import DeviceWatch
import SystemPackage
import Testing

/// Writes down what it hears of a path, and checks that the watcher agrees.
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

  /// Handles what comes until so many events were heard, and expects these and no others.
  func expect(
    _ events: [PathEvent], of watcher: PathWatcher,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    handle(
      watcher.descriptor, with: watcher.handleReadable,
      until: { heard.count >= events.count }, sourceLocation: sourceLocation)
    // inotify is told within the system calls that the test has made: all there is, is there.
    watcher.handleReadable()
    #expect(heard == events, sourceLocation: sourceLocation)
    heard = []
  }
}
