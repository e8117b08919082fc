import TextTools

/// A program whose configuration can be imported, by the name of its command: `profile import-tio`.
public enum ImportedProgram: String, CaseIterable, Sendable {
  case tio, minicom, ser2net

  /// The last word of the command that imports its configuration.
  public var command: String { "import-\(rawValue)" }

  /// Why a file is no configuration of this program; nil if it can be one, or has only comments.
  ///
  /// A configuration of serialterm is refused. Otherwise a file of this program never is, one of
  /// another program always. What is of no program is refused if the import finds nothing in it.
  ///
  /// - Parameters:
  ///   - file: the name of the file, for the advice.
  ///   - ownKeys: the keys of a configuration of serialterm.
  public func refusal(of document: [UInt8], named file: String, ownKeys: Set<String>) -> String? {
    let lines = String(decoding: document, as: UTF8.self).split(whereSeparator: \.isNewline)
      .filter { line in
        let line = line.trimmed
        return !line.isEmpty && !["#", ";", "%"].contains { line.hasPrefix($0) }
      }
    if lines.isEmpty { return nil }
    if Self.areOwn(lines, ownKeys) {
      return "it is a configuration of serialterm, which needs no import."
    }
    if recognizes(lines, of: document) { return nil }
    if let other = Self.allCases.first(where: { $0.recognizes(lines, of: document) }) {
      return "it is a configuration of \(other.rawValue), not of \(rawValue): use "
        + "'serialterm profile \(other.command) \(file)'."
    }
    return findsSomething(in: lines, of: document) ? nil : "it has no setting of \(rawValue)."
  }

  /// Whether lines are of a file that can only be one of the program.
  private func recognizes(_ lines: [Substring], of document: [UInt8]) -> Bool {
    switch self {
    case .tio: lines.contains { Self.tioKey($0) != nil }
    case .minicom:
      lines.contains {
        MinicomImport.words(of: $0).map { MinicomSetting.about($0.key) != nil } ?? false
      }
    case .ser2net: Ser2netOldFile.isOne(lines) || Ser2netFile.isOne(document) == true
    }
  }

  /// Whether the import finds something in lines that no program recognizes.
  private func findsSomething(in lines: [Substring], of document: [UInt8]) -> Bool {
    switch self {
    case .tio:
      // Sections of unknown settings become comments. tio 1 and 2 also accept colons.
      lines.contains { line in
        let line = line.trimmed
        return line.hasPrefix("[") && line.hasSuffix("]")
          || "=:".contains {
            Self.setting(line, $0).map { TioSetting.about($0.key) != nil } ?? false
          }
      }
    case .minicom: lines.contains { MinicomImport.words(of: $0) != nil }
    case .ser2net:
      // A mistake in YAML is reported with its place.
      Ser2netFile.isOne(document) == nil && lines.contains { $0.contains(text: "connection") }
    }
  }

  // MARK: Lines KEY = VALUE

  private static func setting(
    _ line: Substring, _ sign: Character
  ) -> (key: String, value: Substring)? {
    guard let end = line.firstIndex(of: sign) else { return nil }
    return (String(line[..<end].trimmed), line[end...].dropFirst().trimmed)
  }

  /// The key of a setting of tio. Its values have no quotes; those of TOML have.
  private static func tioKey(_ line: Substring) -> String? {
    guard let (key, value) = setting(line, "="), TioSetting.about(key) != nil,
      value.first != "\"", value.first != "'"
    else { return nil }
    return key
  }

  /// Whether lines are of a configuration of serialterm. tio has sections of the same names, and
  /// some of the same keys: a key that only tio has decides.
  private static func areOwn(_ lines: [Substring], _ ownKeys: Set<String>) -> Bool {
    let headings = lines.map(\.trimmed).filter {
      $0.hasPrefix("[profile.") || $0.hasPrefix("[default]")
    }
    guard !headings.isEmpty,
      !lines.contains(where: { tioKey($0).map { !ownKeys.contains($0) } ?? false })
    else { return false }
    let hasProfile = headings.contains { $0.hasPrefix("[profile.") }
    return lines.contains { line in
      guard let (key, _) = setting(line, "="), ownKeys.contains(key) else { return false }
      return hasProfile || tioKey(line) == nil
    }
  }
}
