package import EventLoop
package import TerminalWidgets

/// Decodes typed bytes into keys. The escape key is recognised by the silence after it.
package final class KeyReader {
  private let loop: IOLoop
  private let onKey: (Key) -> Void
  private var decoder = KeyDecoder()
  private var timer: LoopTimer?

  /// The maximum time between an escape and the rest of a sequence, over a slow connection.
  private static let escapeTime = Duration.milliseconds(40)

  package init(on loop: IOLoop, onKey: @escaping (Key) -> Void) {
    self.loop = loop
    self.onKey = onKey
  }

  /// Decodes bytes up to the end of one key, because that key may close the dialog.
  ///
  /// - Returns: the number of bytes decoded.
  package func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
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

  /// Discards an incomplete key.
  package func reset() {
    timer = nil
    decoder = KeyDecoder()
  }
}
