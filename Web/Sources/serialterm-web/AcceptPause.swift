import Glibc
import NIOCore

/// Pauses a listener that cannot accept because files or memory have run out.
///
/// The connection stays in the queue of the kernel, which reports it again at once: without a
/// pause the listener would try without end. NIO's own pause delays its next read, but leaves the
/// descriptor watched.
final class AcceptPause: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias OutboundIn = any Channel

  private let makeRoom: @Sendable (IOError) -> Void
  private var isPausing = false

  /// The time until the next try.
  private static let pause = TimeAmount.milliseconds(200)

  /// - Parameter makeRoom: called at each pause.
  init(makeRoom: @escaping @Sendable (IOError) -> Void) { self.makeRoom = makeRoom }

  func read(context: ChannelHandlerContext) {
    // The end of the pause reads again.
    if !isPausing { context.read() }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let failure = error as? IOError,
      [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(failure.errnoCode)
    else { return context.fireErrorCaught(error) }
    guard !isPausing else { return }
    isPausing = true
    makeRoom(failure)
    // The descriptor is no longer watched when the channel stops to read by itself.
    let channel = context.channel
    setReading(false, channel)
    let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.pause) {
      handler.value.isPausing = false
      handler.value.setReading(true, channel)
    }
  }

  private func setReading(_ isReading: Bool, _ channel: any Channel) {
    // A listener that is closed does not read.
    try? channel.syncOptions?.setOption(.autoRead, value: isReading)
  }
}
