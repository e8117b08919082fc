import EventLoop
import Posix
import SerialCore
import SystemPackage

/// Reads the source of a running exchange when there is room to send, and reports when there is.
final class ExchangeSupply {
  private let source: (any ExchangeSource)?
  private let session: Session
  private let loop: IOLoop
  private let onEvent: (ExchangeEvent) -> Void
  private var want: Want?
  private var isFillPending = false
  /// Watches a source that has nothing to read now.
  private var watch: DescriptorWatch?

  /// What the exchange waits for.
  enum Want {
    /// At most this number of bytes of the source.
    case bytes(Int)
    /// Fewer than this number of bytes in the queue.
    case room(Int)
  }

  /// The source is read while fewer bytes than this are queued, so that the driver does not wait
  /// for the disk.
  private static let fillLevel = 32_768

  init(
    _ source: (any ExchangeSource)?, to session: Session, on loop: IOLoop,
    onEvent: @escaping (ExchangeEvent) -> Void
  ) {
    (self.source, self.session, self.loop, self.onEvent) = (source, session, loop, onEvent)
  }

  /// Answers the exchange as soon as it can have what it wants.
  func wait(for want: Want) {
    self.want = want
    fillSoon()
  }

  /// The exchange does not wait for bytes any more.
  func cancelRead() { if case .bytes = want { cancel() } }

  /// The exchange does not wait any more.
  func cancel() { (want, watch) = (nil, nil) }

  /// There may be more room in the queue.
  ///
  /// It is used at the end of the turn, so that keys are handled even if the driver always takes
  /// everything at once.
  func fillSoon() {
    guard want != nil, !isFillPending else { return }
    isFillPending = true
    loop.atEndOfTurn { [weak self] in self?.fill() }
  }

  private func fill() {
    isFillPending = false
    switch want {
    case .room(let level):
      if session.queuedByteCount < level { answer(.room) }
    case .bytes(let limit):
      guard session.state.isOpen, session.queuedByteCount < Self.fillLevel, let source
      else { return }
      do throws(Errno) {
        switch try source.read(atMost: limit) {
        case .bytes(let bytes): answer(.read(bytes))
        case .end: answer(.endOfSource)
        case .wouldBlock: try wait(for: source)
        }
      } catch {
        answer(.sourceFailed(error))
      }
    case nil: break
    }
  }

  private func answer(_ event: ExchangeEvent) {
    cancel()
    onEvent(event)
  }

  /// Waits until there is something to read.
  private func wait(for source: any ExchangeSource) throws(Errno) {
    guard watch == nil else { return }
    watch = try loop.watch(source.descriptor, for: .reading) { [unowned self] _ in
      watch = nil
      fillSoon()
    }
  }
}
