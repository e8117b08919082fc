import TextTools

/// A parameter of a tool. From it come the schema for clients and the check of arguments.
struct AgentParameter: Sendable {
  let name: String
  let summary: String
  let kind: Kind
  var isRequired = false
  /// Another name that is accepted, and not described to clients.
  var alias: String?

  /// What values a parameter has.
  enum Kind: Sendable {
    case text
    case wholeNumber(ClosedRange<Int>)
    /// A time in seconds.
    case seconds(ClosedRange<Double>)
    case flag
    case choice([String])
  }

  init(
    _ name: String, _ kind: Kind, _ summary: String, isRequired: Bool = false,
    alias: String? = nil
  ) {
    (self.name, self.kind, self.summary, self.isRequired) = (name, kind, summary, isRequired)
    self.alias = alias
  }

  /// The schema of the value; see JSON Schema 2020-12.
  var schema: JSON {
    let type: [(String, JSON)] =
      switch kind {
      case .text: [("type", .string("string"))]
      case .wholeNumber(let range):
        [
          ("type", .string("integer")), ("minimum", .integer(range.lowerBound)),
          ("maximum", .integer(range.upperBound)),
        ]
      case .seconds(let range):
        [
          ("type", .string("number")), ("minimum", .number(range.lowerBound)),
          ("maximum", .number(range.upperBound)),
        ]
      case .flag: [("type", .string("boolean"))]
      case .choice(let words):
        [("type", .string("string")), ("enum", .array(words.map { .string($0) }))]
      }
    return .object(type + [("description", .string(summary))])
  }

  /// The schema of an object with parameters.
  static func schema(of parameters: [AgentParameter]) -> JSON {
    .object([
      ("type", .string("object")),
      ("properties", .object(parameters.map { ($0.name, $0.schema) })),
      ("required", .array(parameters.filter(\.isRequired).map { .string($0.name) })),
      ("additionalProperties", .bool(false)),
    ])
  }

  /// Why a value is not one of the parameter; nil if it is.
  fileprivate func mistake(in value: JSON) -> String? {
    switch kind {
    case .text: value.string == nil ? "expected a text" : nil
    case .wholeNumber(let range):
      value.integer.map(range.contains) == true
        ? nil : "expected a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .seconds(let range):
      value.double.map(range.contains) == true
        ? nil : "expected seconds from \(range.lowerBound) to \(range.upperBound)"
    case .flag: value.bool == nil ? "expected true or false" : nil
    case .choice(let words):
      value.string.map(words.contains) == true
        ? nil : "expected one of \(words.joined(separator: ", "))"
    }
  }
}

/// The arguments of a call, which are those of its tool.
struct AgentArguments {
  /// The arguments, by the names of their parameters.
  let json: JSON

  /// Checks arguments.
  ///
  /// - Throws: ``AgentMistake``.
  init(_ json: JSON?, of parameters: [AgentParameter]) throws(AgentMistake) {
    guard case .object(let members) = json ?? .object([]) else {
      throw AgentMistake("arguments: expected an object")
    }
    var values: [(String, JSON)] = []
    for (name, value) in members {
      guard let parameter = parameters.first(where: { $0.name == name || $0.alias == name }) else {
        if let present = FormerNames.presentName(ofArgument: name),
          parameters.contains(where: { $0.name == present })
        {
          throw AgentMistake("'\(name)' is now '\(present)'")
        }
        let names = parameters.map(\.name).joined(separator: ", ")
        throw AgentMistake(
          "there is no argument '\(name.harmless)'"
            + (names.isEmpty ? "; this tool has none" : "; there are \(names)"))
      }
      if let mistake = parameter.mistake(in: value) { throw AgentMistake("\(name): \(mistake)") }
      guard !values.contains(where: { $0.0 == parameter.name }) else {
        throw AgentMistake("\(parameter.name) is given twice")
      }
      values.append((parameter.name, value))
    }
    self.json = .object(values)
    for parameter in parameters where parameter.isRequired && self.json[parameter.name] == nil {
      throw AgentMistake("\(parameter.name) is missing: \(parameter.summary)")
    }
  }

  func text(_ name: String) -> String? { json[name]?.string }
  func number(_ name: String) -> Int? { json[name]?.integer }
  func flag(_ name: String) -> Bool { json[name]?.bool ?? false }

  /// A time.
  func duration(_ name: String) -> Duration? { json[name]?.double.map { Duration(rounding: $0) } }
}

/// Why a call cannot be performed, for the agent.
struct AgentMistake: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Failure {
  /// The message with the tool and the argument of agents in place of the command and the option.
  var messageForAgents: String {
    message.replacing(text: "'serialterm list' shows", with: "list_ports shows")
      .replacing(text: " --wait", with: " wait: true")
  }
}
