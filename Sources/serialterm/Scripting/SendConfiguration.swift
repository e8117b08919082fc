import Expectations
import SystemPackage

/// Configuration of `send`.
struct SendConfiguration {
  /// The source of the bytes.
  enum Source {
    case bytes([UInt8])
    case file(FilePath)
    case standardInput
  }

  let source: Source
  /// A warning about the source; nil for none.
  let warning: String?
  /// The prompt to wait for before sending; nil for none.
  let prompt: ExpectedPattern?
  /// The expected answer; nil for none.
  let expectation: ExpectedPattern?
  /// The time limit for the prompt and for the answer. While sending with an expected answer, it is the time limit
  /// without progress.
  let timeout: Duration
  /// The group to print instead of all received bytes; 0 is the whole match.
  let printedGroup: Int?
}
