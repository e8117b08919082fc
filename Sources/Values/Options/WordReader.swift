/// Parses the words of a command line into parameters and their texts.
///
/// The conventions are those of getopt_long(3): `--name VALUE`, `--name=VALUE`, `-n VALUE`,
/// `-nVALUE`, several flags in one word (`-xe`, also before an option: `-xb9600`), and `--` before
/// arguments that begin with a dash.
public struct WordReader {
  private let declarations: [Declaration]
  private let canSwitchOff: Bool
  private var given = Given()
  /// The arguments without a name.
  private var arguments: [String] = []
  private var rest: ArraySlice<String>
  /// An option at the end whose optional value was omitted.
  private var awaiting: Declaration?
  /// Whether an option at the end has only the first of its two values.
  private var isAwaitingSecond = false

  /// Parses words.
  ///
  /// - Parameters:
  ///   - declarations: the parameters of the command.
  ///   - canSwitchOff: whether `--no-NAME` cancels the value of a configuration file.
  /// - Throws: ``WordError`` for the first invalid word.
  public static func read(
    _ words: [String], _ declarations: [Declaration], canSwitchOff: Bool
  ) throws(WordError) -> Given {
    var reader = WordReader(
      declarations: declarations, canSwitchOff: canSwitchOff, rest: words[...])
    try reader.readAll()
    return reader.given
  }

  private static let dash = UInt8(ascii: "-")

  private init(declarations: [Declaration], canSwitchOff: Bool, rest: ArraySlice<String>) {
    self.declarations = declarations
    self.canSwitchOff = canSwitchOff
    self.rest = rest
  }

  /// The position after some words, where a word is completed.
  struct Position {
    /// The parameters that the words give, without arguments.
    var given = Given()
    /// The words that are arguments without a name.
    var arguments: [String] = []
    /// The option whose value the next word is or can be.
    var awaiting: Declaration?
    /// Whether the next word is the second value of that option.
    var isAwaitingSecond = false
    /// The number of words after `--`; nil if there is no `--`.
    var wordsAfterDashes: Int?
  }

  /// Parses the words before the one that is completed. Invalid words are skipped.
  static func position(
    after words: [String], _ declarations: [Declaration], canSwitchOff: Bool
  ) -> Position {
    var reader = WordReader(
      declarations: declarations, canSwitchOff: canSwitchOff, rest: words[...])
    var position = Position()
    while let word = reader.rest.popFirst() {
      if word == "--" { position.wordsAfterDashes = reader.rest.count }
      do {
        try reader.read(word)
      } catch .missingValue(let option, nil) {
        reader.awaiting = option
      } catch {}
    }
    position.given = reader.given
    position.arguments = reader.arguments
    position.awaiting = reader.awaiting
    position.isAwaitingSecond = reader.isAwaitingSecond
    return position
  }

  private mutating func readAll() throws(WordError) {
    while let word = rest.popFirst() { try read(word) }
    try assignArguments()
  }

  private mutating func read(_ word: String) throws(WordError) {
    if word == "--" {
      readWordsAfterDashes()
    } else if word.utf8.starts(with: "--".utf8) {
      try readName(word)
    } else if word.utf8.first == Self.dash && word != "-" {
      try readLetters(word)
    } else {
      arguments.append(word)
    }
  }

  private mutating func readWordsAfterDashes() {
    if let declaration = declarations.first(where: { $0.shape == .wordsAfterDashes }) {
      for word in rest { given.add(word, to: declaration) }
    } else {
      arguments += rest
    }
    rest = []
  }

