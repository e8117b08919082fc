import Sessions

/// A command that transfers files on a port: `send` and `receive`.
protocol TransferringCommand: ProfiledCommand {
  /// The files to transfer, the protocol, and what is shown.
  var transferConfiguration: TransferConfiguration { get }
  var sessionConfiguration: SessionConfiguration { get }
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
          let command = try profile.command(for: device, like: self)
          running?.configuration = command.transferConfiguration
          return command.sessionConfiguration
        }
      })
    let controller = TransferController(transferConfiguration, session)
    running = controller
    return try controller.run()
  }
}
