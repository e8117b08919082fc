import SystemPackage
import Terminal
import TextTools

/// The link to the page for browsers: its address, and behind `#` the token, if it has one. A
/// value.
struct PageLink: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  /// The link for a message.
  ///
  /// - Parameter isKept: whether the message is kept where others may read it. It then says where
  ///   the token is.
  func words(isKept: Bool) -> String {
    guard isKept, let mark = text.firstIndex(of: "#") else { return text }
    let file = HistoryFile.stateFolder()?.appending("serialterm").appending("web-token").string
    let place = file.map { "'cat \($0.harmless)' prints it" } ?? "a terminal shows it"
    return "\(text[..<mark]), with '#' and the token behind it: \(place)."
  }
}
