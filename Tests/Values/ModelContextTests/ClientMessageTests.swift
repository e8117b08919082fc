import ModelContext
import Testing
import TextTools

@Suite struct ClientMessageTests {
  /// A message in a word, and what a test needs of it.
  private func outline(_ line: String) -> [String] { ClientMessage.parse(line).map(outline) }

  private func outline(_ message: ClientMessage) -> String {
    switch message {
    case .request(let request): "request \(request.id.json) \(request.method) \(request.era)"
    case .notification(let method, _): "notification \(method)"
    case .response: "response"
    case .invalid(let id, let error): "\(error.code) of \(id?.json.description ?? "nothing")"
    case .batched(let message, let isFirst): "\(isFirst ? "batch: " : "")\(outline(message))"
    }
  }

  @Test func messagesAreRequestsNotificationsAndResponses() {
    #expect(
      outline(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#) == ["request 1 ping handshake"])
    #expect(
      outline(#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}"#)
        == [#"request "a" ping handshake"#])
    #expect(
      outline(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        == ["notification notifications/initialized"])
    for number in ["1.0", "1e0"] {
      #expect(
        outline(#"{"jsonrpc":"2.0","id":\#(number),"method":"ping"}"#)
          == ["request 1 ping handshake"])
    }
    #expect(outline(#"{"jsonrpc":"2.0","id":4,"result":{}}"#) == ["response"])
    #expect(outline(#"{"jsonrpc":"2.0","id":4,"error":{"code":1}}"#) == ["response"])
  }

  @Test(arguments: [
    ("", "-32700 of nothing"), ("{", "-32700 of nothing"), ("7", "-32600 of nothing"),
    (#"{"id":1,"method":"ping"}"#, "-32600 of 1"),
    (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "-32600 of 1"),
    (#"{"jsonrpc":"2.0","id":1}"#, "-32600 of 1"),
    (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "-32600 of nothing"),
    (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "-32600 of nothing"),
    (#"{"jsonrpc":"2.0","id":1e300,"method":"ping"}"#, "-32600 of nothing"),
    (#"{"jsonrpc":"2.0","id":1,"method":7}"#, "-32600 of 1"),
    (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, "-32602 of 1"),
    (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":1}}"#, "-32602 of 1"),
    ("[]", "-32600 of nothing"),
  ])
  func whatIsNotAMessageIsAnsweredWithTheReason(_ line: String, _ expected: String) {
    #expect(outline(line) == [expected])
  }

  @Test func onlyTheFirstRevisionsHaveBatches() {
    #expect(ProtocolRevision.allCases.filter(\.hasBatches) == [.november2024, .march2025])
    #expect(ProtocolRevision(askedFor: "2025-03-26") == .march2025)
    for unknown in ["2026-07-28", "1999-01-01", ""] {
      #expect(ProtocolRevision(askedFor: unknown) == .november2025)
    }
  }

  @Test func aBatchHasLimits() {
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
    func batch(_ count: Int) -> String {
      "[\(Array(repeating: ping, count: count).joined(separator: ","))]"
    }
    #expect(outline(batch(32)).count == 32)
    #expect(outline(batch(33)) == ["-32600 of nothing"])
    #expect(outline("[\(ping),7]") == ["batch: request 1 ping handshake", "-32600 of nothing"])
  }

  private func request(of version: String) -> String {
    #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"#
      + #""io.modelcontextprotocol/protocolVersion":\#(version),"#
      + #""io.modelcontextprotocol/clientInfo":{"name":"probe"}}}}"#
  }

  @Test func aRequestMayNameItsRevision() throws {
    let messages = ClientMessage.parse(request(of: #""2026-07-28""#))
    guard case .request(let request)? = messages.first else {
      Issue.record("not a request")
      return
    }
    #expect(request.era == .perRequest(.july2026, client: "probe"))
  }

  @Test(arguments: [#""2025-11-25""#, #""1900-01-01""#, #""""#])
  func aRevisionThatNoRequestMayNameIsRefused(_ version: String) throws {
    guard case .invalid(let id?, let error)? = ClientMessage.parse(request(of: version)).first
    else {
      Issue.record("not refused")
      return
    }
    #expect(id == .number(1))
    #expect(error.code == -32022)
    #expect(error.data?.description == #"{"supported":["2026-07-28"],"requested":\#(version)}"#)
    #expect(outline(request(of: "7")) == ["-32602 of 1"])
    let long = #""a\#(String(repeating: "\u{301}", count: 100_000))""#
    guard case .invalid(_, let error) = ClientMessage.parse(request(of: long)).first else {
      return #expect(Bool(false))
    }
    #expect(error.data?["requested"]?.string?.unicodeScalars.count == 100)
  }
}
