import EventLoop
import Glibc
import Posix
import SystemPackage

/// A client that cannot have the port. It gets the reason as text.
///
/// What it sends is read and dropped until it hangs up, for a while: a connection that is closed with unread
/// bytes is reset, and the reason is lost with it. See tcp(7).
final class RefusedClient {
  /// Called once, when the connection can be closed: release this then, at the end of the turn.
  var onEnd: () -> Void = {}

  private let descriptor: OwnedDescriptor
  private var watch: DescriptorWatch?
  private var limit: LoopTimer?
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)

  /// How long the client may take to hang up.
  private static let patience = Duration.seconds(2)

  /// Tells a client the reason, and ends the stream to it.
  ///
  /// - Throws: the errors of epoll_ctl(2).
  init(
    _ descriptor: consuming OwnedDescriptor, telling reason: String, on loop: IOLoop
  ) throws(Errno) {
    let client = descriptor.borrowed
    self.descriptor = descriptor
    var text = "serialterm: \(reason)\r\n"
    text.withUTF8 { _ = try? client.writeAvailable(UnsafeRawBufferPointer($0)) }
    shutdown(client.rawValue, CInt(SHUT_WR))
    watch = try loop.watch(client, for: .reading) { [unowned self] _ in read() }
    limit = loop.schedule(after: Self.patience) { [unowned self] in end() }
  }

  deinit { scratch.deallocate() }

  private func read() {
    switch (try? descriptor.borrowed.readAvailable(into: scratch)) ?? .endOfFile {
    case .bytes, .wouldBlock: break
    case .endOfFile: end()
    }
  }

  private func end() {
    watch?.cancel()
    (watch, limit) = (nil, nil)
    onEnd()
  }
}
