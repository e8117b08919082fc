import DeviceWatch
import Options
import Reconnecting
import Sessions
import SystemPackage
import Terminal

/// `serialterm rules`: prints a udev rule that gives a device a permanent name.
struct RulesCommand: Subcommand {
  private static let name = Parameter<NodeName?>.option(
    "name", "NAME", "The name below /dev: letters, digits, '_', '-' and '.'.",
    parse: { try NodeName(parsing: $0) }
  ).required()

  static let description = CommandDescription(
    "rules", "Print a udev rule that gives a device a permanent name.",
    """
    The rule recognises the device by its serial number if that is unique, otherwise by the USB port \
    that it is plugged into. Nothing is installed: the comment above the rule has the command.
    """,
    example: "serialterm rules ttyUSB0 --name board",
    sections: [
      ParameterSection("ARGUMENTS", [SessionParameters.targetText]),
      ParameterSection("OPTIONS", [Self.name, SessionParameters.config]),
    ])

  private let target: String
  private let name: NodeName
  private let config: FilePath?

  init(_ values: Values) throws(UsageError) {
    target = values[SessionParameters.targetText]
    guard let name = values[Self.name] else { throw UsageError("--name is missing") }
    self.name = name
    config = values[SessionParameters.config].map { FilePath($0) }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let devices = try context.devices.current()
    let file = try ProfileFile(config)
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
