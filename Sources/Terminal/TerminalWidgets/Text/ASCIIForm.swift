import TextTools

/// Text for a terminal that can only show ASCII characters.
extension StringProtocol {
  /// The text with the same number of columns: `~` replaces an ellipsis, `-` a middle dot,
  /// `?` each column of another character.
  public var asciiForm: String {
    guard utf8.contains(where: { $0 >= 0x80 }) else { return String(self) }
    return reduce(into: "") { text, character in
      if character.utf8.allSatisfy({ $0 < 0x80 }) {
        text.append(character)
      } else if character == "…" {
        text += "~"
      } else if character == "·" {
        text += "-"
      } else {
        text += String(repeating: "?", count: character.displayWidth)
      }
    }
  }
}

extension StyledLine {
  /// The line in ASCII, with each character at the same position.
  public var asciiForm: StyledLine {
    runs.reduce(into: StyledLine()) { $0.append($1.text.asciiForm, $1.style) }
  }
}
