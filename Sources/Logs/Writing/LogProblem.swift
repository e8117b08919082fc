public import SystemPackage

/// A problem with writing a log.
public enum LogProblem: Hashable, Sendable {
  /// Nothing can be written: the error of write(2).
  case unwritable(Errno)
  /// The next file cannot be started. The present one is still written to.
  case notRotated(LogFileError)
}
