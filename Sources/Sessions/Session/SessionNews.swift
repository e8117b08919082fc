package import DeviceWatch
package import Logs
package import SerialCore
package import SystemPackage
package import Telnet

/// News for the user besides the events of the port. The front end puts them in words.
package enum SessionNews {
  /// The kernel uses the port to be opened as a console, and writes to it too.
  case kernelConsole(FilePath)
  /// The server at this endpoint speaks another protocol than the one it is used with.
  case server(Endpoint, speaks: StreamProtocol)
  /// Another member, or the far end, has set the line. The name is safe to show; nil if nobody
  /// knows who it was.
  case settings(LineSettings, by: String?)
  /// Another program has opened the port too, or has closed it.
  case portUse(PortUseReport.Message, at: FilePath)
  /// The line sequence that follows the opening of the port failed.
  case openingSequenceFailed(SerialError)
  /// The network determines the timing of a line sequence, because a server plays its steps.
  case networkTiming(sequence: String)
  /// The port has returned, and another program holds it. Opening is retried.
  case held(SerialError)
  /// The port has returned, and cannot be opened. Opening is retried.
  case refused(SerialError)
  /// Devices that look like the lost one, but are not certainly that device.
  case lookAlikes([Device])
  /// The user's claim to the released port has changed while programs borrow it.
  case claim(isWanted: Bool, borrowers: String)
  /// A program has given the port back. The port stays released.
  case borrowerFinished(String)
  /// The port is not released, for this reason.
  case releaseRefused(because: String)
  /// This number of bytes was not sent.
  case unsent(Int)
  /// A file was not sent completely.
  case fileUnsent(PlainFile, PlainFile.End)
  /// The user has marked this moment. Bytes received earlier come before the mark.
  case mark(Mark)
  /// A log reports a change of its state.
  case log(FilePath, Log.News)
  /// This number of bytes is missing from a log that is otherwise complete.
  case notLogged(FilePath, Int)
  /// The disk accepts no data: this number of bytes is not in the log.
  case notWritten(FilePath, Int)
}
