package import TextTools

/// The number or text by which a client recognises the answer to a request, or its progress.
package enum RequestID: Hashable, Sendable {
  case number(Int)
  case text(String)

  /// Reads an id; nil for any other value. The protocol allows neither null nor a fraction; 1.0 is
  /// a whole number.
  package init?(_ json: JSON?) {
    switch json {
    case .integer(let number): self = .number(number)
    case .string(let text): self = .text(text)
    case .number(let number):
      guard let whole = Int(exactly: number) else { return nil }
      self = .number(whole)
    case .null, .bool, .array, .object, nil: return nil
    }
  }

  package var json: JSON {
    switch self {
    case .number(let number): .integer(number)
    case .text(let text): .string(text)
    }
  }
}

/// A request of a client.
package struct ClientRequest {
  package let id: RequestID
  package let method: String
  /// The parameters; an empty object if there are none.
  package let parameters: JSON
  package let era: Era

  /// The token with which the client wants to hear of the progress; nil if it does not.
  package var progressToken: RequestID? { RequestID(parameters["_meta"]?["progressToken"]) }
}

/// A message from a client, or the reason why it is not one.
package enum ClientMessage {
  case request(ClientRequest)
  /// A message without an answer, and its parameters.
  case notification(method: String, JSON)
  /// An answer to a request of this server, which has sent none.
  case response
  /// Not a valid message. The id is that of the request, if it has one.
  case invalid(RequestID?, ProtocolError)
  /// A message of a batch, which only some revisions have.
  indirect case batched(ClientMessage, isFirst: Bool)

  /// The maximum number of messages in one line.
  package static let batchLimit = 32

  /// Parses a line: one message, or, as in revision 2025-03-26, an array of them.
  ///
  /// The answers to these may come in lines of their own (basic/transports of that revision).
  package static func parse(_ line: String) -> [ClientMessage] {
    guard let json = try? JSON(parsing: line) else { return [.invalid(nil, .notJSON)] }
    guard case .array(let messages) = json else { return [message(json)] }
    guard (1...batchLimit).contains(messages.count) else {
      return [
        .invalid(nil, .invalidRequest("a batch has from 1 to \(batchLimit) messages"))
      ]
    }
    return messages.enumerated().map { .batched(message($1), isFirst: $0 == 0) }
  }

  private static func message(_ json: JSON) -> ClientMessage {
    let id = RequestID(json["id"])
    guard case .object = json, json["jsonrpc"]?.string == "2.0" else {
      return .invalid(id, .invalidRequest("expected an object with \"jsonrpc\": \"2.0\""))
    }
    guard let member = json["method"] else {
      return json["result"] == nil && json["error"] == nil
        ? .invalid(id, .invalidRequest("expected a method")) : .response
    }
    guard let method = member.string, !method.isEmpty else {
      return .invalid(id, .invalidRequest("method: expected a text"))
    }
    let parameters = json["params"] ?? .object([])
    guard case .object = parameters else {
      return .invalid(id, .invalidParameters("params: expected an object"))
    }
    guard json["id"] != nil else { return .notification(method: method, parameters) }
    guard let id else {
      return .invalid(nil, .invalidRequest("id: expected a text or a whole number"))
    }
    do {
      return .request(
        ClientRequest(
          id: id, method: method, parameters: parameters, era: try era(of: parameters)))
    } catch {
      return .invalid(id, error)
    }
  }

  private static let metadata = "io.modelcontextprotocol/"

  private static func era(of parameters: JSON) throws(ProtocolError) -> Era {
    guard let meta = parameters["_meta"] else { return .handshake }
    guard case .object = meta else {
      throw .invalidParameters("_meta: expected an object")
    }
    guard let member = meta["\(metadata)protocolVersion"] else { return .handshake }
    guard let text = member.string else {
      throw .invalidParameters("protocolVersion: expected a text")
    }
    guard let revision = ProtocolRevision(rawValue: text), revision.isPerRequest else {
      throw .unsupportedVersion(text)
    }
    return .perRequest(revision, client: meta["\(metadata)clientInfo"]?["name"]?.string)
  }
}
