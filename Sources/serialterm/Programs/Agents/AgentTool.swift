import TextTools

/// A tool for agents: one record makes its description for clients, the check of its arguments,
/// and what it does.
struct AgentTool: Sendable {
  let name: String
  let title: String
  let summary: String
  let parameters: [AgentParameter]
  /// The members of the result, with their schemas.
  let results: [Member]
  let effect: Effect
  /// The conditions at a session, of which ``AgentServer/status(_:)`` tells.
  let needs: [Need]
  /// Begins a call, which is answered then or later.
  let perform: @Sendable (AgentServer, AgentCall) throws -> Void

  /// What a tool changes.
  enum Effect {
    /// Nothing.
    case reads
    /// Something that is easily undone.
    case changes
    /// The device gets something: what that does is not known.
    case writes
  }

  /// A member of a result.
  struct Member: Sendable {
    let name: String
    /// The types of JSON Schema.
    let types: [String]
    let summary: String
    let isAlwaysThere: Bool

    init(_ name: String, _ types: String..., summary: String, always isAlwaysThere: Bool = true) {
      (self.name, self.types, self.summary) = (name, types, summary)
      self.isAlwaysThere = isAlwaysThere
    }
  }

  init(
    _ name: String, _ title: String, _ summary: String, _ effect: Effect, needs: [Need] = [],
    parameters: [AgentParameter] = [], results: [Member],
    perform: @escaping @Sendable (AgentServer, AgentCall) throws -> Void
  ) {
    (self.name, self.title, self.summary, self.effect) = (name, title, summary, effect)
    self.needs = needs
    (self.parameters, self.results, self.perform) = (parameters, results, perform)
  }

  /// The description for clients.
  var json: JSON {
    .object([
      ("name", .string(name)), ("title", .string(title)), ("description", .string(summary)),
      ("inputSchema", AgentParameter.schema(of: parameters)),
      (
        "outputSchema",
        .object([
          ("type", .string("object")),
          ("properties", .object(results.map { ($0.name, $0.schema) })),
          ("required", .array(results.filter(\.isAlwaysThere).map { .string($0.name) })),
        ])
      ),
      (
        "annotations",
        .object([
          ("title", .string(title)), ("readOnlyHint", .bool(effect == .reads)),
          ("destructiveHint", .bool(effect == .writes)),
          ("idempotentHint", .bool(effect == .reads)), ("openWorldHint", .bool(true)),
        ])
      ),
    ])
  }
}

extension AgentTool.Member {
  fileprivate var schema: JSON {
    let names = types.map { JSON.string($0) }
    return .object([
      ("type", names.count == 1 ? names[0] : .array(names)), ("description", .string(summary)),
    ])
  }
}
