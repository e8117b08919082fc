package import EventLoop
import Observing
package import Scrollback
package import Time

/// Lets the screen stand while the device goes on.
///
/// While the screen stands, the device's bytes are not shown: the scrollback and the logs get them.
/// Afterwards they are shown from the scrollback, in parts, at the pace of the terminal. What
/// arrives meanwhile follows in its order. Bytes that the scrollback has dropped by then are
/// counted. No memory is needed besides the scrollback's.
package final class ViewPause {
  /// What the screen does.
  package enum State: Hashable, Sendable {
    /// It shows bytes as they arrive.
    case live
    /// It stands.
    case standing
    /// It shows what arrived while it stood.
    case catchingUp
  }

  /// What the screen does. Show received bytes only while it is live.
  @Observed package private(set) var state = State.live

  private let scrollback: Scrollback
  private let isCrowded: () -> Bool
  private let loop: IOLoop
  private let show: (UnsafeRawBufferPointer, Moment) -> Void
  private let sayMissing: (Int) -> Void
  private var reader: ScrollbackReader
  private var timer: LoopTimer?

  /// The number of bytes that are shown at the end of the session. The terminal takes them at once.
  private static let rest = 262_144
  /// The number of bytes that are shown in a turn of the loop.
  private static let part = 16_384

  /// Creates the pause of a live screen.
  ///
  /// - Parameters:
  ///   - scrollback: the scrollback that gets all bytes of the device.
  ///   - isCrowded: returns whether the terminal, at whose pace bytes are shown afterwards, takes
  ///     no more. Call ``catchUp()`` when it does again.
  ///   - loop: the loop whose turns show them.
  ///   - show: shows bytes that were read at a time, which has milliseconds.
  ///   - sayMissing: says that a number of bytes cannot be shown, because the scrollback has
  ///     dropped them.
  package init(
    of scrollback: Scrollback, isCrowded: @escaping () -> Bool, loop: IOLoop,
    show: @escaping (UnsafeRawBufferPointer, Moment) -> Void,
    sayMissing: @escaping (Int) -> Void
  ) {
    self.scrollback = scrollback
    self.isCrowded = isCrowded
    self.loop = loop
    self.show = show
    self.sayMissing = sayMissing
    reader = ScrollbackReader(atEndOf: scrollback)
  }

  /// The number of bytes that arrived and were not shown yet.
  package var waitingCount: Int { state == .live ? 0 : reader.remainingCount(in: scrollback) }

  /// Lets the screen stand. The next byte that the scrollback gets is the first that is not shown.
  package func begin() {
    switch state {
    case .live: reader = ScrollbackReader(atEndOf: scrollback)
    case .standing: return
    case .catchingUp: timer = nil
    }
    state = .standing
  }

  /// Shows what arrived meanwhile, and then bytes as they arrive.
  package func end() {
    guard state == .standing else { return }
    state = .catchingUp
    scheduleTurn()
  }

  /// Shows the newest bytes that arrived meanwhile at once, because the session ends or the screen
  /// is needed.
  package func finish() {
    timer = nil
    guard state != .live else { return }
    let waiting = waitingCount
    if waiting > Self.rest {
      reader.read(from: scrollback, upTo: waiting - Self.rest) { _, _ in }
      sayMissing(waiting - waitingCount)
    }
    while showPart() {}
    state = .live
  }

  private func scheduleTurn() {
    timer = loop.schedule(after: .zero) { [unowned self] in catchUp() }
  }

  /// Shows one part, if the terminal takes it. Otherwise this is called again when it has room.
  package func catchUp() {
    guard state == .catchingUp, !isCrowded() else { return }
    timer = nil
    if showPart() {
      scheduleTurn()
    } else {
      state = .live
    }
  }

  /// - Returns: whether more bytes wait.
  private func showPart() -> Bool {
    let missing = reader.skipDropped(in: scrollback)
    if missing > 0 { sayMissing(missing) }
    let now = Moment.now
    reader.read(from: scrollback, upTo: Self.part) { bytes, milliseconds in
      let (time, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
      show(bytes, now.moved(to: overflow ? .max : time))
    }
    return reader.remainingCount(in: scrollback) > 0
  }
}
