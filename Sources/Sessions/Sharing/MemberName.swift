import SerialCore
package import Telnet
import TextTools

/// The name of a member of a session, as the others see it: what it calls itself, and what this
/// program adds in parentheses. It is safe to show.
///
/// Nobody can type what this program adds: in what members type, parentheses become brackets.
package struct MemberName: Hashable, Sendable {
  /// What the member calls itself, cleaned; empty for a browser whose user has said no name.
  private let ownName: String
  /// What the program of the member is.
  private let kind: SharingMessage.Introduction.Kind
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
    ownName = cleaned.isEmpty && introduction.kind != .browser ? "unnamed" : cleaned
    kind = introduction.kind
    self.place = place
  }

  /// A name that this program gives, such as `max (pid 4711)`.
  package init(given name: String) {
    (ownName, kind, place) = (name.harmless, .person, nil)
  }

  /// The name of the user of this process.
  ///
  /// - Parameter chosen: what the user wants to be called; nil for the account.
  package static func ofUser(_ chosen: String?) -> MemberName {
    chosen.map { MemberName(SharingMessage.Introduction(name: $0)) }
      ?? MemberName(given: UserName.own)
  }

  /// The name of a member that calls itself something else. What this program adds stays, but for
  /// the number.
  package func renamed(_ own: String) -> MemberName {
    MemberName(SharingMessage.Introduction(name: own, kind: kind), at: place)
  }

  /// The whole name.
  package var text: String {
    (ownName.isEmpty ? "\(kind)" : ownName + (kind == .person ? "" : " (\(kind))"))
      + (place.map { " (\($0))" } ?? "")
      + (number.map { " (\($0))" } ?? "")
  }

  // MARK: Cleaning

  /// What a member calls itself, safe to show and without what others could take for another name:
  /// invisible characters, several spaces, and parentheses, which become brackets. It may be empty.
  static func cleaned(_ name: String) -> String {
    let visible = name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
    let words = visible.split { $0.properties.isWhitespace }.map { String($0).harmless }
    var text = String.UnicodeScalarView()
    for scalar in words.joined(separator: " ").unicodeScalars.prefix(limit) {
      text.append(bracket(for: scalar) ?? scalar)
    }
    let cleaned = String(text)
    return cleaned.last == " " ? String(cleaned.dropLast()) : cleaned
  }

  /// The bracket in place of a parenthesis, or of a character that looks like one; nil for others.
  private static func bracket(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
    if openings.contains(scalar) || ("\u{239B}"..."\u{239D}").contains(scalar) { return "[" }
    if closings.contains(scalar) || ("\u{239E}"..."\u{23A0}").contains(scalar) { return "]" }
    return nil
  }

  // Parentheses and their forms: small, superior, inferior, ornamental, flattened, white, double,
  // vertical, of full width.
  private static let openings = Set("(⁽₍❨❪⟮⦅⦇⸨︵﹙（｟".unicodeScalars)
  private static let closings = Set(")⁾₎❩❫⟯⦆⦈⸩︶﹚）｠".unicodeScalars)
}

extension MemberName {
  /// The author of what the member writes.
  var author: Author { Author(kind == .agent ? .agent : .client, text) }
}
