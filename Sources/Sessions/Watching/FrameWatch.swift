package import EventLoop
package import Framing
package import Observing
package import SerialCore
import TextStages
import Time

/// Divides what a session receives and sends into frames as it happens.
package final class FrameWatch {
  /// The frames, when they are complete.
  package let frames = Observable<Frame>()
  /// The numbers of frames so far.
  package private(set) var counts = FrameCounts()
  /// Whether the bytes of frames are text.
  package let isText: Bool

  private var line: LineFrames
  private let loop: IOLoop
  private var subscription: Hub.Subscription?
  private var observations: [ObservationToken<SessionEvent>] = []
  /// Ends a silence, with the time at which it does.
  private var timer: (timer: LoopTimer, due: MonotonicTime)?

  /// Starts to watch.
  package init(
    _ form: ChosenFrameForm, of session: Session, receivingFrom hub: Hub, on loop: IOLoop
  ) {
    (line, isText, self.loop) = (LineFrames(form), form.isText, loop)
    subscription = hub.subscribe(as: .listener) { [unowned self] in
      add($0, .fromDevice, at: $1)
    }
    observations = [
      session.observe(.sent) { [unowned self] in add($0.bytes, .toDevice, at: .now) },
      session.observe(.stateChange) { [unowned self] in if !$0.new.isOpen { end() } },
    ]
  }

  /// Adds bytes that were received earlier.
  package func add(early bytes: [UInt8]) {
    bytes.withUnsafeBytes { add($0, .fromDevice, at: .now) }
  }

  private func add(_ bytes: UnsafeRawBufferPointer, _ direction: Direction, at moment: Moment) {
    var found: [Frame] = []
    line.receive(bytes, direction, at: moment, into: &found)
    report(found)
    waitForSilence()
  }

  /// The port is gone, or another program has it: no frame continues.
  /// Divides what is left, as at the end of the connection.
  func end() {
    var found: [Frame] = []
    line.end(into: &found)
    report(found)
  }

  private func waitForSilence() {
    guard let due = line.deadline, timer.map({ due < $0.due }) ?? true else { return }
    let ending = loop.schedule(after: due - loop.now) { [unowned self] in silenceMayHavePassed() }
    timer = (ending, due)
  }

  private func silenceMayHavePassed() {
    timer = nil
    var found: [Frame] = []
    line.tick(at: loop.now, into: &found)
    report(found)
    waitForSilence()
  }

  /// An observer may release the last reference to this object.
  private func report(_ found: [Frame]) {
    for frame in found {
      counts.add(frame)
      frames.notify(frame)
    }
  }
}

extension Frame {
  /// The frame as a line for the search of an answer; nil if it can be none: it is empty, bad or
  /// stray, was sent, or is the echo of a request.
  package func answerLine(isText: Bool) -> [UInt8]? {
    switch decoded.check {
    case .bad, .stray: return nil
    case .none, .good: break
    }
    if direction == .toDevice || direction == .fromDevice && decoded.isRequest { return nil }
    // Between two delimiters, such as those of a frame that begins with one, too.
    if content.isEmpty { return nil }
    return Array("\(text(isText: isText))\n".utf8)
  }
}
