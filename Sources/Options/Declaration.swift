/// Everything that is said about a parameter of a command: an option, a flag, or an argument without a name.
///
/// Parsing, profiles, help, completion and the manual read it, so that nothing is said twice.
public struct Declaration: Sendable {
  /// The long name without dashes, or the name of an argument in lower case: `baud`, `target`.
  public let name: String
  /// The letter of an option; nil for none.
  public let letter: Character?
  /// How it is written.
  public let shape: Shape
  /// What stands for the value in help, in capitals: `RATE`, `REGEX COMMAND`. Empty for a flag.
  public let placeholder: String
  /// What it does, in one sentence.
  public let summary: String
  /// What the command of the same name does in a session, in a few words; empty if there is none.
  public let inSession: String
  /// More about it, for help and the manual; empty for nothing.
  public let details: String
  /// The value without it, in words; nil if help does not name it.
  public let standard: String?
  /// Whether an option has to be given.
  public internal(set) var isRequired = false
  /// Whether a configuration file can set it.
  public let isConfigurable: Bool
  /// The kind of value that a configuration file has for it.
  public let kind: Kind
  /// What a text must be, for messages: `one of none, odd, even`. Empty if only an error tells.
  public let expected: String
  /// The values that a shell completes.
  public let completion: Completion
  /// The second values that a shell completes, if each use has two.
  public let secondCompletion: Completion
  /// Throws an error that says what is wrong with the texts that were given.
  let check: @Sendable ([String]) throws -> Void

  /// How a parameter is written.
  public enum Shape: Hashable, Sendable {
    /// `--name`
    case flag
    /// `--name`, or its opposite; the last counts.
    case pair(off: String, offLetter: Character?)
    /// `--name VALUE`
    case value
    /// `--name VALUE`, once or more
    case list
    /// `--name FIRST SECOND`, once or more. Of each, both are in the texts, one after the other.
    case pairs
    /// `--name [VALUE]`: the next word is the value only if it is valid. Without one, this is meant.
    case optionalValue(String)
    /// An argument without a name.
    case argument(isOptional: Bool)
    /// All arguments that are left, at least this number.
    case arguments(atLeast: Int)
    /// The words after `--`.
    case wordsAfterDashes
  }

  /// The kind of a value in a configuration file.
  public enum Kind: Hashable, Sendable {
    case text, wholeNumber, number
  }

  /// Whether it is written without a name.
  public var isArgument: Bool {
    switch shape {
    case .argument, .arguments, .wordsAfterDashes: true
    case .flag, .pair, .value, .list, .pairs, .optionalValue: false
    }
  }

  /// Whether it is written with a value.
  public var takesValue: Bool {
    switch shape {
    case .value, .list, .pairs, .optionalValue: true
    case .flag, .pair, .argument, .arguments, .wordsAfterDashes: false
    }
  }

  /// The opposite of a pair: `no-reconnect`.
  public var oppositeName: String? {
    if case .pair(let off, _) = shape { off } else { nil }
  }

  /// The letter of the opposite of a pair.
  public var oppositeLetter: Character? {
    if case .pair(_, let letter) = shape { letter } else { nil }
  }

  /// The parameter as help and messages write it: `-b, --baud RATE`, `[TARGET]`.
  public var usage: String {
    let letter = letter.map { "-\($0), " } ?? ""
    return switch shape {
    case .flag: "\(letter)--\(name)"
    case .pair(let off, let offLetter):
      "\(letter)--\(name), " + (offLetter.map { "-\($0), " } ?? "") + "--\(off)"
    case .value, .list, .pairs: "\(letter)--\(name) \(placeholder)"
    case .optionalValue: "\(letter)--\(name) [\(placeholder)]"
    case .argument(let isOptional): isOptional ? "[\(placeholder)]" : placeholder
    case .arguments(let atLeast): atLeast > 0 ? "\(placeholder) ..." : "[\(placeholder) ...]"
    case .wordsAfterDashes: "-- \(placeholder) ..."
    }
  }
}

extension Declaration {
  /// All that help says about it.
  public var explanation: String {
    let standard = standard.map { "Default: \($0)." } ?? ""
    return [summary, details, standard].filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension [Declaration] {
  /// The parameter that a key of a configuration file sets: its name, or its opposite's.
  public func configurable(_ key: String) -> Declaration? {
    first { $0.isConfigurable && ($0.name == key || $0.oppositeName == key) }
  }
}

/// A parameter with the type of its value.
public protocol Declared: Sendable {
  var declaration: Declaration { get }
}

extension Declared {
  /// The name that the option has everywhere: on the command line, in profiles, and as a command of a session.
  public var name: String { declaration.name }
  /// What the command of this name does in a session.
  public var inSession: String { declaration.inSession }
}

/// The parameters that one heading in help has.
public struct ParameterSection: Sendable {
  /// In capitals: `LINE`.
  public let title: String
  public let declarations: [Declaration]

  /// Creates a section.
  public init(_ title: String, _ parameters: [any Declared]) {
    self.init(title, parameters.map(\.declaration))
  }

  /// Creates a section.
  public init(_ title: String, _ declarations: [Declaration]) {
    self.title = title
    self.declarations = declarations
  }
}
