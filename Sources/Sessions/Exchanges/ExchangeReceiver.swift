import Encodings
import EventLoop
import Framing
import Observing
import SerialCore

/// Gives a running exchange what the device sends: its text as UTF-8, or a line for each frame
/// that is neither bad nor an echo.
final class ExchangeReceiver {
  private let onBytes: ([UInt8]) -> Void
  private let onFrame: (Frame) -> Void
  private var subscription: Hub.Subscription?
  private var decoder: ReceivedDecoder?
  private var frameWatch: FrameWatch?
  private var frames: ObservationToken<Frame>?

  /// - Parameters:
  ///   - onFrame: called with each frame, if there is a form of frames.
  ///   - onBytes: called with the text, or with the line of a frame.
  init(onFrame: @escaping (Frame) -> Void, onBytes: @escaping ([UInt8]) -> Void) {
    (self.onFrame, self.onBytes) = (onFrame, onBytes)
  }

  /// Starts with the text of the device.
  ///
  /// - Parameter early: the bytes that the device sent before.
  func receive(
    from hub: Hub?, as rank: Hub.Rank, decodedFrom encoding: Encoding,
    afterReceiving early: [UInt8], on loop: IOLoop
  ) {
    let decoder = ReceivedDecoder(encoding, on: loop) { [onBytes] text, _ in onBytes(Array(text)) }
    self.decoder = decoder
    subscription = hub?.subscribe(as: rank) { [unowned decoder] bytes, moment in
      decoder.add(bytes, at: moment)
    }
    early.withUnsafeBytes { if !$0.isEmpty { decoder.add($0) } }
  }

  /// Starts with the frames of the device.
  func receive(
    from hub: Hub, framedBy form: ChosenFrameForm, afterReceiving early: [UInt8],
    on session: Session, _ loop: IOLoop
  ) {
    let watch = FrameWatch(form, of: session, receivingFrom: hub, on: loop)
    frames = watch.frames.observe { [onFrame, onBytes, isText = watch.isText] in
      onFrame($0)
      if let line = $0.answerLine(isText: isText) { onBytes(line) }
    }
    frameWatch = watch
    watch.add(early: early)
  }

  /// Passes on the beginning of a character that waits for the rest.
  func flush() { decoder?.flush() }

  /// Ends. What is left of a frame is one, and cannot be an answer any more.
  func end() {
    frames = frameWatch?.frames.observe { [onFrame] in onFrame($0) }
    frameWatch?.end()
    (subscription, decoder, frames, frameWatch) = (nil, nil, nil, nil)
  }
}
