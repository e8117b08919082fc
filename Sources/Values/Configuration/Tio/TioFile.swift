import TextTools

/// A configuration file of tio, parsed into sections.
///
/// tio 1 and 2 read it with inih, tio 3 with GLib's key file parser. Both syntaxes are accepted:
/// lines `KEY = VALUE` below headings `[NAME]`, and comments that start with `#` or `;`.
struct TioFile {
  /// The sections in the order of the file. The first is `default`: in tio 1 and 2 the settings
  /// above all headings, in tio 3 the section of that name.
  private(set) var sections = [ImportedSection(name: "default")]
  /// The index of each section.
  private var places = ["default": 0]

  /// Parses a file. Every document is accepted, because tio's format has no specification.
  init(parsing document: [UInt8]) {
    // Only comments and names can contain bytes that are not UTF-8.
    let text = String(decoding: document, as: UTF8.self)
    var current = 0
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmed
      if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
      guard line.hasPrefix("["), line.hasSuffix("]") else {
        sections[current].add(line)
        continue
      }
      let name = String(line.dropFirst().dropLast().trimmed)
      if name.hasPrefix("include ") {
        // This is a directive of tio 3.9, not a section.
        sections[current].otherLines.append(line.inComment)
      } else {
        current = index(of: name)
      }
    }
  }

  private mutating func index(of name: String) -> Int {
    if let index = places[name] { return index }
    places[name] = sections.count
    sections.append(ImportedSection(name: name))
    return sections.count - 1
  }
}

extension ImportedSection {
  fileprivate mutating func add(_ line: Substring) {
    // inih also accepts a colon instead of the equals sign.
    guard let separator = line.firstIndex(where: { $0 == "=" || $0 == ":" }),
      separator != line.startIndex
    else { return otherLines.append(line.inComment) }
    let key = String(line[..<separator].trimmed)
    set(key, to: Self.value(line[separator...].dropFirst().trimmed, of: key))
  }

  /// Removes a comment from a value. inih ends a value at a semicolon after a blank, but scripts
  /// and commands may contain that.
  private static func value(_ text: Substring, of key: String) -> String {
    if ["script", "exec"].contains(key) { return String(text) }
    var previous: Character = " "
    for index in text.indices {
      if text[index] == ";", previous == " " || previous == "\t" {
        return String(text[..<index].trimmed)
      }
      previous = text[index]
    }
    return String(text)
  }
}
