package import DeviceWatch
package import Logs
package import SerialCore
package import SystemPackage

/// Why a session could not begin, or has ended.
package enum SessionError: Error {
  /// The target did not lead to a device.
  case binding(BindingError)
  /// The port could not be opened, or was lost for good.
  case port(SerialError)
  /// More than one device may be the lost one, and there is no user to ask.
  case indistinguishable([Device])
  /// A log cannot be written.
  case log(LogError)
  /// The port cannot be watched.
  case watching(Errno)
  /// What the front end does when the device is known has failed.
  case settling(any Error)
}

/// Why logging could not begin.
package enum LogError: Error {
  case file(LogFileError)
  /// The log was switched off, and is not written to its end.
  case stillWritten(FilePath)
}
