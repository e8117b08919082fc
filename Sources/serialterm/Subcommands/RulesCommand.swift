import ArgumentParser
import DeviceWatch
import SystemPackage

/// `serialterm rules`: a rule for udev that gives a device a name that stays.
struct RulesCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Print a udev rule that gives a device a name that stays.",
    discussion: """
      The device is known by its serial number if it has one of its own, else by the USB port that \
      it is plugged into. Nothing is installed: the comment above the rule says how to.

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

  func execute() throws -> ExitStatus {
    let watcher = DeviceWatcher(source: try UdevSource())
    try watcher.startIfNeeded()
    let query: DeviceQuery
    switch try Target(named: target, in: try ProfileFile(config.map { FilePath($0) })) {
    case .node(let path): query = .fitting(.node(path))
    case .device(let selector): query = .fitting(selector)
    case .latest: query = .latest
    case .new: throw Failure(.usage, "\(target): not plugged in yet. Name a device that is.")
    case .loopback: throw Failure(.usage, "\(target): a simulation has no node to name.")
    }
    let device = try device(meantBy: query, among: watcher.devices)
    let rule = try NamingRule(naming: device, name, among: watcher.devices)
    let lines = rule.lines(for: device, name, target: target)
    try StandardStream.output.print(lines.map { "\($0)\n" }.joined())
    return .done
  }

  private func device(
    meantBy query: DeviceQuery, among devices: [Device]
  ) throws(Failure) -> Device {
    switch query.answer(among: devices) {
    case .one(let device): return device
    case .several(let devices): throw Failure(several: devices, for: query)
    case .none:
      throw Failure(.deviceNotFound, "\(target.harmless): no such device, or none that udev knows.")
    }
  }
}
