package import DeviceWatch
package import Logs
package import SerialCore
package import SystemPackage

/// Why a session could not start, or has ended.
package enum SessionError: Error {
  /// The target did not lead to a device.
  case binding(BindingError)
  /// The port could not be opened, or was permanently lost.
  case port(SerialError)
  /// Several devices may be the lost one, and there is no user to ask.
  case indistinguishable([Device])
  /// A log cannot be written.
  case log(LogError)
  /// The port cannot be watched.
  case watching(Errno)
  /// An action of the front end that follows when the device is known has failed.
  case settling(any Error)
}

/// Why logging could not start.
package enum LogError: Error {
  case file(LogFileError)
  /// The log was switched off, and still has records to write.
  case stillWritten(FilePath)
}
