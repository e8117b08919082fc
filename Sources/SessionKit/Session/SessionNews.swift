package import DeviceWatch
package import Logs
package import SerialCore
package import SystemPackage

/// What a session reports besides the events of its port: something that a user has to know, without the
/// words for it.
package enum SessionNews {
  /// The port to be opened is a console of the kernel, which writes to it too.
  case kernelConsole(FilePath)
  /// Another program has the port open too, or not any more.
  case sharing(SharingReport.Message, at: FilePath)
  /// The line sequence for the opening of the port failed.
  case openingSequenceFailed(SerialError)
  /// The pauses of a line sequence are those of a network, because a server plays its steps.
  case networkTiming(sequence: String)
  /// The port is back, and another program holds it; it is tried again.
  case held(SerialError)
  /// The port is back, and cannot be opened; it is tried again.
  case refused(SerialError)
  /// Devices that are not taken for the lost one, because it is not certain.
  case lookAlikes([Device])
  /// The user's claim to the released port has changed while programs borrow it.
  case claim(isWanted: Bool, borrowers: String)
  /// A program has given the port back, which stays released.
  case borrowerFinished(String)
  /// The port is not released, and why.
  case releaseRefused(because: String)
  /// This number of bytes was not sent.
  case unsent(Int)
  /// A file was not sent to its end.
  case fileUnsent(PlainFile, PlainFile.End)
  /// Somebody has marked this moment. What was received before is before it.
  case mark(Mark)
  /// A log reports its state.
  case log(FilePath, Log.News)
  /// This number of bytes is missing from a log that is written to its end.
  case notLogged(FilePath, Int)
  /// The disk takes nothing: this number of bytes is not in the log.
  case notWritten(FilePath, Int)
  /// Something has happened among those who are at the session.
  case people(Roster.Event)
  /// Something has happened at the session of another program, which this one has joined.
  case far(FarDesk.News)
}
