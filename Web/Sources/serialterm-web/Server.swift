import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// Serves the page and the WebSockets of its copies in browsers.
final class Server: Sendable {
  let admission: Admission
  let sessions: SessionList
  /// The places for files of all pages.
  let uploads: UploadPlaces
  /// The path of serialterm.
  let program: String
  private let rules: RequestRules
  /// The computers that may connect; empty for all.
  private let allowed: [AddressRange]
  /// The number of pages at one time.
  private let mostPages: Int
  private let people: Mutex<People>

  /// Who is connected.
  private struct People {
    var guests: Guests
    /// The connections of the guests, by their numbers.
    var channels: [Int: any Channel] = [:]
    var next = 0
    /// The number of pages that were let in.
    var pages = 0
    /// Whether the log has that files or memory have run out.
    var hasComplained = false
    /// The refused requests that the log has.
    var refusals = RefusalLog()

    /// Removes a guest that has gone, or was let in.
    mutating func remove(_ guest: Int) {
      guests.remove(guest)
      channels[guest] = nil
    }
  }

  /// The time within which a connection must have sent a request, and taken the answer.
  private static let patience = TimeAmount.seconds(10)
  /// The largest frame: a piece of a file. Messages of several frames may be as long.
  private static let largestFrame = 65_536

  private typealias Requests = NIOAsyncChannel<
    HTTPServerRequestPart, HTTPPart<HTTPResponseHead, ByteBuffer>
  >

  /// What a connection has become.
  private enum Connection: Sendable {
    /// - Parameters:
    ///   - guest: its number among those that are not let in yet.
    ///   - isOwn: whether a page of this server has opened it.
    case page(Browser.Socket, guest: Int, isOwn: Bool)
    case requests(Requests)
  }

  private typealias Listener = NIOAsyncChannel<EventLoopFuture<Connection>, Never>
  private let listener = Mutex<Listener?>(nil)

  init(
    admission: Admission, sessions: SessionList, program: String, rules: RequestRules,
    allowed: [AddressRange], descriptors: DescriptorLimit
  ) {
    (self.admission, self.sessions, self.program) = (admission, sessions, program)
    (self.rules, self.allowed) = (rules, allowed)
    mostPages = descriptors.pages
    uploads = UploadPlaces(limit: 8, numbers: descriptors.ofUploads)
    people = Mutex(People(guests: Guests(limit: descriptors.guests)))
  }

