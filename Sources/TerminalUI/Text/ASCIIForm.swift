/// Text for a terminal that shows no other characters than those of ASCII.
extension StringProtocol {
  /// The text in as many columns: `~` stands for an ellipsis, `?` for each column of another character.
  public var asciiForm: String {
    guard utf8.contains(where: { $0 >= 0x80 }) else { return String(self) }
    return reduce(into: "") { text, character in
      if character.utf8.allSatisfy({ $0 < 0x80 }) {
        text.append(character)
      } else if character == "…" {
        text += "~"
      } else {
        text += String(repeating: "?", count: character.displayWidth)
      }
    }
  }
}

extension PanelContent {
  /// The content in ASCII, each character in the same place.
  public var asciiForm: PanelContent {
    var content = self
    content.lines = lines.map { line in
      line.runs.reduce(into: StyledLine()) { $0.append($1.text.asciiForm, $1.style) }
    }
    return content
  }
}
