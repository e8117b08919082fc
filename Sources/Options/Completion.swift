/// The values of a parameter that a shell completes.
public enum Completion: Sendable {
  /// The shell completes nothing.
  case nothing
  /// The paths of files.
  case files
  /// The name of a program, and its arguments.
  case command
  /// What a function finds for the beginning of a value.
  case found(@Sendable (Request) -> Proposal)

  /// A word that completes what was typed.
  public struct Candidate: Hashable, Sendable {
    public var word: String
    /// What it is, for shells that show it; empty for nothing.
    public let description: String
    /// Whether the word goes on: the shell adds no blank.
    public let isBeginning: Bool

    /// Creates a candidate.
    public init(_ word: String, _ description: String = "", isBeginning: Bool = false) {
      self.word = word
      self.description = description
      self.isBeginning = isBeginning
    }
  }

  /// What is known when a value is completed.
  public struct Request: Sendable {
    /// The beginning of the value.
    public let text: String
    /// What the words before it give.
    public let given: Given

    /// Creates a request.
    public init(_ text: String, _ given: Given = Given()) {
      self.text = text
      self.given = given
    }
  }

  /// The values that a function found. Those that do not begin with the typed text are left out.
  public struct Proposal: Hashable, Sendable {
    public let candidates: [Candidate]
    /// The number of characters before the path, if the value can also be, or end with, the path of a file.
    /// Files are completed if no candidate fits.
    public let filesAfter: Int?

    /// Creates a proposal.
    public init(_ candidates: [Candidate], filesAfter: Int? = nil) {
      self.candidates = candidates
      self.filesAfter = filesAfter
    }
  }

  // The words are made when they are needed: every start of the program makes the declarations.

  /// One of a few words.
  public static func oneOf(
    _ words: @autoclosure @escaping @Sendable () -> [Candidate]
  ) -> Completion {
    .found { _ in Proposal(words()) }
  }

  /// One of a few words without descriptions.
  public static func words(
    _ words: @autoclosure @escaping @Sendable () -> [String]
  ) -> Completion {
    .found { _ in Proposal(words().map { Candidate($0) }) }
  }

  /// Words with commas between them; a word that is in the list is not proposed again.
  public static func list(
    _ words: @autoclosure @escaping @Sendable () -> [Candidate]
  ) -> Completion {
    .found { request in
      let head = request.text.lastIndex(of: ",").map { String(request.text[...$0]) } ?? ""
      let present = head.split(separator: ",")
      return Proposal(words().filter { !present.contains($0.word[...]) }.map { $0.behind(head) })
    }
  }
}

extension Completion.Candidate: ExpressibleByStringLiteral {
  public init(stringLiteral word: String) { self.init(word) }
}

extension Completion.Candidate {
  /// The same with a text before the word.
  public func behind(_ head: String) -> Self {
    var other = self
    other.word = head + word
    return other
  }
}
