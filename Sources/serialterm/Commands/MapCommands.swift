import Terminal
import TerminalWidgets
import TextStages

/// The commands that switch character maps on and off.
extension Command {
  static let mapping = CommandWithArgument(
    "m", "mapping", "map characters",
    or: ["line ending", "line endings", "crlf", "newline", "eol", "translate", "cr", "lf"],
    users: [.person], value: { $0.view.map.rules.isEmpty ? nil : "\($0.view.map)" },
    argument: .map("mapping", Direction.allCases), perform: toggleMap)

  static let inputMap = CommandWithArgument(
    "i", "input-map", "map received text",
    or: ["line ending", "crlf", "newline", "icrnl", "inlcr", "igncr"],
    users: [.person], value: { $0.view.map.text(.fromDevice) },
    argument: .map("input map", [.fromDevice]), perform: toggleMap)

  static let outputMap = CommandWithArgument(
    "o", "output-map", "map sent text",
    or: ["line ending", "crlf", "newline", "onlcr", "ocrnl"],
    users: [.person], needs: [.sending], value: { $0.view.map.text(.toDevice) },
    argument: .map("output map", [.toDevice]), perform: toggleMap)

  @Sendable private static func toggleMap(_ rule: MapList.Rule, _ call: CommandCall) {
    guard let map = MapChoices.toggling(rule, in: call.state.view.map) else {
      let reason = MapChoices.refusal(of: rule, in: call.state.view.map) ?? "it contradicts another"
      return call.answer(.unavailable(because: .mapped(reason)))
    }
    call.port.model.update { $0.view.map = map }
    call.answer(.done(map.rules.isEmpty ? "nothing is mapped." : "mapped: \(map)."))
  }

  static let mapCommands: [Command] = [mapping.command, inputMap.command, outputMap.command]
}

extension ArgumentKind where Value == MapList.Rule {
  /// A map that is switched on or off.
  fileprivate static func map(_ title: String, _ directions: [Direction]) -> ArgumentKind {
    ArgumentKind(
      ArgumentForm("one map, such as \(directions[0].rawValue):cr=lf"),
      parse: { text in
        guard let rules = try? MapList(parsing: text).rules, rules.count == 1 else { return nil }
        return directions.contains(rules[0].direction) ? rules[0] : nil
      },
      ask: { request, then in
        request.ask(
          Question(
            title: title,
            choices: { [model = request.model] _ in
              MapChoices.choices(of: directions, in: model.state.view.map)
            },
            onAnswer: { rule in
              if let rule { then(rule) }
            }))
      })
  }
}

extension MapList {
  /// The mappings in a direction, as text; nil if there are none.
  fileprivate func text(_ direction: Direction) -> String? {
    let changes = changes(direction)
    return changes.isEmpty ? nil : changes.map(\.rawValue).joined(separator: ",")
  }
}
