/// The complete description of a parameter of a command: an option, a flag, or an argument
/// without a name.
///
/// Parsing, profiles, help, completion and the manual use it, so that nothing is defined twice.
public struct Declaration: Sendable {
  /// The long name without dashes, or the name of an argument in lower case: `baud`, `target`.
  public let name: String
  /// The letter of an option; nil for none.
  public let letter: Character?
  /// The form in which it is written.
  public let shape: Shape
  /// The placeholder for the value in help, in capitals: `RATE`, `REGEX COMMAND`. Empty for a flag.
  public let placeholder: String
  /// Its effect, in one sentence.
  public let summary: String
  /// Further text for help and the manual; empty for none.
  public let details: String
  /// The default value as text; nil if help does not mention it.
  public let standard: String?
  /// Whether the option must be given.
  public internal(set) var isRequired = false
  /// Whether a configuration file can set it.
  public let isConfigurable: Bool
  /// The type of its value in a configuration file.
  public let kind: Kind
  /// The expected form of a text, for messages: `one of none, odd, even`. Empty if only the thrown
  /// error describes it.
  public let expected: String
  /// The values that a shell completes.
  public let completion: Completion
  /// The second values that a shell completes, if each use takes two.
  public let secondCompletion: Completion
  /// Checks the given texts. It throws an error that describes the mistake.
  let check: @Sendable ([String]) throws -> Void

  /// The form in which a parameter is written.
  public enum Shape: Hashable, Sendable {
    /// `--name`
    case flag
    /// `--name`, or its opposite. The last one counts.
    case pair(off: String, offLetter: Character?)
    /// `--name VALUE`
    case value
    /// `--name VALUE`, once or several times
    case list
    /// `--name FIRST SECOND`, once or several times. The texts contain both values of each use, one
    /// after the other.
    case pairs
    /// `--name [VALUE]`. The next word is the value only if it is valid. Without a value, the
    /// associated one applies.
    case optionalValue(String)
    /// An argument without a name.
    case argument(isOptional: Bool)
    /// All remaining arguments, at least this number.
    case arguments(atLeast: Int)
    /// The words after `--`.
    case wordsAfterDashes
  }

  /// The type of a value in a configuration file.
  public enum Kind: Hashable, Sendable {
    case text, wholeNumber, number
    /// A length of time: a number, or a text with a unit.
    case time
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

  /// The parameter in the form for help and messages: `-b, --baud RATE`, `[TARGET]`.
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
  /// Whether the texts are a value of the parameter.
  public func accepts(_ texts: [String]) -> Bool {
    (try? check(texts)) != nil
  }

  /// The complete explanation in help.
  public var explanation: String { Self.sentences(summary, details, default: standard) }

  /// The explanation without the details.
  var briefExplanation: String { Self.sentences(summary, default: standard) }

  private static func sentences(_ texts: String..., default standard: String?) -> String {
    (texts + [standard.map { "Default: \($0)." } ?? ""]).filter { !$0.isEmpty }
      .joined(separator: " ")
  }
}

extension [Declaration] {
  /// The parameter that a key of a configuration file sets. The key is its name or the name
  /// of its opposite.
  public func configurable(_ key: String) -> Declaration? {
    first { $0.isConfigurable && ($0.name == key || $0.oppositeName == key) }
  }
}

/// A parameter with the type of its value.
public protocol Declared: Sendable {
  var declaration: Declaration { get }
}

extension Declared {
  /// The name of the option on the command line, in profiles, and as a command of a session.
  public var name: String { declaration.name }
}

/// The parameters below one heading in help.
public struct ParameterSection: Sendable {
  /// The heading in capitals: `LINE`.
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
