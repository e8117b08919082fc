import TextTools

/// A program whose configuration can be imported, by the name of its command: `profile import-tio`.
public enum ImportedProgram: String, CaseIterable, Sendable {
  case tio, minicom, ser2net

  /// The last word of the command that imports its configuration.
  public var command: String { "import-\(rawValue)" }

  /// Why a file is not a configuration of this program; nil if it is, or if it has only comments.
  ///
  /// - Parameter file: the name of the file, for the advice.
  public func refusal(of document: [UInt8], named file: String) -> String? {
    let lines = String(decoding: document, as: UTF8.self).split(whereSeparator: \.isNewline)
      .filter { line in
        let line = line.trimmed
        return !line.isEmpty && !["#", ";", "%"].contains { line.hasPrefix($0) }
      }
    if lines.isEmpty { return nil }
    if lines.contains(where: { $0.hasPrefix("[profile.") }) {
      return "it is a configuration of serialterm, which needs no import."
    }
    if recognizes(lines) { return nil }
    guard let other = Self.allCases.first(where: { $0.recognizes(lines) }) else {
      return "it has no setting of \(rawValue)."
    }
    return "it is a configuration of \(other.rawValue), not of \(rawValue): use "
      + "'serialterm profile \(other.command) \(file)'."
  }

  /// Whether lines, of which none is a comment, are of a file of the program.
  private func recognizes(_ lines: [Substring]) -> Bool {
    switch self {
    case .tio:
      // Sections of defaults alone are one, too.
      lines.allSatisfy { $0.trimmed.hasPrefix("[") && $0.trimmed.hasSuffix("]") }
        || lines.contains { line in
          guard let end = line.firstIndex(where: { $0 == "=" || $0 == ":" }) else { return false }
          return TioSetting.about(String(line[..<end].trimmed)) != nil
        }
    case .minicom:
      lines.contains { line in
        MinicomImport.words(of: line).map { MinicomSetting.about($0.key) != nil } ?? false
      }
    case .ser2net:
      Ser2netOldFile.isOne(lines)
        || lines.contains { line in
          let key = line.prefix { $0 != ":" }
          return key.endIndex != line.endIndex && Ser2netFile.keys.contains(key.lowercased())
        }
    }
  }
}
