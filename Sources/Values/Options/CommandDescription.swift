/// The description of a command for help, completion and the manual.
public struct CommandDescription: Sendable {
  /// The words after the program's name: `connect`, `profile save`.
  public let name: String
  /// Its action, in one sentence.
  public let summary: String
  /// Further text: paragraphs with empty lines between them. Lines that begin with a
  /// space stay unchanged.
  public let discussion: String
  /// Shell commands as examples, with explanations.
  public let example: String
  /// The options that are used most, in order: the ones that help shows of a command with many.
  /// Empty if it shows all.
  public let mostUsed: [Declaration]
  /// All parameters, in the order of help.
  public let sections: [ParameterSection]
  /// Whether help omits the command.
  public let isHidden: Bool

  /// Creates a description.
  public init(
    _ name: String, _ summary: String, _ discussion: String = "", example: String,
    mostUsed: [any Declared] = [], sections: [ParameterSection], isHidden: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.example = example
    self.mostUsed = mostUsed.map(\.declaration)
    self.sections = sections
    self.isHidden = isHidden
  }

  /// All parameters.
  public var declarations: [Declaration] { sections.flatMap(\.declarations) }

  /// Whether the command has more options than those in ``mostUsed``, if that has any.
  public var hasMoreOptions: Bool {
    !mostUsed.isEmpty && mostUsed.count < declarations.count { !$0.isArgument }
  }

  /// The usage line: `serialterm send TARGET [TEXT] [OPTIONS]`.
  public func usage(of program: String) -> String {
    let declarations = declarations
    var words = [program, name]
    words += declarations.filter { $0.isArgument && $0.shape != .wordsAfterDashes }.map(\.usage)
    words += declarations.filter(\.isRequired).map(\.usage)
    if declarations.contains(where: { !$0.isArgument && !$0.isRequired }) {
      words.append("[OPTIONS]")
    }
    words += declarations.filter { $0.shape == .wordsAfterDashes }.map(\.usage)
    return words.joined(separator: " ")
  }
}
