/// The values of a parameter that a shell completes.
public enum Completion: Sendable {
  /// The shell completes nothing.
  case nothing
  /// The paths of files.
  case files
  /// The name of a program, and its arguments.
  case command
  /// The values that a function finds for the beginning of a value.
  case found(@Sendable (Request) -> Proposal)

  /// A word that completes the typed text.
  public struct Candidate: Hashable, Sendable {
    public var word: String
    /// A description for shells that show it; empty for none.
    public let description: String
    /// Whether the word may continue. The shell then adds no space.
    public let isBeginning: Bool

    /// Creates a candidate.
    public init(_ word: String, _ description: String = "", isBeginning: Bool = false) {
      self.word = word
      self.description = description
      self.isBeginning = isBeginning
    }
  }

  /// The information for completing a value.
  public struct Request: Sendable {
    /// The beginning of the value.
    public let text: String
    /// The parameters that the words before it give.
    public let given: Given

    /// Creates a request.
    public init(_ text: String, _ given: Given = Given()) {
      self.text = text
      self.given = given
    }
  }

  /// The values that a function has found. Those that do not begin with the typed text are omitted.
  public struct Proposal: Hashable, Sendable {
    public let candidates: [Candidate]
    /// The number of characters before the path, if the value can also be, or end with, the path of
    /// a file. Files are completed if no candidate matches.
    public let filesAfter: Int?

    /// Creates a proposal.
    public init(_ candidates: [Candidate], filesAfter: Int? = nil) {
      self.candidates = candidates
      self.filesAfter = filesAfter
    }
  }

  // The words are made only when they are needed, because every start of the program
  // makes the declarations.

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

  /// Words separated by commas. A word that is already in the list is not suggested again.
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
  /// The same candidate after a text.
  public func behind(_ head: String) -> Self {
    var other = self
    other.word = head + word
    return other
  }
}
