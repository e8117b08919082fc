import Scripting
import SystemPackage

/// Configuration of `send`.
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
  /// What the device must send first; nil for nothing.
  let prompt: Expression?
  /// The expected answer; nil for none.
  let expectation: Expression?
  /// The time limit of the prompt, and of the answer; while sending with an expected answer, the time
  /// limit without progress.
  let timeout: Duration
  /// The group to print instead of all received bytes; 0 is the whole match.
  let printedGroup: Int?
}
