import Sessions

/// A command that transfers files on a port: `send` and `receive`.
protocol TransferringCommand: ProfiledCommand {
  /// The files to transfer, and the protocol.
  var order: TransferOrder { get }
  var sessionConfiguration: SessionConfiguration { get }
}

extension TransferringCommand {
  /// Opens the port, and transfers the files.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func transfer(in context: CommandContext) throws -> ExitStatus {
    let session = try HeadlessInterface(
      sessionConfiguration, of: Self.name, among: context.devices)
    let controller = TransferController(order, session)
    if let late = context.late {
      session.configurationForDevice = { device in
        let command = try late.command(for: device, like: self)
        controller.order = command.order
        return command.sessionConfiguration
      }
    }
    return try controller.run()
  }
}
