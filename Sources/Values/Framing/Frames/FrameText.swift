import TextStages
import TextTools

extension Frame {
  /// The frame as one line of plain, harmless text without a time: an arrow for its direction, its
  /// length, its bytes, its check, and its meaning.
  ///
  /// - Parameters:
  ///   - isText: whether its bytes are shown as text; bytes that are not printable are escaped.
  ///   - isASCII: whether arrows are `<` and `>`.
  package func text(isText: Bool, isASCII: Bool = false) -> String {
    var parts: [String] = []
    if let direction {
      parts.append(
        direction == .fromDevice ? (isASCII ? "<" : "←") : (isASCII ? ">" : "→"))
    }
    parts.append(lengthInWords)
    parts.append(isText || isStrayText ? bytes.escapedText : HexText.spaced(content))
    switch decoded.check {
    case .none: break
    case .good: parts.append("good")
    case .bad(let reason): parts.append("BAD (\(reason))")
    case .stray: parts.append("stray")
    }
    if let meaning = decoded.meaning { parts.append(meaning) }
    return parts.joined(separator: "  ")
  }

  private var lengthInWords: String {
    let length = "\(bytes.count)"
    return String(repeating: " ", count: max(0, 4 - length.count)) + length
  }

  /// The number of columns before the bytes in ``text(isText:isASCII:)``.
  var textMargin: Int { (direction == nil ? 0 : 3) + lengthInWords.count + 2 }
}

extension Frame {
  /// Whether it is text between binary frames, such as a message of the firmware.
  private var isStrayText: Bool {
    decoded.check == .stray && bytes.count >= 4
      && bytes.allSatisfy { (0x20..<0x7F).contains($0) || (0x09...0x0D).contains($0) }
  }
}

extension [UInt8] {
  /// The bytes as text without line ends; other bytes that are not printable ASCII as `\xHH`.
  fileprivate var escapedText: String {
    let end = (lastIndex { !"\r\n".utf8.contains($0) } ?? -1) + 1
    return HexText.escaped(self[..<end])
  }
}
