import TextTools

/// A configuration of minicom, converted to a profile: a file `minirc.NAME`, or several, of which a
/// later one counts.
public struct MinicomImport: ProfileImport {
  public let text: String
  public let droppedCount: Int

  /// Converts a configuration.
  ///
  /// - Parameters:
  ///   - document: the bytes of the file.
  ///   - file: its name, or its path: `minirc.board` makes the profile `board`, `minirc.dfl` and
  ///     any other name `minicom`.
  ///   - complaint: checks each entry. An entry that it refuses becomes a comment.
  public init(_ document: [UInt8], named file: String, complaint: @escaping Check) {
    let section = Self.section(document, name: Self.name(of: file))
    let values = ImportedValues(section, defaults: [:], complaint: complaint)
    var lines = section.lines(values, of: "minicom", MinicomSetting.about)
    if values["rtscts"] == nil, values["xonxoff"] == nil {
      lines += MinicomSetting.flow.convert(values)
    }
    var names = ProfileNames(of: "minicom")
    let others = section.otherComments
    let body = names.heading(for: section.name).lines + others
    text =
      (body + lines.map { ImportedSection.text($0, values) }).map { "\($0)\n" }.joined()
    droppedCount = others.count + lines.count(where: \.isDropped)
  }

  private static func name(of file: String) -> String {
    let name = file.split(separator: "/").last ?? ""
    for prefix in ["minirc.", ".minirc."] where name.hasPrefix(prefix) && name != "\(prefix)dfl" {
      return String(name.dropFirst(prefix.count))
    }
    return "minicom"
  }

  /// Parses lines `pu KEY VALUE`. Older versions write `pr` for some.
  private static func section(_ document: [UInt8], name: String) -> ImportedSection {
    var section = ImportedSection(name: name)
    for line in String(decoding: document, as: UTF8.self).split(whereSeparator: \.isNewline) {
      guard let words = words(of: line) else {
        let line = line.trimmed
        if !line.isEmpty, !line.hasPrefix("#") { section.otherLines.append(line.inComment) }
        continue
      }
      section.set(words.key, to: words.value)
    }
    return section
  }

  /// The key and the value of a line; nil if it has none.
  static func words(of line: Substring) -> (key: String, value: String)? {
    let words = line.trimmed.split(maxSplits: 2) { $0 == " " || $0 == "\t" }
    guard words.count > 1, ["pu", "pr"].contains(words[0]) else { return nil }
    return (String(words[1]), words.count > 2 ? String(words[2].trimmed) : "")
  }
}
