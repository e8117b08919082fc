package import TextStages
package import Time

/// Divides the bytes of one direction into frames with their times.
///
/// Each byte is in exactly one frame. Bytes between frames are returned as stray ones.
///
/// A silence can be the end of a frame, or a pause in it: of the network, of an adapter, of this
/// program. So bytes after a silence are read both ways, and a frame that is right decides.
package struct FrameReader: Sendable {
  /// The direction of the bytes; nil if it is unknown.
  package let direction: Direction?
  private var buffer: FrameBuffer<CheckedFraming>
  /// The number of bytes that were received.
  private var receivedCount = 0
  /// The place of the first byte of each read with bytes in the buffer, and its time.
  private var reads: [(start: Int, moment: Moment)] = []
  private var lastMoment: Moment?
  /// Stray bytes that may continue: they are returned with the next frame, or after the silence.
  private var stray: Frame?
  /// What the last silence may have ended, until that is known: one element, or none.
  private var split: [Split] = []

  /// The most stray bytes in a result.
  private static let strayLimit = 4_096

  /// Creates a reader that has received nothing.
  package init(_ format: any Framing<DecodedFrame>, _ direction: Direction? = nil) {
    self.direction = direction
    buffer = FrameBuffer(CheckedFraming(format))
  }

  /// The silence that ends a frame, or stray bytes; nil if a silence does not matter.
  package var silence: Duration? {
    buffer.framing.silence ?? (stray == nil ? nil : Self.shortPause)
  }

  /// The number of bytes that wait for the rest of their frame, or for more stray bytes.
  /// ``end(into:)`` would return them.
  package var waitingCount: Int { buffer.count + (stray?.bytes.count ?? 0) }

  /// The time at which the waiting bytes end, if nothing arrives, by the monotonic clock; nil if
  /// nothing waits, or if a silence does not matter.
  package var deadline: MonotonicTime? {
    guard waitingCount > 0, let silence, let lastMoment else { return nil }
    return MonotonicTime(nanoseconds: Int64(clamping: lastMoment.monotonic)) + silence
  }

  /// Receives bytes, and appends the frames that are complete.
  ///
  /// - Parameter moment: the time of the read.
  package mutating func receive(
    _ piece: some Collection<UInt8>, at moment: Moment, into frames: inout [Frame]
  ) {
    guard !piece.isEmpty else { return }
    let pause = pause(before: moment)
    if pause != .none { split = [Split(ending: self)] }
    guard var split = split.popLast() else { return add(piece, at: moment, into: &frames) }

    var (joined, joinedFrames, laterFrames) = (self, [Frame](), [Frame]())
    joined.add(piece, at: moment, into: &joinedFrames)
    split.later.add(piece, at: moment, into: &laterFrames)
    let isJoined: Bool
    if (split.ended + laterFrames).contains(where: \.isGood) {
      isJoined = joinedFrames.contains(where: \.isGood)
    } else if pause == .long {
      let isClear = joined.hasReadAll(in: joinedFrames) && !split.later.hasReadAll(in: laterFrames)
      isJoined =
        isClear
        || joinedFrames.contains(where: \.isSound)
          && !laterFrames.contains(where: \.isSound)
    } else {
      isJoined = true
    }
    if !isJoined {
      self = split.later
      frames += split.ended + laterFrames
    } else {
      self = joined
      if joinedFrames.isEmpty && laterFrames.isEmpty { self.split = [split] }
      frames += joinedFrames
    }
  }

  private mutating func add(
    _ piece: some Collection<UInt8>, at moment: Moment, into frames: inout [Frame]
  ) {
    lastMoment = moment
    reads.append((receivedCount, moment))
    receivedCount += piece.count
    buffer.append(piece)
    search(isEnd: false, into: &frames)
  }

  /// Appends what is left as frames: the silence has passed, or the stream has ended.
  package mutating func end(into frames: inout [Frame]) {
    if var split = split.popLast() {
      var laterFrames: [Frame] = []
      split.later.end(into: &laterFrames)
      if laterFrames.contains(where: \.isGood) {
        self = split.later
        frames += split.ended + laterFrames
        return
      }
    }
    search(isEnd: true, into: &frames)
    endStray(into: &frames)
  }

  /// Whether the frames of the last bytes are right, and no byte is left.
  private func hasReadAll(in frames: [Frame]) -> Bool {
    waitingCount == 0 && !frames.isEmpty && frames.allSatisfy(\.isSound)
  }

  // MARK: Silences

  /// The bytes as they are if the last silence was the end of a frame.
  private struct Split {
    /// The reader after that end.
    var later: FrameReader
    /// The frames up to that end.
    private(set) var ended: [Frame] = []

    init(ending reader: FrameReader) {
      later = reader
      later.split = []
      later.end(into: &ended)
    }
  }

  private enum Pause {
    case none
    /// A frame that is right may begin after it.
    case short
    /// The silence of the form: the bytes before it have ended, unless they continue.
    case long
  }

  /// The shortest silence that can be the end of a frame of any form.
  private static let shortPause = Duration.milliseconds(50)

  private func pause(before moment: Moment) -> Pause {
    guard waitingCount > 0, let silence, let lastMoment else { return .none }
    let time =
      MonotonicTime(nanoseconds: Int64(clamping: moment.monotonic))
      - MonotonicTime(nanoseconds: Int64(clamping: lastMoment.monotonic))
    return time >= silence ? .long : time >= Self.shortPause ? .short : .none
  }

  private mutating func search(isEnd: Bool, into frames: inout [Frame]) {
    while case .success(let found) = buffer.next(isEnd: isEnd) {
      removeReads(until: receivedCount - buffer.count - found.bytes.count)
      let frame = Frame(found, direction, at: reads[0].moment)
      if frame.decoded.check == .stray {
        add(stray: frame, into: &frames)
      } else {
        endStray(into: &frames)
        frames.append(frame)
      }
    }
    // What follows is the beginning of a frame.
    if buffer.framing.silence == nil, buffer.count > 0 { endStray(into: &frames) }
    removeReads(until: receivedCount - buffer.count)
  }

  private mutating func add(stray next: Frame, into frames: inout [Frame]) {
    stray?.append(next.bytes)
    if stray == nil { stray = next }
    if let count = stray?.bytes.count, count >= Self.strayLimit { endStray(into: &frames) }
  }

  private mutating func endStray(into frames: inout [Frame]) {
    guard let ended = stray.take() else { return }
    if let last = frames.indices.last, frames[last].isContinued(by: ended, limit: Self.strayLimit) {
      frames[last].append(ended.bytes)
    } else {
      frames.append(ended)
    }
  }

  /// Removes the reads before a place, except the one with the byte at that place.
  private mutating func removeReads(until place: Int) {
    if let read = reads.lastIndex(where: { $0.start <= place }) { reads.removeFirst(read) }
  }
}

extension Frame {
  /// Whether its check is right.
  fileprivate var isGood: Bool { decoded.check == .good }
  /// Whether it is a frame with a content, and no check says that it is wrong.
  fileprivate var isSound: Bool { isGood || decoded.check == .none && !content.isEmpty }

  /// Whether both are stray bytes of one direction, and this one is shorter than the limit.
  fileprivate func isContinued(by next: Frame, limit: Int) -> Bool {
    decoded.check == .stray && next.decoded.check == .stray && direction == next.direction
      && bytes.count < limit
  }
}
