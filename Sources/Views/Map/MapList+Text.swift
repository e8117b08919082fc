extension MapList {
  /// Reads rules separated by commas.
  ///
  /// A rule is `DIRECTION:CHANGE`, as in `from-device:cr=lf`; or one of tio's names, which include the
  /// direction, in upper or lower case; or one of picocom's names after a direction, as in
  /// `to-device:delbs`. An empty text is an empty list.
  ///
  /// - Throws: an error that names the wrong rule and lists the valid ones.
  public init(parsing text: String) throws(MapListError) {
    var rules: [Rule] = []
    if text.isEmpty {
      self.init()
      return
    }
    for (index, item) in text.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
      guard let rule = Rule(parsing: item) else {
        let isDirectionless = ByteChange(name: item) != nil
        throw MapListError(
          isDirectionless ? .directionMissing : .unknown, item: String(item), number: index + 1)
      }
      if let other = rules.first(where: { $0.contradicts(rule) }) {
        throw MapListError(.contradiction(with: other), item: String(item), number: index + 1)
      }
      rules.append(rule)
    }
    self.init(rules: rules)
  }
}

extension MapList: CustomStringConvertible {
  /// The text that ``init(parsing:)`` reads, with our own names.
  public var description: String { rules.map(\.description).joined(separator: ",") }
}

extension MapList.Rule: CustomStringConvertible {
  /// `DIRECTION:CHANGE`.
  public var description: String { "\(direction.rawValue):\(change.rawValue)" }

  fileprivate init?(parsing text: Substring) {
    if let rule = Self.tioNames[text.uppercased()] {
      self = rule
      return
    }
    guard let colon = text.firstIndex(of: ":"),
      let direction = Direction(rawValue: String(text[..<colon])),
      let change = ByteChange(name: text[colon...].dropFirst()),
      // The sequence that clears a screen means nothing to a device.
      direction == .fromDevice || change != .formFeedToClear
    else { return nil }
    self.init(direction, change)
  }

  /// Whether both change the same bytes.
  fileprivate func contradicts(_ other: Self) -> Bool {
    direction == other.direction && change.subject == other.change.subject
  }

  /// The names of tio 2 and 3 (tio(1), `--map`), without `ONULBRK`, which does not concern a byte.
  fileprivate static let tioNames: [String: Self] = [
    "ICRNL": Self(.fromDevice, .returnToLineFeed),
    "ICRCRNL": Self(.fromDevice, .returnToPair),
    "IGNCR": Self(.fromDevice, .returnToNothing),
    "IFFESCC": Self(.fromDevice, .formFeedToClear),
    "INLCR": Self(.fromDevice, .lineFeedToReturn),
    "INLCRNL": Self(.fromDevice, .lineFeedToPair),
    "IMSB2LSB": Self(.fromDevice, .reversedBits),
    "OCRNL": Self(.toDevice, .returnToLineFeed),
    "OIGNCR": Self(.toDevice, .returnToNothing),
    "ODELBS": Self(.toDevice, .deleteToBackspace),
    "ONLCRNL": Self(.toDevice, .lineFeedToPair),
    "OLTU": Self(.toDevice, .lowerToUpper),
    "MSB2LSB": Self(.toDevice, .reversedBits),
  ]
}

extension ByteChange {
  /// Finds a change by our name or picocom's.
  fileprivate init?(name: Substring) {
    guard let change = Self(rawValue: String(name)) ?? Self.picocomNames[String(name)] else {
      return nil
    }
    self = change
  }

  /// picocom(1), "Input, output, and echo mapping"; in picocom the option gives the direction.
  fileprivate static let picocomNames: [String: Self] = [
    "crlf": .returnToLineFeed,
    "crcrlf": .returnToPair,
    "igncr": .returnToNothing,
    "lfcr": .lineFeedToReturn,
    "lfcrlf": .lineFeedToPair,
    "ignlf": .lineFeedToNothing,
    "bsdel": .backspaceToDelete,
    "delbs": .deleteToBackspace,
  ]
}

/// What is wrong with a list of maps.
public struct MapListError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public let code: Code
  /// The wrong rule.
  public let item: String
  /// Its position in the list, from 1.
  public let number: Int

  /// What can be wrong.
  public enum Code: Hashable, Sendable {
    /// No rule has this name.
    case unknown
    /// It names a change without a direction.
    case directionMissing
    /// Another rule changes the same bytes.
    case contradiction(with: MapList.Rule)
  }

  init(_ code: Code, item: String, number: Int) {
    self.code = code
    self.item = item
    self.number = number
  }

  /// What is wrong, and the valid maps.
  public var description: String {
    let place = "'\(item)' (map \(number) of the list)"
    switch code {
    case .unknown: return "\(place): no such map. Maps: \(Self.names)"
    case .directionMissing:
      return "\(place): the direction is missing. Use from-device:\(item) or to-device:\(item)"
    case .contradiction(let other): return "\(place) contradicts \(other)"
    }
  }

  private static var names: String {
    let changes = ByteChange.allCases.map(\.rawValue).joined(separator: " ")
    let others = MapList.Rule.tioNames.keys.sorted().joined(separator: " ")
    return "from-device: or to-device: followed by one of \(changes); or one of \(others)"
  }
}
