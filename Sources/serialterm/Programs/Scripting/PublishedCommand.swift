import Sessions
import TextTools

/// A command as programs and pages see it in a state: what ``Need`` says about it, what it takes,
/// and who may use it.
struct PublishedCommand: Hashable {
  let name: String
  private let title: String
  private let key: Character?
  private let synonyms: [String]
  private let users: Set<UserKind>
  /// The reason why the command is unavailable; nil if it is available.
  let reason: Reason?
  /// The present value of the setting that the command changes; nil if there is none.
  private let value: String?
  fileprivate let arguments: [Argument]

  /// An argument in a state.
  fileprivate struct Argument: Hashable {
    let name: String
    let kind: ArgumentForm.Kind
    let expected: String
    let isOptional: Bool
    let unit: String?
    let range: ClosedRange<Int>?
    let choices: [String]?
    let titles: [String]?
    let value: String?

    init(_ form: ArgumentForm, in state: TerminalState) {
      (name, kind, expected, isOptional) = (form.name, form.kind, form.expected, form.isOptional)
      (unit, range, titles) = (form.unit, form.range, form.titles)
      (choices, value) = (form.choices(state), form.value(state))
    }
  }

  /// A command that people give, too.
  init(_ command: Command, in state: TerminalState) {
    // A command of the configuration is described by its name.
    title = command.summary.isEmpty ? command.name : command.summary
    (name, key) = (command.name, command.key)
    (synonyms, users) = (command.synonyms, command.users)
    reason = command.refusal(in: state)
    value = command.value(state)
    arguments = command.argument.map { [Argument($0, in: state)] } ?? []
  }

  /// A command that programs give.
  ///
  /// - Parameter command: the one that people give by the same name; nil for none.
  init(_ request: ProgramRequest, besides command: Command? = nil, in state: TerminalState) {
    (name, title, key) = (request.name, request.title, command?.key)
    synonyms = command?.synonyms ?? []
    users = request.users.union(command?.users ?? [])
    reason = request.needs.unmet(in: state)
    value = nil
    arguments = request.arguments.map { Argument($0, in: state) }
  }

  /// The record. docs/json.md has its members.
  var json: JSON {
    var members: [(String, JSON)] = [
      ("name", .string(name)), ("title", .string(title)), ("enabled", .bool(reason == nil)),
    ]
    if let reason { members += reason.members }
    if let value { members.append(("value", .string(value))) }
    if let key { members.append(("key", .string("\(key)"))) }
    if !synonyms.isEmpty { members.append(("synonyms", JSON(synonyms))) }
    members.append(("users", JSON(UserKind.allCases.filter(users.contains).map(\.rawValue))))
    // What version 1 has said of an argument from the beginning.
    if let argument = arguments.first, argument.name == ArgumentForm.usualName {
      members.append(("argument", .string(argument.expected)))
      if let choices = argument.choices { members.append(("choices", JSON(choices))) }
    }
    if !arguments.isEmpty { members.append(("arguments", .array(arguments.map(\.json)))) }
    return .object(members)
  }
}

extension PublishedCommand.Argument {
  var json: JSON {
    var members: [(String, JSON)] = [
      ("name", .string(name)), ("kind", .string(kind.rawValue)), ("expected", .string(expected)),
      ("optional", .bool(isOptional)),
    ]
    if let unit { members.append(("unit", .string(unit))) }
    if let range {
      members += [("minimum", .integer(range.lowerBound)), ("maximum", .integer(range.upperBound))]
    }
    if let value { members.append(("value", .string(value))) }
    if let choices { members.append(("choices", JSON(choices))) }
    if let titles { members.append(("titles", JSON(titles))) }
    return .object(members)
  }
}

extension JSON {
  fileprivate init(_ texts: [String]) { self = .array(texts.map { .string($0) }) }
}

extension Reason {
  /// The members of a record or an answer.
  var members: [(String, JSON)] { [("reason", .string(text)), ("code", .string(code))] }
}

extension TerminalState {
  /// The commands of the palette in its order, then those that only programs give. Where both have
  /// a name, the record is that of programs.
  var publishedCommands: [PublishedCommand] {
    let requests = ProgramRequest.all
    return
      commands
      .filter { command in command != .palette && !requests.contains { $0.name == command.name } }
      .map { PublishedCommand($0, in: self) }
      + requests.map { request in
        PublishedCommand(request, besides: Command(named: request.name), in: self)
      }
  }
}
