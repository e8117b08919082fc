import FoundationEssentials
import NIOCore
import NIOWebSocket

/// What a page is sent. Sending waits while the page takes nothing.
struct Page: Sendable {
  private let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>

  init(_ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>) { self.outbound = outbound }

  /// Sends an event, a JSON object.
  func send(_ line: String) async throws {
    try await outbound.write(
      WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: line)))
  }

  /// Sends events together.
  func send(_ events: [ByteBuffer]) async throws {
    try await outbound.write(
      contentsOf: events.map { WebSocketFrame(fin: true, opcode: .text, data: $0) })
  }

  /// Sends the list of sessions.
  func send(_ sessions: [SessionList.Session]) async throws {
    struct Event: Encodable {
      let event = "sessions"
      let sessions: [SessionList.Session]
    }
    let data = try JSONEncoder().encode(Event(sessions: sessions))
    try await send(String(decoding: data, as: UTF8.self))
  }

  func joined(_ session: String) async throws {
    try await send(event("joined", ["session": .text(session)]))
  }

  func left(_ session: String, _ reason: String) async throws {
    try await send(event("left", ["session": .text(session), "reason": .text(reason)]))
  }

  /// Says why the page is not let in, and closes the connection.
  func refuse(_ reason: String) async throws {
    try await send(event("refused", ["reason": .text(reason)]))
    try await close(.policyViolation)
  }

  private func event(_ name: String, _ members: [String: BrowserCommand.Scalar]) -> String {
    BrowserCommand.line(of: members.merging(["event": .text(name)]) { $1 })
  }

  func pong(_ data: ByteBuffer) async throws {
    try await outbound.write(WebSocketFrame(fin: true, opcode: .pong, data: data))
  }

  func close(_ code: WebSocketErrorCode) async throws {
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    try await outbound.write(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
  }
}
