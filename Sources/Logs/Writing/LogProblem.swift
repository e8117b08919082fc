public import SystemPackage

/// What keeps a log from going as it should.
public enum LogProblem: Hashable, Sendable {
  /// Nothing can be written: what write(2) says.
  case unwritable(Errno)
  /// The next file cannot be started. The present one is still written to.
  case notRotated(LogFileError)
}
