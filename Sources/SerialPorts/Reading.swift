import Framing
import Posix

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

  /// The framing, with what it keeps between frames. It changes only when bytes are removed.
  private(set) var framing: Format
  /// The framing with what it has found in the bytes that are still there.
  private var search: Format
  private var searchedCount = 0

  init(_ framing: Format) { (self.framing, search) = (framing, framing) }

  /// Searches what has arrived.
  mutating func step(_ engine: PortEngine) -> Step {
    while true {
      var (count, isEnded) = engine.buffer.front(endedBy: framing.silence)
      let silenceEnd = engine.buffer.lastArrival.flatMap { last in
        framing.silence.map { last + $0 }
      }
      if let silenceEnd, silenceEnd <= engine.now { isEnded = true }
      if engine.ending != nil { isEnded = true }
      if count == 0 {
        if let ending = engine.ending { return .end(ending) }
        engine.needMore()
        return .wait(until: nil)
      }
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
      case .skip(let length): remove(length, from: engine)
      case .incomplete where isEnded: remove(count, from: engine)
      case .incomplete:
        searchedCount = count
        engine.needMore()
        return .wait(until: silenceEnd)
      }
    }
  }

  private mutating func remove(_ count: Int, from engine: PortEngine) {
    engine.removeReceived(count)
    searchedCount = 0
    framing = search
  }
}
