/// A configuration of tio, converted to one of serialterm.
public struct TioImport: ProfileImport {
  public let text: String
  public let droppedCount: Int

  /// Converts a configuration.
  ///
  /// - Parameters:
  ///   - document: the bytes of tio's configuration file.
  ///   - complaint: checks each entry. An entry that it refuses becomes a comment.
  public init(_ document: [UInt8], complaint: @escaping Check) {
    let file = TioFile(parsing: document)
    let defaults = ImportedValues.dictionary(file.sections[0])
    var names = ProfileNames(of: "tio")
    var tables: [String] = []
    var count = 0
    for section in file.sections {
      let values = ImportedValues(section, defaults: defaults, complaint: complaint)
      let lines = section.lines(values, of: "tio 1 to 3", TioSetting.about)
      let isDefault = section.name == "default"
      // An empty [default] is omitted: appended to a configuration, it could be a duplicate table.
      if isDefault && lines.isEmpty && section.otherLines.isEmpty { continue }
      let heading = isDefault ? ["[default]"] : names.heading(for: section.name).lines
      let others = section.otherComments
      count += others.count + lines.filter(\.isDropped).count
      let body = lines.map { ImportedSection.text($0, values) }
      tables.append((heading + others + body).joined(separator: "\n") + "\n")
    }
    text = tables.joined(separator: "\n")
    droppedCount = count
  }
}
