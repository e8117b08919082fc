import DeviceWatch

/// A command line whose profile depends on a device that is not known yet, because the session
/// waits for it, or the user chooses it from a list.
struct DeviceProfile {
  private let complete: (Device) throws -> any ProfiledCommand

  /// - Parameter complete: parses the command line again with the profile for the device.
  init(_ complete: @escaping (Device) throws -> any ProfiledCommand) { self.complete = complete }

  /// Returns the meaning of the command line for this device. It is the same as if the device had
  /// been present at the start.
  ///
  /// - Parameter command: the command so far.
  /// - Throws: ``Failure`` if an entry of the profile is invalid.
  func command<Command: ProfiledCommand>(for device: Device, like command: Command) throws
    -> Command
  {
    // The same command line always gives the same type of command.
    try complete(device) as? Command ?? command
  }
}
