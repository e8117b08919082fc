package import TextTools

/// An error that answers a request; see JSON-RPC 2.0.
package struct ProtocolError: Error {
  package let code: Int
  package let message: String
  package let data: JSON?

  private init(_ code: Int, _ message: String, data: JSON? = nil) {
    (self.code, self.message, self.data) = (code, message, data)
  }

  package static let notJSON = ProtocolError(-32700, "Parse error")

  package static func invalidRequest(_ reason: String) -> ProtocolError {
    ProtocolError(-32600, "Invalid Request: \(reason)")
  }

  package static let unknownMethod = ProtocolError(-32601, "Method not found")

  package static func invalidParameters(_ reason: String) -> ProtocolError {
    ProtocolError(-32602, "Invalid params: \(reason)")
  }

  /// A resource does not exist.
  package static func noResource(_ era: Era) -> ProtocolError {
    switch era {
    case .handshake: ProtocolError(-32002, "Resource not found")
    case .perRequest: ProtocolError(-32602, "Resource not found")
    }
  }

  /// A request names a revision that no request may name. The answer repeats its first 100 Unicode
  /// scalars.
  package static func unsupportedVersion(_ requested: String) -> ProtocolError {
    let supported = ProtocolRevision.perRequest.map { JSON.string($0.rawValue) }
    return ProtocolError(
      -32022, "Unsupported protocol version",
      data: .object([
        ("supported", .array(supported)),
        ("requested", .string(String(requested.unicodeScalars.prefix(100)))),
      ]))
  }
}

/// Answers of a server, as lines without their ends.
package struct ServerMessage {
  /// The name and version of the server.
  private let server: JSON

  package init(name: String, title: String, version: String) {
    server = .object([
      ("name", .string(name)), ("title", .string(title)), ("version", .string(version)),
    ])
  }

  /// The answer to `initialize`.
  package func initialized(
    _ revision: ProtocolRevision, capabilities: JSON, instructions: String
  ) -> [(String, JSON)] {
    [
      ("protocolVersion", .string(revision.rawValue)),
      ("capabilities", capabilities), ("serverInfo", server),
      ("instructions", .string(instructions)),
    ]
  }

  /// The answer to `server/discover`.
  package func discovered(capabilities: JSON, instructions: String) -> [(String, JSON)] {
    [
      ("supportedVersions", .array(ProtocolRevision.perRequest.map { .string($0.rawValue) })),
      ("capabilities", capabilities), ("instructions", .string(instructions)),
    ]
  }

  /// How long a client may keep a result.
  package enum Lifetime {
    /// It is not about keeping: the result of a call.
    case none
    /// It may have changed at once.
    case momentary
    /// It stays the same while the program runs.
    case constant
  }

  /// The line with the result of a request.
  package func result(
    _ members: [(String, JSON)], of id: RequestID, in era: Era, for lifetime: Lifetime = .none
  ) -> String {
    var members = members
    if case .perRequest = era {
      members.append(("resultType", .string("complete")))
      switch lifetime {
      case .none: break
      case .momentary:
        members += [("ttlMs", .integer(0)), ("cacheScope", .string("private"))]
      case .constant:
        members += [("ttlMs", .integer(3_600_000)), ("cacheScope", .string("private"))]
      }
      members.append(("_meta", .object([("io.modelcontextprotocol/serverInfo", server)])))
    }
    return line(id.json, ("result", .object(members)))
  }

  /// The line with the error of a request, or of a line that is not one.
  package func error(_ error: ProtocolError, of id: RequestID?) -> String {
    let data = error.data.map { [("data", $0)] } ?? []
    return line(
      id?.json ?? .null,
      (
        "error",
        .object([("code", .integer(error.code)), ("message", .string(error.message))] + data)
      ))
  }

  /// The line with the progress of a request. The first number grows from line to line.
  package func progress(_ done: Int, of total: Int, for token: RequestID) -> String {
    let parameters = JSON.object([
      ("progressToken", token.json), ("progress", .integer(done)), ("total", .integer(total)),
    ])
    return Self.line([
      ("method", .string("notifications/progress")), ("params", parameters),
    ])
  }

  private func line(_ id: JSON, _ content: (String, JSON)) -> String {
    Self.line([("id", id), content])
  }

  private static func line(_ members: [(String, JSON)]) -> String {
    "\(JSON.object([("jsonrpc", .string("2.0"))] + members))"
  }
}
