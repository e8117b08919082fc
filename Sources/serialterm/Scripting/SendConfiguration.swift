import Scripting
import SystemPackage

/// What is sent, and what is awaited.
struct SendConfiguration {
  /// Where the bytes come from.
  enum Source {
    case bytes([UInt8])
    case file(FilePath)
    case standardInput
  }

  let source: Source
  /// What the user should know about the source; nil for nothing.
  let warning: String?
  /// What has to come before anything is sent.
  let prompt: Expression?
  /// What has to come back.
  let expectation: Expression?
  /// How long the prompt may take, and then the answer; in between, where an answer is expected, how
  /// long nothing may move.
  let timeout: Duration
  /// The group of the expectation that is printed, instead of all that comes; 0 is the whole match.
  let printedGroup: Int?
}
