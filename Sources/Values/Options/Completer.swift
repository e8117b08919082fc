/// Finds the completions for the last, incomplete word of a command line.
///
/// It uses the declarations of the commands. It does not know which shell asks, or how
/// that quotes words.
public struct Completer: Sendable {
  /// The completions of a word.
  public enum Answer: Hashable, Sendable {
    /// These words, in this order. All of them begin with the typed text.
    case words([Completion.Candidate])
    /// The paths of files. A path begins after this number of characters of the word.
    case files(after: Int)
    /// A separate command line, whose first word has this index.
    case command(from: Int)
  }

  private let commands: [CommandDescription]
  private let standard: CommandDescription
  private let configurable: Set<String>
  private let groups: [Completion.Candidate]
  private let subjects: [Completion.Candidate]

  /// Creates a completer.
  ///
  /// - Parameters:
  ///   - commands: the commands. Hidden ones are never suggested.
  ///   - standard: the default command, if the command line names none.
  ///   - configurable: the names of the commands whose parameters a configuration file can set.
  ///   - groups: the first words that several commands' names share.
  ///   - subjects: the help topics besides the commands.
  public init(
    _ commands: [CommandDescription], standard: CommandDescription, configurable: Set<String>,
    groups: [Completion.Candidate], subjects: [Completion.Candidate]
  ) {
    self.commands = commands
    self.standard = standard
    self.configurable = configurable
    self.groups = groups
    self.subjects = subjects
  }

  /// Completes the last word.
  ///
  /// - Parameter words: the words after the program's name, without quotes. The last one
  ///   may be empty.
  public func answer(_ words: [String]) -> Answer {
    let (before, typed) = (words.dropLast(), words.last ?? "")
    if before.first == "help" {
      return .words(topics(after: before.dropFirst()).filter { $0.word.hasPrefix(typed) })
    }
    if let command = command(of: before) {
      let count = command.name.split(separator: " ").count
      return WordCompleter(
        command, words: before.dropFirst(count), typed, isConfigurable: isConfigurable(command)
      ).answer
    }
    if before.count == 1, !nextWords(after: before).isEmpty {
      let candidates = nextWords(after: before) + [Self.help]
      return .words(
        candidates.filter { $0.word.hasPrefix(typed) && (!typed.isEmpty || $0 != Self.help) })
    }
    let first: [Completion.Candidate] =
      before.isEmpty
      ? nextWords(after: [])
        + [
          Completion.Candidate("help", "Show help about a command or a subject."),
          Completion.Candidate("--version", "Print the version."),
        ] : []
    return WordCompleter(
      standard, words: before, typed, others: first, isConfigurable: isConfigurable(standard)
    ).answer
  }

  static let help = Completion.Candidate("--help", "Show help.")
  private static let all = Completion.Candidate("all", "All options of the command.")

  private func isConfigurable(_ command: CommandDescription) -> Bool {
    configurable.contains(command.name)
  }

  /// The command whose name the words begin with.
  private func command(of words: ArraySlice<String>) -> CommandDescription? {
    commands.first { words.starts(with: $0.name.split(separator: " ").map(String.init)) }
  }

  /// The next words in the names of commands.
  private func nextWords(after words: ArraySlice<String>) -> [Completion.Candidate] {
    var candidates: [Completion.Candidate] = []
    for command in commands where !command.isHidden {
      let name = command.name.split(separator: " ").map(String.init)
      guard name.count > words.count, name.starts(with: words) else { continue }
      let word = name[words.count]
      guard !candidates.contains(where: { $0.word == word }) else { continue }
      let isWhole = name.count == words.count + 1
      let group = isWhole ? nil : groups.first { $0.word == word }
      candidates.append(group ?? Completion.Candidate(word, isWhole ? command.summary : ""))
    }
    return candidates
  }

  /// The words that can follow `help`.
  private func topics(after words: ArraySlice<String>) -> [Completion.Candidate] {
    let name = words.joined(separator: " ")
    let hasMore = commands.contains { $0.name == name && $0.hasMoreOptions }
    return nextWords(after: words) + (words.isEmpty ? subjects : []) + (hasMore ? [Self.all] : [])
  }
}

/// Completes a word after the name of a command.
private struct WordCompleter {
  private let command: CommandDescription
  private let position: WordReader.Position
  private let typed: String
  private let others: [Completion.Candidate]
  private let isConfigurable: Bool
  /// The index of the typed word.
  private let place: Int

  /// - Parameters:
  ///   - words: the words between the command's name and the typed word.
  ///   - others: possible words besides an argument or an option of the command.
  init(
    _ command: CommandDescription, words: ArraySlice<String>, _ typed: String,
    others: [Completion.Candidate] = [], isConfigurable: Bool
  ) {
    self.command = command
    self.typed = typed
    self.others = others
    self.isConfigurable = isConfigurable
    place = words.endIndex
    position = WordReader.position(
      after: Array(words), command.declarations, canSwitchOff: isConfigurable)
  }

