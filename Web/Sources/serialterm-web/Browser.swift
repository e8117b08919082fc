import NIOCore
import NIOWebSocket
import Synchronization

/// One page in a browser: its WebSocket, and the session that it has joined.
///
/// Messages of the page are read one after the other. A page that does not read what it gets
/// holds back its own ``Viewer`` alone.
final class Browser: Sendable {
  typealias Socket = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

  private let server: Server
  private let channel: any Channel
  /// When the page was heard last.
  private let lastHeard = Mutex(NIODeadline.now())

  /// The time within which a page must send its token.
  private static let patience = TimeAmount.seconds(10)
  /// The interval of pings, and the silence after which a page is gone.
  private static let pingInterval = TimeAmount.seconds(20)
  private static let longestSilence = TimeAmount.seconds(60)

  private init(_ channel: any Channel, of server: Server) {
    (self.channel, self.server) = (channel, server)
  }

  /// Serves a page until it leaves.
  ///
  /// - Parameters:
  ///   - guest: its number among those that are not let in yet.
  ///   - isOwn: whether a page of this server has opened the WebSocket.
  static func serve(
    _ socket: Socket, guest: Int, isOwn: Bool, of server: Server
  ) async throws {
    let browser = Browser(socket.channel, of: server)
    try await socket.executeThenClose { inbound, outbound in
      var messages = inbound.makeAsyncIterator()
      let deadline = socket.channel.eventLoop.scheduleTask(in: patience) {
        socket.channel.close(promise: nil)
      }
      defer { deadline.cancel() }
      let page = Page(outbound)
      guard let name = try await browser.admit(&messages, page, isOwn: isOwn) else { return }
      guard server.admit(guest) else { return try await page.refuse("Too many pages are open.") }
      defer { server.dismiss() }
      deadline.cancel()
      let pings = browser.startPings()
      defer { pings.cancel() }
      try await page.send(#"{"event":"welcome","version":1}"#)
      try await browser.run(&messages, page, name: name)
    }
  }

  private typealias Messages = NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator

  /// Reads the first message, which must have the token.
  ///
  /// - Returns: the name of the user; nil if the page was refused.
  private func admit(
    _ messages: inout Messages, _ page: Page, isOwn: Bool
  ) async throws -> String? {
    guard let message = try await next(&messages, page) else { return nil }
    guard case .text(let text) = message,
      case .hello(let token, let name) = try? BrowserCommand(text.readableBytesView),
      server.admission.admits(token: token, isOwn: isOwn)
    else {
      try await page.refuse("This link is not valid: it may be of another user or computer.")
      return nil
    }
    return Self.memberName(name)
  }

  /// The name by which a page's user is known to the other members.
  static func memberName(_ name: String) -> String {
    // An argument ends at U+0000. The session cleans the rest.
    let known = name.unicodeScalars.prefix(40).map { $0 == "\0" ? "\u{FFFD}" : $0 }
    return String(String.UnicodeScalarView(known))
  }

  private func run(_ messages: inout Messages, _ page: Page, name: String) async throws {
    let listing = Task { [sessions = server.sessions] in
      for await list in await sessions.changes() { try await page.send(list) }
    }
    let membership = Membership(name, for: page, of: server)
    defer {
      listing.cancel()
      membership.leave()
    }
    while let message = try await next(&messages, page) {
      do {
        switch message {
        case .text(let text): try await membership.perform(BrowserCommand(text.readableBytesView))
        case .piece(let piece): try piece.withUnsafeReadableBytes { try membership.add($0) }
        }
      } catch let refusal as BrowserCommand.Refusal {
        try await page.send(refusal.line)
      }
    }
  }

  // MARK: Frames

  private enum Message {
    case text(ByteBuffer)
    case piece(ByteBuffer)
  }

  /// The next message; nil if the page leaves, or breaks the rules.
  private func next(_ messages: inout Messages, _ page: Page) async throws -> Message? {
    while let frame = try await messages.next() {
      lastHeard.withLock { $0 = .now() }
      // RFC 6455, 5.1 and 5.2: clients mask, and reserved bits belong to extensions.
      guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
        try await page.close(.protocolError)
        return nil
      }
      switch frame.opcode {
      case .text:
        guard frame.length <= BrowserCommand.limit else {
          try await page.close(.messageTooLarge)
          return nil
        }
        return .text(frame.unmaskedData)
      case .binary: return .piece(frame.unmaskedData)
      case .ping: try await page.pong(frame.unmaskedData)
      case .pong: break
      case .connectionClose:
        try await page.close(.normalClosure)
        return nil
      default:
        try await page.close(.protocolError)
        return nil
      }
    }
    return nil
  }

  /// Pings the page, and closes its connection when it was silent for long.
  private func startPings() -> RepeatedTask {
    channel.eventLoop.scheduleRepeatedTask(
      initialDelay: Self.pingInterval, delay: Self.pingInterval
    ) { [channel, self] _ in
      guard .now() - lastHeard.withLock({ $0 }) < Self.longestSilence else {
        return channel.close(promise: nil)
      }
      channel.writeAndFlush(
        WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer()), promise: nil)
    }
  }
}