  /// Parses `--name` or `--name=VALUE`.
  private mutating func readName(_ word: String) throws(WordError) {
    // Splits bytes, because a value may begin with a combining character, which forms one Character
    // with the '='.
    let parts = word.utf8.dropFirst(2).split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
    ).map { String(Substring($0)) }
    let (name, value) = (parts[0], parts.count == 2 ? parts[1] : nil)
    if let declaration = options.first(where: { $0.name == name }) {
      try read(declaration, value)
    } else if let declaration = options.first(where: { $0.oppositeName == name }) {
      try refuse(value, of: name)
      given.add("false", to: declaration)
    } else if canSwitchOff, name.hasPrefix("no-"),
      let declaration = declarations.configurable(String(name.dropFirst(3)))
    {
      try refuse(value, of: name)
      if let opposite = declaration.oppositeName {
        // --no-shared means --exclusive.
        given.add("\(name.dropFirst(3) == opposite)", to: declaration)
      } else {
        given.switchOff(declaration)
      }
    } else {
      throw .unknownOption("--\(name)")
    }
  }

  private mutating func read(
    _ declaration: Declaration, _ value: String?
  ) throws(WordError) {
    switch declaration.shape {
    case .value, .list:
      guard let value = value ?? nextValue() else { throw .missingValue(declaration, rest.first) }
      given.add(value, to: declaration)
    case .pairs:
      guard let first = value ?? nextValue() else { throw .missingValue(declaration, rest.first) }
      guard let second = nextValue() else {
        isAwaitingSecond = true
        throw .missingValue(declaration, rest.first)
      }
      given.add(first, to: declaration)
      given.add(second, to: declaration)
    case .optionalValue(let implied):
      let next = value ?? nextValue(of: declaration)
      if next == nil, rest.isEmpty { awaiting = declaration }
      given.add(next ?? implied, to: declaration)
    default:
      try refuse(value, of: declaration.name)
      given.add("true", to: declaration)
    }
  }

  private func refuse(_ value: String?, of name: String) throws(WordError) {
    if let value { throw .unexpectedValue(option: "--\(name)", value) }
  }

  /// Parses `-x`, `-xe`, `-b VALUE`, `-bVALUE`, `-b=VALUE`.
  private mutating func readLetters(_ word: String) throws(WordError) {
    var letters = Substring(word.utf8.dropFirst())
    while let letter = letters.popFirst() {
      if let declaration = options.first(where: { $0.oppositeLetter == letter }) {
        try refuseValue(in: letters, of: letter)
        given.add("false", to: declaration)
        continue
      }
      guard let declaration = options.first(where: { $0.letter == letter }) else {
        throw .unknownOption(letter == "-" ? word : "-\(letter)")
      }
      if !declaration.takesValue { try refuseValue(in: letters, of: letter) }
      guard declaration.takesValue, !letters.isEmpty else {
        try read(declaration, nil)
        continue
      }
      let value = String(letters.first == "=" ? letters.dropFirst() : letters)
      if case .optionalValue(let implied) = declaration.shape, letters.first != "=",
        !Self.accepts(declaration, value), letters.allSatisfy(isFlag)
      {
        given.add(implied, to: declaration)
        continue
      }
      given.add(value, to: declaration)
      letters = ""
    }
  }

  private func refuseValue(in letters: Substring, of letter: Character) throws(WordError) {
    guard letters.first == "=" else { return }
    throw .unexpectedValue(option: "-\(letter)", String(letters.dropFirst()))
  }

  /// Takes the next word as a value. A word with a dash is a value only if it is a negative number.
  private mutating func nextValue() -> String? {
    guard let word = rest.first,
      word.utf8.first != Self.dash || word == "-" || Self.isNegativeNumber(word)
    else { return nil }
    return rest.popFirst()
  }

  /// Takes the next word as an optional value.
  private mutating func nextValue(of declaration: Declaration) -> String? {
    guard let word = rest.first, Self.accepts(declaration, word) else { return nil }
    return rest.popFirst()
  }

  /// Whether a word is a negative number. No option has a digit as its letter.
  private static func isNegativeNumber(_ word: String) -> Bool {
    word.utf8.first == dash
      && word.utf8.dropFirst().first.map { (0x30...0x39).contains($0) } == true
  }

  private static func accepts(_ declaration: Declaration, _ value: String) -> Bool {
    (try? declaration.check([value])) != nil
  }

  private func isFlag(_ letter: Character) -> Bool {
    options.contains { ($0.letter == letter && !$0.takesValue) || $0.oppositeLetter == letter }
  }

  private var options: some Sequence<Declaration> { declarations.lazy.filter { !$0.isArgument } }

  /// Assigns the arguments without a name to their parameters, in order.
  private mutating func assignArguments() throws(WordError) {
    var left = arguments[...]
    for declaration in declarations {
      switch declaration.shape {
      case .argument(let isOptional):
        if let word = left.popFirst() {
          given.add(word, to: declaration)
        } else if !isOptional {
          throw .missingArgument(declaration)
        }
      case .arguments(let atLeast):
        guard left.count >= atLeast else { throw .missingArgument(declaration) }
        for word in left { given.add(word, to: declaration) }
        left = []
      case .wordsAfterDashes:
        guard given[declaration.name] != nil else { throw .missingArgument(declaration) }
      case .value where declaration.isRequired:
        guard given[declaration.name] != nil else { throw .missingArgument(declaration) }
      case .flag, .pair, .value, .list, .pairs, .optionalValue: break
      }
    }
    if let word = left.first { throw .unexpectedArgument(word) }
  }
}

/// The error for an invalid word of a command line.
public enum WordError: Error, Sendable {
  /// `--name` or `-n`.
  case unknownOption(String)
  /// An option without its value, at the end or before another option, which is then named.
  case missingValue(Declaration, String?)
  /// A flag with a value.
  case unexpectedValue(option: String, String)
  case unexpectedArgument(String)
  case missingArgument(Declaration)
}