  var answer: Completer.Answer {
    if let count = position.wordsAfterDashes {
      guard command.declarations.contains(where: { $0.shape == .wordsAfterDashes }) else {
        return values(of: [argument?.completion], except: position.arguments)
      }
      return .command(from: place - count)
    }
    if let option = position.awaiting {
      if position.isAwaitingSecond { return values(of: [option.secondCompletion]) }
      guard case .optionalValue = option.shape else { return values(of: [option.completion]) }
      if !typed.hasPrefix("-") {
        return values(of: [option.completion, argument?.completion], except: position.arguments)
      }
    }
    if typed.hasPrefix("--"), let equals = typed.firstIndex(of: "=") {
      let name = typed[..<equals].dropFirst(2)
      guard let option = command.declarations.first(where: { $0.takesValue && $0.name == name })
      else { return .words([]) }
      return values(of: [option.completion], behind: String(typed[...equals]))
    }
    if typed.hasPrefix("--") || typed == "-" { return .words(options) }
    if typed.hasPrefix("-") { return letters }
    let values = values(of: [argument?.completion], others, except: position.arguments)
    return values == .words([]) && typed.isEmpty ? .words(options) : values
  }

  // MARK: Values

  /// The values of parameters that begin with a part of the word.
  ///
  /// - Parameters:
  ///   - words: the values that were already given.
  ///   - head: the part of the word before the value.
  private func values(
    of completions: [Completion?], _ others: [Completion.Candidate] = [],
    except words: [String] = [], behind head: String = ""
  ) -> Completer.Answer {
    let text = String(typed.dropFirst(head.count))
    var candidates: [Completion.Candidate] = []
    var answer = Completer.Answer.words([])
    for completion in completions.compactMap(\.self) {
      switch completion {
      case .nothing: break
      case .files: answer = .files(after: head.count)
      case .command: if head.isEmpty { answer = .command(from: place) }
      case .found(let find):
        let proposal = find(Completion.Request(text, position.given))
        candidates += proposal.candidates
        if let count = proposal.filesAfter { answer = .files(after: head.count + count) }
      }
    }
    let fitting = (candidates + others).filter { candidate in
      candidate.word.hasPrefix(text)
        // If the typed text already is this beginning, it adds nothing.
        && !(candidate.isBeginning && candidate.word == text)
        && !(text.isEmpty && candidate.word.hasPrefix("-"))
        && !words.contains(candidate.word)
    }
    return fitting.isEmpty ? answer : .words(fitting.map { $0.behind(head) })
  }

  /// The parameter that gets the next argument.
  private var argument: Declaration? {
    var left = position.arguments.count
    for declaration in command.declarations {
      switch declaration.shape {
      case .argument: left -= 1
      case .arguments: return declaration
      case .flag, .pair, .value, .list, .pairs, .optionalValue, .wordsAfterDashes: continue
      }
      if left < 0 { return declaration }
    }
    return nil
  }

  // MARK: Options

  /// The options that are allowed here and begin with the word.
  private var options: [Completion.Candidate] {
    var candidates: [Completion.Candidate] = []
    for declaration in command.declarations {
      if declaration.shape == .wordsAfterDashes, argument == nil {
        candidates.append(Completion.Candidate("--", declaration.summary))
      }
      guard !declaration.isArgument, canGive(declaration) else { continue }
      for name in [declaration.name, declaration.oppositeName].compactMap(\.self) {
        candidates.append(Completion.Candidate("--\(name)", declaration.summary))
      }
    }
    candidates += others
    candidates.append(Completer.help)
    if isConfigurable, typed.hasPrefix("--no-") {
      for declaration in command.declarations
      where declaration.isConfigurable && declaration.oppositeName == nil && canGive(declaration) {
        candidates.append(
          Completion.Candidate(
            "--no-\(declaration.name)", "Without --\(declaration.name) of the configuration."))
      }
    }
    return candidates.filter { $0.word.hasPrefix(typed.isEmpty ? "-" : typed) }
  }

  private func canGive(_ declaration: Declaration) -> Bool {
    declaration.shape == .list || declaration.shape == .pairs
      || position.given[declaration.name] == nil
        && !position.given.switchedOff.contains(declaration.name)
  }

  /// Completes short options in one word, of which the last may have a value: `-x`, `-xb96`.
  private var letters: Completer.Answer {
    var rest = typed.dropFirst()
    while let letter = rest.popFirst() {
      guard
        let option = command.declarations.first(where: {
          $0.letter == letter || $0.oppositeLetter == letter
        })
      else { return .words([]) }
      if rest.isEmpty { return .words([Completion.Candidate(typed, option.summary)]) }
      guard option.takesValue, option.letter == letter else { continue }
      let value = rest.first == "=" ? rest.dropFirst() : rest
      let answer = values(of: [option.completion], behind: String(typed.dropLast(value.count)))
      // The letters after an option with an optional value can be options.
      if case .optionalValue = option.shape, answer == .words([]), rest.first != "=" { continue }
      return answer
    }
    return .words([])
  }
}
