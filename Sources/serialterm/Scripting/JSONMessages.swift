import EventLoop
import Reconnecting
import SerialCore
import Sessions

/// Sends messages for a command of a program.
final class JSONMessages: MessageSender {
  private weak var performance: JSONPerformance?
  private let port: JSONPort
  private let loop: IOLoop

  init(of performance: JSONPerformance?, at port: JSONPort, on loop: IOLoop) {
    (self.performance, self.port, self.loop) = (performance, port, loop)
  }

  /// Sends a text. It is done when the driver has sent it, and can be cancelled until then.
  func send(_ text: [UInt8], done: @escaping () -> Void) throws(Failure) {
    try port.send(text)
    performance?.wait = .send(Drain(port.port.session, on: loop, patience: nil, done: done))
  }
}
