import ArgumentParser
import DeviceWatch
import SessionKit
import SystemPackage
import TerminalFrontEnd

/// `serialterm rules`: prints a udev rule that gives a device a permanent name.
struct RulesCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Print a udev rule that gives a device a permanent name.",
    discussion: """
      The rule recognises the device by its serial number if that is unique, otherwise by the USB \
      port that it is plugged into. Nothing is installed: the comment above the rule has the command.

      EXAMPLE:
        serialterm rules ttyUSB0 --name board
      """)

  @Argument(
    help: "The device, in any form that 'serialterm connect' takes.", completion: Target.completion)
  var target: String

  @Option(
    help: "The name below /dev: letters, digits, '_', '-' and '.'.",
    transform: { try NodeName(parsing: $0) })
  var name: NodeName

  @Option(help: .init("The configuration to use.", valueName: "file"), completion: .file())
  var config: String?

  func validate() throws { _ = try Target(parsing: target) }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let devices = try context.devices.current()
    let file = try ProfileFile(config.map { FilePath($0) })
    let named = try Target(named: target, in: file, among: context.devices)
    let resolved = ResolvedTarget(named) { devices }
    guard let device = resolved.device(among: { devices }) else {
      let path = try resolved.presentPath(among: devices)
      throw Failure(
        .deviceNotFound, "\(path): udev does not know this port, so no rule can name it.")
    }
    let rule = try NamingRule(naming: device, name, among: devices)
    let lines = rule.lines(for: device, name, target: target)
    try StandardStream.output.print(lines.map { "\($0)\n" }.joined())
    return .done
  }
}
