import EventLoop
import TerminalUI

/// Turns what is typed into keys, and tells the escape key by the silence after it.
final class KeyReader {
  private let loop: EventLoop
  private let onKey: (Key) -> Void
  private var decoder = KeyDecoder()
  private var timer: Timer?

  /// How long after an escape the rest of a sequence may take: a slow connection's packets.
  private static let escapeTime = Duration.milliseconds(40)

  init(on loop: EventLoop, onKey: @escaping (Key) -> Void) {
    self.loop = loop
    self.onKey = onKey
  }

  /// Takes bytes until a key was complete.
  ///
  /// - Returns: how many: what follows may be for somebody else.
  func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    timer = nil
    let (keys, count) = decoder.decodeFirst(of: bytes)
    keys.forEach(onKey)
    if decoder.isPending {
      timer = loop.schedule(after: Self.escapeTime) { [unowned self] in
        decoder.flush().forEach(onKey)
      }
    }
    return count
  }

  /// Forgets a key that has begun.
  func reset() {
    timer = nil
    decoder = KeyDecoder()
  }
}
