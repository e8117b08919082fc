import Framing
import Time

/// A search for the next frame in what a port receives, which goes on when there is more.
///
/// A value: a search that is given up leaves the bytes to the next one.
struct Reading<Format: Framing> {
  /// The result of a step.
  enum Step {
    /// A frame, which was removed.
    case frame(Format.Frame)
    /// Bytes that are no frame, which were removed.
    case damaged(FrameDamage)
    /// There is no frame yet; at this time there may be one, although nothing arrives.
    case wait(until: MonotonicTime?)
    /// There will be no frame any more.
    case end(PortEngine.Ending)
  }

  /// The framing as its caller gave it.
  private let format: Format
  /// Whether bytes that are too few stay in the buffer when the port ends, and a loss
  /// does not matter.
  private let keepsRest: Bool
  /// The framing, with what it keeps between frames. It changes only when bytes are removed.
  private var framing: Format
  /// The framing with what it has found in the bytes that are still there.
  private var search: Format
  private var searchedCount = 0
  /// Where the first byte was at the last step; nil before the first.
  private var position: Int?
  private var lossCount = 0

  init(_ framing: Format, keepsRest: Bool = false) {
    (format, self.framing, search) = (framing, framing, framing)
    self.keepsRest = keepsRest
  }

  /// Searches what has arrived.
  mutating func step(_ engine: PortEngine) -> Step {
    followOthers(engine)
    while true {
      var (count, isEnded) =
        keepsRest
        ? (engine.buffer.count, false)
        : engine.buffer.front(endedBy: format.silence)
      if !isEnded, let silenceEnd = silenceEnd(engine), silenceEnd <= engine.now {
        // The thread may be late: what the driver has by now came without a silence.
        if engine.receiveLate() { continue }
        isEnded = true
      }
      if engine.ending != nil && !keepsRest { isEnded = true }
      if count == 0 { return end(engine) ?? wait(engine, until: nil) }
      let found = engine.buffer.withFirst(count) { [searchedCount] bytes in
        search.search(bytes, searched: searchedCount, isEnd: isEnded)
      }
      switch found {
      case .frame(let frame, let length):
        remove(length, from: engine)
        return .frame(frame)
      case .damaged(let damage, let length):
        remove(length, from: engine)
        return .damaged(damage)
      case .skip(let length), .rest(let length): remove(length, from: engine)
      case .incomplete where isEnded:
        remove(count, from: engine)
      case .incomplete:
        searchedCount = count
        return end(engine) ?? wait(engine, until: silenceEnd(engine))
      }
    }
  }

  /// The time at which the silence after the last byte ends the frame, if nothing arrives.
  private func silenceEnd(_ engine: PortEngine) -> MonotonicTime? {
    guard let last = engine.buffer.lastArrival, let silence = search.silence else { return nil }
    return last + silence
  }

  private func end(_ engine: PortEngine) -> Step? { engine.ending.map { .end($0) } }

  private func wait(_ engine: PortEngine, until time: MonotonicTime?) -> Step {
    engine.needMore()
    return .wait(until: time)
  }

  /// Takes into account what happened since the last step: another caller has removed bytes, or the
  /// device was lost.
  private mutating func followOthers(_ engine: PortEngine) {
    if position == nil {
      let isBehindLoss = engine.buffer.position >= engine.lossPosition
      lossCount = isBehindLoss ? engine.lossCount : engine.lossCount - 1
    }
    if position != engine.buffer.position {
      // What a reader of the same format left unfinished there, such as the rest of a line that
      // was too long.
      let left = engine.leftFraming(at: engine.buffer.position) as? Format
      restart(with: left.flatMap { $0.hasSameFormat(as: format) ? $0 : nil } ?? format)
      position = engine.buffer.position
    }
    if lossCount != engine.lossCount && engine.buffer.position >= engine.lossPosition {
      restart(with: format)
      lossCount = engine.lossCount
    }
  }

  private mutating func restart(with framing: Format) {
    (self.framing, search, searchedCount) = (framing, framing, 0)
  }

  private mutating func remove(_ count: Int, from engine: PortEngine) {
    engine.removeReceived(count, leaving: search)
    restart(with: search)
    position = engine.buffer.position
    followOthers(engine)
  }
}
