public import SystemPackage

/// What keeps a log from going as it should.
public enum LogProblem: Hashable, Sendable {
  /// Nothing can be written: what write(2) says.
  case unwritable(Errno)
  /// The file of before is written to, because the next cannot be begun.
  case notTurnedOver(LogFileError)
}
