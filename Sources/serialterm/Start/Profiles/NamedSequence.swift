import Configuration
import SerialCore

/// A line sequence that the user can play by its name.
struct NamedSequence: Hashable, Sendable {
  let name: String
  let sequence: LineSequence

  /// The beginning of the names of the commands for sequences.
  static let commandPrefix = "sequence: "

  init(_ name: String, _ sequence: LineSequence) {
    self.name = name
    self.sequence = sequence
  }

  /// Parses the name of a built-in sequence, or steps. Steps are also the sequence's name.
  ///
  /// - Throws: `ItemParsingError`.
  init(parsing text: String) throws(ItemParsingError) {
    if let ready = ReadySequence(rawValue: text) {
      self.init(text, ready.sequence)
    } else {
      self.init(text, try LineSequence(parsing: text))
    }
  }
}

// MARK: The configuration

/// The tables `[default.sequences]` and `[profile.NAME.sequences]`.
extension NamedSequence {
  /// The key of the table.
  static let tableName = "sequences"

  /// The sequences of a session.
  ///
  /// - Parameter entries: the entries of the configuration that apply. They must have
  ///   been checked before.
  static func sequences(of entries: [Entry]) -> [NamedSequence] { (try? read(entries)) ?? [] }

  /// Checks the table of sequences, if there is one.
  ///
  /// - Throws: `ConfigurationError` with the line of the mistake.
  static func check(_ entries: [Entry]) throws(ConfigurationError) { _ = try read(entries) }

  private static func read(_ entries: [Entry]) throws(ConfigurationError) -> [NamedSequence] {
    var sequences: [NamedSequence] = []
    for entry in try NameTable.entries(of: tableName, in: entries) {
      sequences.append(try NamedSequence(entry))
    }
    return sequences
  }

  private init(_ entry: Entry) throws(ConfigurationError) {
    guard case .string(let text) = entry.value else {
      throw ConfigurationError(
        line: entry.line,
        "'\(entry.key)' is \(entry.value.kindName): expected steps, such as \"dtr=off,wait=100,dtr=on\", "
          + "or the name of a ready sequence")
    }
    do throws(ItemParsingError) {
      self.init(entry.key, try NamedSequence(parsing: text).sequence)
    } catch {
      // A text without a step is a name, possibly misspelt.
      let what =
        text.utf8.contains(UInt8(ascii: "="))
        ? "\(error)"
        : "'\(text)' is not a ready sequence: expected one of "
          + ReadySequence.allCases.map(\.rawValue).joined(separator: ", ")
      throw ConfigurationError(line: entry.line, "'\(entry.key)': \(what)")
    }
  }
}
