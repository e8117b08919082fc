package import Telnet
import SerialCore
import TextTools

/// The name of a member of a session, as the others see it: what it calls itself, and what this
/// program adds in parentheses. It is safe to show.
///
/// Nobody can type what this program adds: `ann (agent)` becomes `ann [agent]`.
package struct MemberName: Hashable, Sendable {
  /// What the member calls itself, cleaned.
  private let ownName: String
  /// Whether the member is the program of an agent.
  package let isAgent: Bool
  /// Where its connection comes from; nil if that is not shown.
  private let place: String?
  /// Tells it from other members of the same name; nil for the first.
  package var number: Int?

  /// The maximum length of what a member calls itself, in Unicode scalars.
  private static let limit = 60

  /// The name of a member that introduces itself.
  ///
  /// - Parameter place: where its connection comes from; nil if that is not shown.
  package init(_ introduction: SharingMessage.Introduction, at place: String? = nil) {
    let cleaned = Self.cleaned(introduction.name)
    ownName = cleaned.isEmpty ? "unnamed" : cleaned
    isAgent = introduction.isAgent
    self.place = place
  }

  /// A name that this program gives, such as `max (pid 4711)`.
  package init(given name: String) {
    (ownName, isAgent, place) = (name.harmless, false, nil)
  }

  /// The name of the user of this process.
  ///
  /// - Parameter chosen: what the user wants to be called; nil for the account.
  package static func ofUser(_ chosen: String?) -> MemberName {
    chosen.map { MemberName(SharingMessage.Introduction(name: $0)) }
      ?? MemberName(given: UserName.own)
  }

  /// The whole name.
  package var text: String {
    ownName + (isAgent ? " (agent)" : "") + (place.map { " (\($0))" } ?? "")
      + (number.map { " (\($0))" } ?? "")
  }

  // MARK: Cleaning

  /// What a member calls itself, safe to show and without what others could take for another name:
  /// invisible characters, several spaces, and what this program adds to names. It may be empty.
  static func cleaned(_ name: String) -> String {
    let visible = name.harmless.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
    let words = visible.split { $0.properties.isWhitespace }.map { String($0) }
    let scalars = Array(words.joined(separator: " ").unicodeScalars.prefix(limit))
    var text = String.UnicodeScalarView()
    var rest = scalars[...]
    while let opening = rest.firstIndex(where: isOpening) {
      text.append(contentsOf: rest[..<opening])
      let inside = rest[(opening + 1)...]
      let end = inside.firstIndex { isClosing($0) || isOpening($0) } ?? inside.endIndex
      // Without its end, it would get one from what is added.
      if isOurs(inside[..<end]) {
        text.append("[")
        text.append(contentsOf: inside[..<end])
        text.append("]")
        rest =
          end < inside.endIndex && isClosing(inside[end]) ? inside[(end + 1)...] : inside[end...]
      } else {
        text.append(rest[opening])
        rest = inside
      }
    }
    text.append(contentsOf: rest)
    let cleaned = String(text)
    return cleaned.last == " " ? String(cleaned.dropLast()) : cleaned
  }

  /// ASCII, and its forms in other widths and styles.
  private static func isOpening(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "(" || scalar.properties.generalCategory == .openPunctuation && scalar != "["
  }

  private static func isClosing(_ scalar: Unicode.Scalar) -> Bool {
    scalar == ")" || scalar.properties.generalCategory == .closePunctuation && scalar != "]"
  }

  /// Whether a text in parentheses is like one that this program adds: `agent`, `pid 4711`, a
  /// number, an address.
  private static func isOurs(_ inside: some Sequence<Unicode.Scalar>) -> Bool {
    let text = inside.filter { !$0.properties.isWhitespace }.map(folded).joined()
    let digits = text.hasPrefix("pid") ? text.dropFirst(3) : text[...]
    return text == "agent" || text.contains(":")
      || !digits.isEmpty && digits.unicodeScalars.allSatisfy { $0.properties.numericType != nil }
  }

  /// A lower case letter; those of full width are folded to ASCII.
  private static func folded(_ scalar: Unicode.Scalar) -> String {
    let narrow =
      (0xFF01...0xFF5E).contains(scalar.value)
      ? Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar : scalar
    return narrow.properties.lowercaseMapping
  }
}

extension MemberName {
  /// The author of what the member writes.
  var author: Author { Author(isAgent ? .agent : .client, text) }
}
