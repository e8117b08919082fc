/// The changes to make to received bytes and to sent bytes.
public struct MapList: Hashable, Sendable {
  /// A change in one direction.
  public struct Rule: Hashable, Sendable {
    public let direction: Direction
    public let change: ByteChange

    /// Creates a rule.
    public init(_ direction: Direction, _ change: ByteChange) {
      self.direction = direction
      self.change = change
    }
  }

  /// The rules in the given order, which has no effect.
  public let rules: [Rule]

  /// No changes.
  public init() { rules = [] }

  init(rules: [Rule]) { self.rules = rules }

  /// The changes of bits, which are made next to the serial line: before bytes become characters,
  /// and after characters became bytes.
  public var ofBits: MapList { MapList(rules: rules.filter { $0.change == .reversedBits }) }

  /// The changes of characters.
  public var ofCharacters: MapList { MapList(rules: rules.filter { $0.change != .reversedBits }) }

  /// The changes in a direction.
  public func changes(_ direction: Direction) -> [ByteChange] {
    rules.filter { $0.direction == direction }.map(\.change)
  }
}

extension MapList {
  /// Parses rules separated by commas.
  ///
  /// A rule is `DIRECTION:CHANGE`, as in `from-device:cr=lf`; or a name of tio's, which includes
  /// the direction, in upper or lower case; or a name of picocom's after a direction, as in
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
  /// The text in the form of ``init(parsing:)``, with the names of this program.
  public var description: String { rules.map(\.description).joined(separator: ",") }
}

extension MapList.Rule: CustomStringConvertible {
  /// The text `DIRECTION:CHANGE`.
  public var description: String { "\(direction.rawValue):\(change.rawValue)" }

  fileprivate init?(parsing text: Substring) {
    if let rule = Self.tioNames[text.uppercased()] {
      self = rule
      return
    }
    guard let colon = text.firstIndex(of: ":"),
      let direction = Direction(rawValue: String(text[..<colon])),
      let change = ByteChange(name: text[colon...].dropFirst()),
      // The sequence that clears a screen has no meaning for a device.
      direction == .fromDevice || change != .formFeedToClear
    else { return nil }
    self.init(direction, change)
  }

  /// Whether both rules change the same bytes.
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
  /// Finds a change by the name of this program or of picocom.
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

/// A mistake in a list of maps.
public struct MapListError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of mistake.
  public let code: Code
  /// The wrong rule.
  public let item: String
  /// Its position in the list, counted from 1.
  public let number: Int

  /// The kinds of mistakes.
  public enum Code: Hashable, Sendable {
    /// No rule has this name.
    case unknown
    /// The rule names a change without a direction.
    case directionMissing
    /// Another rule changes the same bytes.
    case contradiction(with: MapList.Rule)
  }

  init(_ code: Code, item: String, number: Int) {
    self.code = code
    self.item = item
    self.number = number
  }

  /// The mistake, and the valid maps.
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
