public import Framing
public import SerialCore
import Synchronization

/// An event of a port, besides received bytes.
public enum PortEvent: Hashable, Sendable {
  /// The port was opened, lost or closed, or its settings changed.
  case stateChange(SessionState)
  /// The modem lines differ from those of the last reading.
  case modemLinesChange(ModemLines)
  /// The next received byte has an error, or stands for a break: see `LinkOptions.marksErrors`.
  case lineError(LineError)
  /// A sequence of frames has removed bytes that are no frame.
  case damagedFrame(FrameDamage)
  /// This number of events is missing here, because the reader of the sequence was too slow.
  case missed(Int)
}

/// Passes the events of a port to any number of readers, on any thread.
final class PortFeed: Sendable {
  /// The number of events that wait for a slow reader at most.
  static let capacity = 1_024

  private struct Reader {
    let continuation: AsyncStream<PortEvent>.Continuation
    private var missedCount = 0

    init(_ continuation: AsyncStream<PortEvent>.Continuation) { self.continuation = continuation }

    /// Passes on an event, or counts it if there is no room.
    mutating func receive(_ event: PortEvent) {
      if missedCount > 0, case .dropped = continuation.yield(.missed(missedCount)) {
        missedCount += 1
        return
      }
      missedCount = 0
      if case .dropped = continuation.yield(event) { missedCount = 1 }
    }
  }

  private struct Content {
    var state = SessionState.closed(nil)
    var readers: [Int: Reader] = [:]
    var stateReaders: [Int: AsyncStream<SessionState>.Continuation] = [:]
    var lastID = 0
    var isFinished = false

    mutating func nextID() -> Int {
      lastID += 1
      return lastID
    }
  }

  private let content = Mutex(Content())

  /// The present state.
  var state: SessionState { content.withLock { $0.state } }

  /// The events from now on.
  func events() -> AsyncStream<PortEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PortEvent.self, bufferingPolicy: .bufferingOldest(Self.capacity))
    content.withLock { content in
      guard !content.isFinished else { return continuation.finish() }
      let id = content.nextID()
      content.readers[id] = Reader(continuation)
      continuation.onTermination = { [weak self] _ in
        self?.content.withLock { $0.readers[id] = nil }
      }
    }
    return stream
  }

  /// The present state, and the latest one after each change.
  func states() -> AsyncStream<SessionState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: SessionState.self, bufferingPolicy: .bufferingNewest(1))
    content.withLock { content in
      continuation.yield(content.state)
      guard !content.isFinished else { return continuation.finish() }
      let id = content.nextID()
      content.stateReaders[id] = continuation
      continuation.onTermination = { [weak self] _ in
        self?.content.withLock { $0.stateReaders[id] = nil }
      }
    }
    return stream
  }

  func publish(_ event: PortEvent) {
    content.withLock { content in
      if case .stateChange(let state) = event {
        content.state = state
        for reader in content.stateReaders.values { reader.yield(state) }
      }
      for id in content.readers.keys { content.readers[id]?.receive(event) }
    }
  }

  /// Ends all sequences, also those that are created later.
  func finish() {
    let (readers, stateReaders) = content.withLock { content in
      content.isFinished = true
      defer { (content.readers, content.stateReaders) = ([:], [:]) }
      return (content.readers, content.stateReaders)
    }
    // Outside the lock: finishing calls `onTermination`.
    for reader in readers.values { reader.continuation.finish() }
    for reader in stateReaders.values { reader.finish() }
  }
}
