/// Changes of a profile in the text of a configuration file. All other bytes stay unchanged.
///
/// A changed value is replaced in place, and a comment after it stays. A new key comes after
/// the last key of the profile's table. A profile without a table of its own gets one at the
/// end of the file.
public struct ProfileEdit: Hashable, Sendable {
  /// A key with its new value; nil removes the key.
  public struct Change: Hashable, Sendable {
    public let key: String
    public let value: Value?

    /// Creates a change.
    public init(_ key: String, _ value: Value?) {
      self.key = key
      self.value = value
    }
  }

  /// A line of the file that the edit removes or adds, without its line end.
  public enum Line: Hashable, Sendable {
    case removed(String)
    case added(String)
  }

  /// The new text.
  public let document: [UInt8]
  /// The lines that change.
  public let lines: [Line]

  /// Applies changes.
  ///
  /// - Throws: ``ConfigurationError`` if the document is not a valid configuration, or if the
  ///   profile is an inline table, which cannot be changed.
  public init(
    of profile: String, in document: [UInt8], _ changes: [Change]
  ) throws(ConfigurationError) {
    let old = try Self.settings(of: document)
    var editor = Editor(document, profile: profile, try TOMLReader.statements(in: document))
    if old.profiles[profile] != nil { try editor.checkForm() }
    for change in changes { editor.apply(change) }
    (self.document, lines) = editor.result
    try Self.check(self.document, against: old, profile: profile, changes)
  }

  /// Checks that the new text has the intended meaning, and that everything else has
  /// kept its meaning.
  private static func check(
    _ new: [UInt8], against old: Settings, profile: String, _ changes: [Change]
  ) throws(ConfigurationError) {
    let new = try settings(of: new)
    var expected = old
    var own = expected.profiles[profile] ?? [:]
    for change in changes { own[change.key] = change.value?.description }
    if old.profiles[profile] != nil || !changes.isEmpty { expected.profiles[profile] = own }
    guard new == expected else {
      throw ConfigurationError(
        line: 1, "the profile '\(profile)' is written in a form that cannot be changed")
    }
  }

  /// The meaning of a configuration, without the lines.
  private struct Settings: Equatable {
    var defaults: [String: String]
    var profiles: [String: [String: String]]
  }

  private static func settings(of document: [UInt8]) throws(ConfigurationError) -> Settings {
    let file = try ConfigurationFile(parsing: document) { _, _ in }
    func texts(_ entries: [Entry]) -> [String: String] {
      Dictionary(entries.map { ($0.key, $0.value.description) }) { $1 }
    }
    return Settings(
      defaults: texts(file.defaults),
      profiles: Dictionary(file.profiles.map { ($0.name, texts($0.entries)) }) { $1 })
  }
}

/// Collects the replacements in a document.
private struct Editor {
  private let document: [UInt8]
  private let profile: String
  private let statements: [TOMLStatement]
  /// The ranges to replace, and the lines that change with each.
  private var replacements: [(range: Range<Int>, bytes: [UInt8], lines: [ProfileEdit.Line])] = []
  /// The new keys of the profile, which are inserted together.
  private var additions: [Entry] = []

  private static let newline = UInt8(ascii: "\n")

  init(_ document: [UInt8], profile: String, _ statements: [TOMLStatement]) {
    self.document = document
    self.profile = profile
    self.statements = statements
  }

  private var path: [String] { ["profile", profile] }

  /// Checks that the profile is not an inline table.
  func checkForm() throws(ConfigurationError) {
    guard let table = statements.first(where: { !$0.isHeading && path.starts(with: $0.path) })
    else { return }
    throw ConfigurationError(
      line: table.line,
      "'\(table.path.joined(separator: "."))' is an inline table (line \(table.line)): write "
        + "[profile.\(profile)] instead")
  }

  mutating func apply(_ change: ProfileEdit.Change) {
    let place = statements.first { !$0.isHeading && $0.path == path + [change.key] }
    switch (place, change.value) {
    case (let place?, let value?): replace(place, by: value)
    case (let place?, nil): remove(place)
    case (nil, let value?): additions.append(Entry(key: change.key, value: value, line: 1))
    case (nil, nil): break
    }
  }