  /// Begins to listen.
  ///
  /// - Throws: the errors of bind(2).
  func listen(host: String, port: Int) async throws {
    let bound = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { [self] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            AcceptPause { [weak self] in self?.makeRoom(after: $0) })
        }
      }
      // What waits for a page that reads slowly: the kernel would keep megabytes.
      .childChannelOption(.socketOption(.so_sndbuf), value: 131_072)
      .bind(host: host, port: port) { [self] channel in
        channel.eventLoop.makeCompletedFuture { try prepare(channel) }
      }
    listener.withLock { $0 = bound }
  }

  /// Serves connections until the listener fails.
  func run() async throws {
    guard let listener = listener.withLock({ $0 }) else { return }
    try await withThrowingDiscardingTaskGroup { group in
      try await listener.executeThenClose { inbound in
        for try await connection in inbound {
          group.addTask { [self] in
            // One connection's trouble is its own.
            try? await serve(connection)
          }
        }
      }
    }
  }

  private func prepare(_ channel: any Channel) throws -> EventLoopFuture<Connection> {
    // Who may not connect takes no place of a guest, and makes none leave.
    let mayConnect = isAllowed(channel.remoteAddress)
    let guest = mayConnect ? receive(channel) : 0
    if !mayConnect { channel.close(promise: nil) }
    let upgrader = NIOTypedWebSocketServerUpgrader<Connection>(
      maxFrameSize: Self.largestFrame,
      shouldUpgrade: { [self] channel, head in
        let isSocket = Self.parts(of: head.uri).path.hasSuffix("/socket")
        if isSocket, rules.refusal(of: head) == nil {
          return channel.eventLoop.makeSucceededFuture(HTTPHeaders())
        }
        // NIO closes a refused connection without an answer.
        let (status, headers, body) = answer(to: head)
        channel.write(
          HTTPServerResponsePart.head(
            HTTPResponseHead(version: .http1_1, status: status, headers: headers)), promise: nil)
        channel.write(
          HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in
          channel.close(promise: nil)
        }
        return channel.eventLoop.makeSucceededFuture(nil)
      },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 64,
              maxAccumulatedFrameSize: Self.largestFrame))
          return .page(
            try Browser.Socket(wrappingChannelSynchronously: channel), guest: guest,
            isOwn: RequestRules.isOfPage(head))
        }
      })
    let negotiation = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
      configuration: .init(
        upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
          upgraders: [upgrader],
          notUpgradingCompletionHandler: { channel in
            channel.eventLoop.makeCompletedFuture {
              try channel.pipeline.syncOperations.addHandler(ResponseParts())
              return .requests(try Requests(wrappingChannelSynchronously: channel))
            }
          })))
    try channel.pipeline.syncOperations.addHandler(ClosesAfterErrors())
    // Until the first request is complete; a request then has a time limit of its own.
    let deadline = channel.eventLoop.scheduleTask(in: Self.patience) {
      channel.close(promise: nil)
    }
    negotiation.whenComplete {
      deadline.cancel()
      // Something else than a request came.
      if case .failure = $0 { channel.close(promise: nil) }
    }
    return negotiation
  }

  private func isAllowed(_ address: SocketAddress?) -> Bool {
    guard !allowed.isEmpty else { return true }
    guard let address = address?.ipAddress else { return false }
    return allowed.contains { $0.contains(address) }
  }

  private func serve(_ connection: EventLoopFuture<Connection>) async throws {
    switch try await connection.get() {
    case .page(let socket, let guest, let isOwn):
      try await Browser.serve(socket, guest: guest, isOwn: isOwn, of: self)
    case .requests(let requests): try await serveRequest(requests)
    }
  }

  // MARK: Who is connected

  /// Notes a connection, which is a guest until it is let in. If there are too many, another one
  /// goes.
  ///
  /// - Returns: its number, at least 1.
  private func receive(_ channel: any Channel) -> Int {
    let peer = Guests.Peer(channel.remoteAddress?.ipAddress)
    let (number, leaving) = people.withLock { people in
      people.next += 1
      people.channels[people.next] = channel
      let leaving = people.guests.add(people.next, from: peer)
      return (people.next, leaving.flatMap { people.channels.removeValue(forKey: $0) })
    }
    channel.closeFuture.whenComplete { [weak self] _ in
      self?.people.withLock { $0.remove(number) }
    }
    leaving?.close(promise: nil)
    return number
  }

  /// Lets a guest in.
  ///
  /// - Returns: whether there is room.
  func admit(_ guest: Int) -> Bool {
    people.withLock {
      guard $0.pages < mostPages else { return false }
      $0.remove(guest)
      $0.pages += 1
      return true
    }
  }

  /// Notes that a page which was let in has gone.
  func dismiss() { people.withLock { $0.pages -= 1 } }

  /// Closes the connection of a guest because no further one can be accepted.
  private func makeRoom(after failure: IOError) {
    let (leaving, isFirst) = people.withLock { people in
      let isFirst = !people.hasComplained
      people.hasComplained = true
      let oldest = people.guests.removeOldest()
      return (oldest.flatMap { people.channels.removeValue(forKey: $0) }, isFirst)
    }
    leaving?.close(promise: nil)
    guard isFirst else { return }
    Log.write(
      "cannot accept connections: \(String(cString: strerror(failure.errnoCode))). "
        + "The oldest without the token are closed.")
  }

  // MARK: The files of the page

  /// Answers one request, and closes the connection.
  private func serveRequest(_ requests: Requests) async throws {
    let deadline = requests.channel.eventLoop.scheduleTask(in: Self.patience) {
      requests.channel.close(promise: nil)
    }
    defer { deadline.cancel() }
    try await requests.executeThenClose { inbound, outbound in
      for try await part in inbound {
        guard case .head(let head) = part else { continue }
        let (status, headers, body) = answer(to: head)
        try await outbound.write(
          .head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
        if head.method != .HEAD { try await outbound.write(.body(ByteBuffer(bytes: body))) }
        try await outbound.write(.end(nil))
        return
      }
    }
  }

  private func answer(to head: HTTPRequestHead) -> (HTTPResponseStatus, HTTPHeaders, [UInt8]) {
    let file = PageFile(target: head.uri)
    // Chromium names the page's origin for its scripts, too. Parts are the same for everybody, and
    // let a page behind a proxy say why its WebSocket is refused.
    let isReading = head.method == .GET || head.method == .HEAD
    let isPartOfPage = isReading && file != nil && file != .html
    if let refusal = rules.refusal(of: head), !(isPartOfPage && refusal.status == .forbidden) {
      if refusal.status != .badRequest { log(refusal.report) }
      return text(refusal.status, refusal.reason)
    }
    guard isReading else {
      return text(.methodNotAllowed, "Only GET and HEAD are possible here.")
    }
    if let file { return answer(.ok, file.type, file.bytes) }
    let (path, query) = Self.parts(of: head.uri)
    if path.hasSuffix("/why") {
      return text(.ok, rules.explanation(for: head, of: query))
    }
    guard path.hasSuffix("/socket") else {
      return text(.notFound, "There is nothing here. The page is at '/'.")
    }
    // A browser's WebSocket has this header, and a proxy passes it if it does not know it.
    if head.headers.contains(name: "Sec-WebSocket-Key") { log(RequestRules.upgradeAdvice) }
    return text(.upgradeRequired, "This address is for the page's WebSocket.")
  }

  /// The path and the query of a request.
  private static func parts(of uri: String) -> (path: Substring, query: String) {
    let path = uri.prefix { $0 != "?" }
    return (path, String(uri.dropFirst(path.count + 1)))
  }

  private func log(_ reason: String) {
    for line in people.withLock({ $0.refusals.lines(about: reason) }) { Log.write(line) }
  }

  private func text(
    _ status: HTTPResponseStatus, _ text: String
  ) -> (HTTPResponseStatus, HTTPHeaders, [UInt8]) {
    answer(status, "text/plain; charset=utf-8", Array("\(text)\n".utf8))
  }

  private func answer(
    _ status: HTTPResponseStatus, _ type: String, _ body: [UInt8]
  ) -> (HTTPResponseStatus, HTTPHeaders, [UInt8]) {
    var headers = PageFile.headers
    headers.add(name: "Content-Type", value: type)
    headers.add(name: "Content-Length", value: "\(body.count)")
    headers.add(name: "Connection", value: "close")
    return (status, headers, body)
  }
}

/// Closes a connection on which something else came than the protocol has. NIO has answered it.
private final class ClosesAfterErrors: ChannelInboundHandler {
  typealias InboundIn = Any

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}

/// Gives the HTTP encoder the parts of a response with bodies of bytes.
private final class ResponseParts: ChannelOutboundHandler {
  typealias OutboundIn = HTTPPart<HTTPResponseHead, ByteBuffer>
  typealias OutboundOut = HTTPServerResponsePart

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let part: HTTPServerResponsePart =
      switch unwrapOutboundIn(data) {
      case .head(let head): .head(head)
      case .body(let bytes): .body(.byteBuffer(bytes))
      case .end(let trailers): .end(trailers)
      }
    context.write(wrapOutboundOut(part), promise: promise)
  }
}
