import TerminalUI
import Views

/// The character maps to choose from, each to be switched on or off.
enum MapChoices {
  /// The changes of directions; one that contradicts another is off and says which.
  static func choices(of directions: [Direction], in map: MapList) -> [Choice<String>] {
    let state = map.rules.isEmpty ? "nothing is mapped" : "\(map)"
    return [.noChange(state)] + changes(of: directions, in: map)
  }

  private static func changes(of directions: [Direction], in map: MapList) -> [Choice<String>] {
    directions.flatMap { direction in
      ByteChange.allCases.compactMap { change in
        let name = "\(direction.rawValue):\(change.rawValue)"
        // A change that makes no sense in a direction cannot be parsed for it.
        guard let rule = try? MapList(parsing: name).rules.first else { return nil }
        let isOn = map.rules.contains(rule)
        return Choice(
          id: name, title: name, detail: isOn ? "on" : "", refusal: refusal(of: name, in: map))
      }
    }
  }

  /// The list with one change switched on or off; nil if it contradicts another.
  static func toggling(_ name: String, in map: MapList) -> MapList? {
    let names = map.rules.map { "\($0)" }
    let rest = names.filter { $0 != name }
    let toggled = rest.count < names.count ? rest : names + [name]
    return try? MapList(parsing: toggled.joined(separator: ","))
  }

  private static func refusal(of name: String, in map: MapList) -> String? {
    if toggling(name, in: map) != nil { return nil }
    let other = map.rules.first { (try? MapList(parsing: "\($0),\(name)")) == nil }
    return other.map { "\($0) is on" }
  }
}
