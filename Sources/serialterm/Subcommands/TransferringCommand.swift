import DeviceWatch
import Options
import Sessions

/// A command that transfers files on a port: `send` and `receive`.
protocol TransferringCommand: ProfiledCommand {
  /// The files to transfer, the protocol, and what is shown.
  var transferConfiguration: TransferConfiguration { get }
  var sessionConfiguration: SessionConfiguration { get }
  /// Checks the command with the profile of the device that was found.
  func check(_ found: Self) throws(UsageError)
}

extension TransferringCommand {
  /// Opens the port, and transfers the files.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func transfer(in context: CommandContext) throws -> ExitStatus {
    var running: TransferController?
    let session = try HeadlessInterface(
      sessionConfiguration, of: Self.name, among: context.devices,
      forDevice: context.deviceProfile.map { profile in
        { device in
          let command = try found(device, profile)
          running?.configuration = command.transferConfiguration
          return command.sessionConfiguration
        }
      })
    let controller = TransferController(transferConfiguration, session)
    running = controller
    return try controller.run()
  }

  /// The command with the profile of the device that was found.
  ///
  /// - Throws: ``Failure`` if the profile does not fit the command line.
  func found(_ device: Device, _ profile: DeviceProfile) throws -> Self {
    do {
      let command = try profile.command(for: device, like: self)
      try check(command)
      return command
    } catch let error as UsageError {
      throw Failure(.usage, "\(error).")
    }
  }
}
