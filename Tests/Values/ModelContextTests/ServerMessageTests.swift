import ModelContext
import Testing
import TextTools

@Suite struct ServerMessageTests {
  private let messages = ServerMessage(name: "test", title: "A test", version: "1")
  private static let perRequest = Era.perRequest(.july2026, client: nil)

  private func revision(for requested: String) -> String? {
    messages.initialized(
      ProtocolRevision(askedFor: requested), capabilities: .object([]), instructions: ""
    )
    .first { $0.0 == "protocolVersion" }?.1.string
  }

  @Test func everyRevisionWithAHandshakeIsSpoken() {
    for revision in ProtocolRevision.allCases where !revision.isPerRequest {
      #expect(self.revision(for: revision.rawValue) == revision.rawValue)
    }
    #expect(revision(for: "2026-07-28") == "2025-11-25")
    #expect(revision(for: "tomorrow") == "2025-11-25")
  }

  @Test func aResultOfTheHandshakeEraHasOnlyItsMembers() {
    #expect(
      messages.result([("a", .integer(1))], of: .number(3), in: .handshake, for: .constant)
        == #"{"jsonrpc":"2.0","id":3,"result":{"a":1}}"#)
  }

  @Test func aResultOfTheOtherEraSaysWhatItIs() throws {
    let line = messages.result([], of: .text("x"), in: Self.perRequest, for: .momentary)
    let result = try #require(JSON(parsing: line)["result"])
    #expect(result["resultType"]?.string == "complete")
    #expect(result["ttlMs"]?.integer == 0)
    #expect(result["cacheScope"]?.string == "private")
    #expect(
      result["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"]?.string == "test")
    let call = try JSON(parsing: messages.result([], of: .number(1), in: Self.perRequest))
    #expect(call["result"]?["resultType"]?.string == "complete")
    #expect(call["result"]?["ttlMs"] == nil)
  }

  @Test func progressNamesItsRequest() throws {
    #expect(
      messages.progress(3, of: 7, for: .text("x"))
        == #"{"jsonrpc":"2.0","method":"notifications/progress","#
        + #""params":{"progressToken":"x","progress":3,"total":7}}"#)
    let line = #"{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":5}}}"#
    guard case .request(let request) = ClientMessage.parse(line).first else {
      return #expect(Bool(false))
    }
    #expect(request.progressToken == .number(5))
  }

  @Test func errorsHaveACodeAndTheIDOfTheirRequest() {
    #expect(
      messages.error(.unknownMethod, of: .number(9))
        == #"{"jsonrpc":"2.0","id":9,"error":{"code":-32601,"message":"Method not found"}}"#)
    #expect(
      messages.error(.notJSON, of: nil)
        == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#)
    #expect(ProtocolError.noResource(.handshake).code == -32002)
    #expect(ProtocolError.noResource(Self.perRequest).code == -32602)
  }
}
