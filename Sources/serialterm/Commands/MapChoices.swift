import Options
import Terminal
import TerminalWidgets
import TextStages

/// The character maps to choose from. Each can be switched on or off.
enum MapChoices {
  /// The rules of the given directions. A rule that contradicts an active one is unavailable,
  /// with the reason.
  static func choices(of directions: [Direction], in map: MapList) -> [Choice<MapList.Rule?>] {
    let state = map.rules.isEmpty ? "nothing is mapped" : "\(map)"
    return [.noChange(state)]
      + directions.flatMap { direction in
        ByteChange.allCases.compactMap { choice(for: MapList.Rule(direction, $0), in: map) }
      }
  }

  /// The lists that extend a typed list by one more rule.
  static func completions(of typed: String) -> [Completion.Candidate] {
    let head = typed.lastIndex(of: ",").map { typed[...$0] } ?? ""
    let map = (try? MapList(parsing: String(head.dropLast()))) ?? MapList()
    return choices(of: Direction.allCases, in: map).compactMap { choice in
      choice.id.flatMap { rule in
        choice.refusal == nil && !map.rules.contains(rule)
          ? Completion.Candidate("\(head)\(rule)") : nil
      }
    }
  }

  /// The choice for a rule; nil if the rule makes no sense in its direction and so
  /// cannot be parsed.
  private static func choice(
    for rule: MapList.Rule, in map: MapList
  ) -> Choice<MapList.Rule?>? {
    guard (try? MapList(parsing: "\(rule)")) != nil else { return nil }
    let isOn = map.rules.contains(rule)
    return Choice(
      id: rule, title: "\(rule)", detail: isOn ? "on" : "", refusal: refusal(of: rule, in: map))
  }

  /// The list with one rule switched on or off; nil if the rule contradicts another one.
  static func toggling(_ rule: MapList.Rule, in map: MapList) -> MapList? {
    let rest = map.rules.filter { $0 != rule }
    let toggled = rest.count < map.rules.count ? rest : map.rules + [rule]
    return try? MapList(parsing: toggled.map { "\($0)" }.joined(separator: ","))
  }

  /// The reason why a rule cannot be switched on now; nil if it can.
  static func refusal(of rule: MapList.Rule, in map: MapList) -> String? {
    if toggling(rule, in: map) != nil { return nil }
    let other = map.rules.first { (try? MapList(parsing: "\($0),\(rule)")) == nil }
    return other.map { "\($0) is on" }
  }
}
