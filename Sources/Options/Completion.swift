/// The values of a parameter that a shell completes.
public enum Completion: Sendable {
  /// The shell completes nothing.
  case nothing
  /// The paths of files.
  case files
  /// A few words.
  case words([String])
  /// What a function finds for the beginning of a word that was typed.
  case found(@Sendable (_ beginning: String) -> [Candidate])

  /// A word that completes what was typed.
  public struct Candidate: Hashable, Sendable {
    public let word: String
    /// What it is, for shells that show it; empty for nothing.
    public let description: String

    /// Creates a candidate.
    public init(_ word: String, _ description: String = "") {
      self.word = word
      self.description = description
    }
  }
}
