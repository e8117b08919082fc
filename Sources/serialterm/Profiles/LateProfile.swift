import DeviceWatch

/// A command line whose profile depends on a device that nobody knows yet: it is awaited, or the user
/// is asked which one it is.
struct LateProfile {
  private let complete: (Device) throws -> any ProfiledCommand

  /// - Parameter complete: makes the command of the line, now that the device is known.
  init(_ complete: @escaping (Device) throws -> any ProfiledCommand) { self.complete = complete }

  /// What the command is now that its device is known: what it were if the device had been there at
  /// the start.
  ///
  /// - Parameter command: what it was so far.
  /// - Throws: ``Failure``.
  func command<Command: ProfiledCommand>(for device: Device, like command: Command) throws
    -> Command
  {
    // It is one line, and means one command.
    try complete(device) as? Command ?? command
  }
}