  private mutating func replace(_ statement: TOMLStatement, by value: Value) {
    let lines = lines(around: statement.range)
    let new =
      document[lines.lowerBound..<statement.value.lowerBound] + value.description.utf8
      + document[statement.value.upperBound..<lines.upperBound]
    replacements.append(
      (
        statement.value, Array(value.description.utf8),
        shown(document[lines]).map { .removed($0) } + shown(new).map { .added($0) }
      ))
  }

  private mutating func remove(_ statement: TOMLStatement) {
    let lines = lines(around: statement.range)
    replacements.append((lines, [], shown(document[lines]).map { .removed($0) }))
  }

  /// The range of the lines that contain a range, including the last line end.
  private func lines(around range: Range<Int>) -> Range<Int> {
    let start = document[..<range.lowerBound].lastIndex(of: Self.newline).map { $0 + 1 } ?? 0
    let end = document[range.upperBound...].firstIndex(of: Self.newline).map { $0 + 1 }
    return start..<(end ?? document.count)
  }

  private func shown(_ bytes: some Sequence<UInt8>) -> [String] {
    let lines = Array(bytes).split(separator: Self.newline, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
      .map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }
    return lines.last == "" ? lines.dropLast() : lines
  }

  // MARK: Additions

  /// The new text, and the lines that change.
  var result: (document: [UInt8], lines: [ProfileEdit.Line]) {
    var all = replacements
    if !additions.isEmpty { all.append(addition) }
    // Sorted in the order of the file. Lines that are added come after removed ones.
    all.sort {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    var new: [UInt8] = []
    var end = 0
    for (range, bytes, _) in all {
      new += document[end..<max(end, range.lowerBound)] + bytes
      end = max(end, range.upperBound)
    }
    return (new + document[end...], all.flatMap(\.lines))
  }

  /// The insertion of the new keys.
  private var addition: (range: Range<Int>, bytes: [UInt8], lines: [ProfileEdit.Line]) {
    let keys: [String]
    let last: TOMLStatement
    if let heading = statements.lastIndex(where: {
      $0.isHeading && !$0.isElement && $0.path == path
    }) {
      let own = statements[(heading + 1)...].prefix { !$0.isHeading }
      last = own.last ?? statements[heading]
      keys = additions.map(\.text)
    } else if let dotted = statements.last(where: {
      !$0.isHeading && $0.path.starts(with: path) && $0.heading.count < path.count
    }) {
      last = dotted
      // The part of the path that is not in the heading above.
      let prefix = path.dropFirst(dotted.heading.count).map(Entry.keyText).joined(separator: ".")
      keys = additions.map { "\(prefix).\($0.text)" }
    } else {
      return atEnd
    }
    let lines = lines(around: last.range)
    let start = document[lines.lowerBound..<last.range.lowerBound]
    let indentation = last.isHeading ? "" : String(decoding: start, as: UTF8.self)
    let text = keys.map { indentation + $0 }
    let isWhole = document[lines].last == Self.newline
    let lineEnd = document[lines].suffix(2).elementsEqual("\r\n".utf8) ? "\r\n" : "\n"
    let bytes =
      isWhole ? text.map { $0 + lineEnd }.joined() : text.map { lineEnd + $0 }.joined()
    return (
      lines.upperBound..<lines.upperBound, Array(bytes.utf8), text.map { .added($0) }
    )
  }

  /// A new table at the end of the file.
  private var atEnd: (range: Range<Int>, bytes: [UInt8], lines: [ProfileEdit.Line]) {
    let text = ConfigurationFile.text(
      profile: profile, additions.map { (key: $0.key, value: $0.value) })
    let lead = document.isEmpty ? "" : document.last == Self.newline ? "\n" : "\n\n"
    return (
      document.count..<document.count, Array((lead + text).utf8),
      shown(text.utf8).map { .added($0) }
    )
  }
}
