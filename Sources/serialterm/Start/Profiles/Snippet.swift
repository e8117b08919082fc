import Configuration
import Dialogues
import Terminal
import TextTools

/// A text of the configuration that the user can send by its name.
struct Snippet: Hashable, Sendable {
  let name: String
  /// The bytes that are sent before the ending.
  let text: [UInt8]
  /// The key after the prefix; nil for none.
  var key: Character? = nil
  /// The ending after the text; nil to send what Enter sends, unless the text ends with a line end.
  var ending: TextEnding? = nil

  /// The maximum length of a text in bytes.
  static let largestText = 65_536

  /// The bytes to send.
  ///
  /// - Parameter enter: the line ending that Enter sends.
  func bytes(enter: LineEnding) -> [UInt8] {
    if let ending { return text + ending.bytes }
    let endsLine = text.last == UInt8(ascii: "\r") || text.last == UInt8(ascii: "\n")
    return endsLine ? text : text + enter.bytes
  }
}

// MARK: The configuration

/// The tables `[default.snippets]` and `[profile.NAME.snippets]`.
extension Snippet {
  /// The key of the table.
  static let tableName = "snippets"

  /// The snippets of a session. The first ones without a key get digits as keys.
  ///
  /// - Parameter entries: the entries of the configuration that apply. They must have
  ///   been checked before.
  static func snippets(of entries: [Entry]) -> [Snippet] { (try? read(entries)) ?? [] }

  /// Checks the table of snippets, if there is one.
  ///
  /// - Throws: `ConfigurationError` with the line of the mistake.
  static func check(_ entries: [Entry]) throws(ConfigurationError) { _ = try read(entries) }

  /// The table of snippets of `[default]` with those alone that have a key of their own. A profile
  /// can conflict with no other ones, and a file may have many of both.
  static func withKeys(_ entries: [Entry]) -> [Entry] {
    entries.compactMap { entry in
      guard entry.key == tableName, case .table(let names) = entry.value else { return nil }
      let keyed = names.filter { name in
        if case .table(let parts) = name.value { parts.contains { $0.key == "key" } } else { false }
      }
      return Entry(key: entry.key, value: .table(keyed), line: entry.line)
    }
  }

  private static func read(_ entries: [Entry]) throws(ConfigurationError) -> [Snippet] {
    var snippets: [Snippet] = []
    for entry in try NameTable.entries(of: tableName, in: entries) {
      let snippet = try Snippet(entry)
      if let key = snippet.key, let other = snippets.first(where: { $0.key == key }) {
        throw ConfigurationError(
          line: entry.line,
          "'\(snippet.name)': the key \(key) is that of the snippet '\(other.name)'")
      }
      snippets.append(snippet)
    }
    return withDigits(snippets)
  }

  /// Assigns free digits to the first snippets without a key.
  private static func withDigits(_ snippets: [Snippet]) -> [Snippet] {
    var digits = "123456789".filter { digit in !snippets.contains { $0.key == digit } }[...]
    return snippets.map { snippet in
      var snippet = snippet
      if snippet.key == nil { snippet.key = digits.popFirst() }
      return snippet
    }
  }

  private init(_ entry: Entry) throws(ConfigurationError) {
    name = entry.key
    switch entry.value {
    case .string(let text): self.text = try Self.bytes(of: text, name: name, line: entry.line)
    case .table(let parts):
      guard case .string(let text)? = parts.first(where: { $0.key == "text" })?.value else {
        throw ConfigurationError(line: entry.line, "'\(name)' has no text: expected text = \"...\"")
      }
      self.text = try Self.bytes(of: text, name: name, line: entry.line)
      for part in parts where part.key != "text" { try read(part) }
    default:
      throw ConfigurationError(
        line: entry.line,
        "'\(name)' is \(entry.value.kindName): expected a string, or a table with text, key and "
          + "line-ending")
    }
  }

  private static func bytes(
    of text: String, name: String, line: Int
  ) throws(ConfigurationError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(EscapedText.Mistake) {
      bytes = try EscapedText.bytes(of: text)
    } catch {
      throw ConfigurationError(line: line, "'\(name)': \(error)")
    }
    guard bytes.count <= largestText else {
      throw ConfigurationError(
        line: line, "'\(name)' is too long: \(largestText.grouped) bytes at most")
    }
    return bytes
  }

  /// Reads an entry of the inline table other than the text.
  private mutating func read(_ part: Entry) throws(ConfigurationError) {
    func mistake(_ what: String) -> ConfigurationError {
      ConfigurationError(line: part.line, "'\(name)': \(what)")
    }
    let text: String? = if case .string(let text) = part.value { text } else { nil }
    switch part.key {
    case "key":
      guard let text, text.count == 1, let key = text.first, let byte = key.asciiValue,
        (0x21...0x7E).contains(byte)
      else {
        throw mistake("'key' is not a printable ASCII character: expected one, such as \"7\"")
      }
      if let command = Command.all.first(where: { $0.key == key }) {
        throw mistake("the key \(key) is that of the command '\(command.name)'")
      }
      self.key = key
    case "line-ending":
      guard let ending = text.flatMap(TextEnding.init(rawValue:)) else {
        throw mistake("'line-ending': expected none, cr, lf or crlf")
      }
      self.ending = ending
    default: throw mistake("unknown key '\(part.key)': expected text, key or line-ending")
    }
  }
}
