/// The places of labgrid's coordinator, read from what labgrid-client prints.
package struct LabgridListing: Hashable, Sendable {
  package let places: [Place]

  /// A place.
  package struct Place: Hashable, Sendable {
    package let name: String
    /// The comment that somebody has given it; nil without one.
    package var comment: String?
    /// Who has acquired it, as `HOST/USER`; nil if nobody has.
    package var holder: String?
    /// Others who may use it.
    package var allowed: [String] = []
    /// Whether an exporter offers a serial port of the place now.
    package var hasConsole = false
    /// The names of the serial ports that were acquired with it.
    package fileprivate(set) var consoles: [String] = []
    /// What belongs to it: `EXPORTER/GROUP/CLASS/NAME` when it is acquired, otherwise patterns.
    fileprivate var resources: [Substring] = []
    fileprivate var patterns: [Substring] = []
  }

  /// The maximum number of places.
  private static let placeLimit = 10_000

  /// Reads the places.
  ///
  /// - Parameters:
  ///   - places: the output of `labgrid-client -v places`; it may have any content.
  ///   - resources: the output of `labgrid-client resources`: those that an exporter offers now, as
  ///     `EXPORTER/GROUP/CLASS`.
  package init(places: String, resources: String) {
    var list: [Place] = []
    var section = Substring()
    for line in places.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("Place '"), line.hasSuffix("':") {
        guard list.count < Self.placeLimit else { break }
        list.append(Place(name: String(line.dropFirst(7).dropLast(2))))
        section = ""
        continue
      }
      guard !list.isEmpty else { continue }
      if line.hasPrefix("    ") {
        let text = line.dropFirst(4).split(separator: " ").first ?? ""
        if section == "matches" { list[list.count - 1].patterns.append(text) }
        if section == "acquired resources" {
          list[list.count - 1].resources.append(text)
          list[list.count - 1].consoles += Self.console(line.dropFirst(4)).map { [$0] } ?? []
        }
        continue
      }
      let pair = line.dropFirst(2).split(separator: ":", maxSplits: 1)
      section = pair.first ?? ""
      let value = String((pair.dropFirst().first ?? "").drop { $0 == " " })
      switch section {
      case "comment": list[list.count - 1].comment = value
      case "acquired" where value != "None": list[list.count - 1].holder = value
      case "allowed":
        list[list.count - 1].allowed = value.split(separator: ",")
          .map { String($0.drop { $0 == " " }) }
      default: break
      }
    }
    let offered = resources.split(whereSeparator: \.isNewline)
      .filter { $0.hasSuffix("/\(Self.serialClass)") }
    for index in list.indices {
      let place = list[index]
      let wanted = place.holder == nil ? place.patterns : place.resources
      list[index].hasConsole = offered.contains { path in
        wanted.contains { Self.matches($0, path) }
      }
    }
    self.places = list
  }

  /// The places that a user has acquired.
  ///
  /// - Parameter user: the user as labgrid names them: `HOST/USER`.
  package func places(acquiredBy user: String) -> [Place] { places.filter { $0.holder == user } }

  /// The class of the resources that `labgrid:PLACE` opens.
  private static let serialClass = "NetworkSerialPort"

  /// The name of an acquired resource, `EXPORTER/GROUP/CLASS/NAME` or that with ` -> NAME`; nil if
  /// it is not a serial port.
  private static func console(_ line: Substring) -> String? {
    let parts = line.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, parts[2] == serialClass else { return nil }
    let words = parts[3].split(separator: " ")
    return words.count == 3 && words[1] == "->" ? String(words[2]) : String(parts[3])
  }

  /// Whether a pattern `EXPORTER/GROUP/CLASS[/NAME]` fits `EXPORTER/GROUP/CLASS`.
  private static func matches(_ pattern: Substring, _ path: Substring) -> Bool {
    let patterns = pattern.split(separator: "/", omittingEmptySubsequences: false)
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return patterns.count >= 3 && parts.count == 3
      && zip(patterns, parts).allSatisfy { fits($0.utf8, $1.utf8) }
  }

  /// Whether a word fits a pattern with `*` and `?`, in the time of the product of their lengths.
  private static func fits(
    _ pattern: Substring.UTF8View, _ word: Substring.UTF8View
  ) -> Bool {
    var (next, position) = (pattern.startIndex, word.startIndex)
    /// After the last star, and the first byte that it does not cover.
    var star: (next: Substring.Index, position: Substring.Index)?
    while position < word.endIndex {
      let sign = next < pattern.endIndex ? pattern[next] : nil
      if sign == UInt8(ascii: "*") {
        next = pattern.index(after: next)
        star = (next, position)
      } else if let sign, sign == UInt8(ascii: "?") || sign == word[position] {
        (next, position) = (pattern.index(after: next), word.index(after: position))
      } else if let last = star {
        let after = word.index(after: last.position)
        star = (last.next, after)
        (next, position) = (last.next, after)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

extension LabgridListing.Place {
  /// The TARGETs of the serial ports that were acquired with it: `labgrid:PLACE`, or
  /// `labgrid:PLACE/NAME` for each of several.
  package var targets: [String] {
    consoles.count > 1
      ? consoles.map { "labgrid:\(name)/\($0)" } : consoles.map { _ in "labgrid:\(name)" }
  }
}
