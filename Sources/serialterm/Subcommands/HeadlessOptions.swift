import ArgumentParser
import SessionKit

/// Options that the commands without a user share: `send` and `run`.
struct HeadlessOptions: ParsableArguments {
  @OptionGroup(title: "LINE")
  var line: LineOptions

  @OptionGroup(title: "PACING")
  var pacing: PacingOptions

  @Flag(
    exclusivity: .chooseLast,
    help: """
      Lock the port (--exclusive, the default), or not (--shared). If two programs read from one \
      port, each misses a part of the data.
      """)
  var sharing: ConnectCommand.Sharing = .exclusive

  @Flag(help: "Wait for a device that is missing or in use.")
  var wait = false

  @OptionGroup(title: "LOG")
  var log: LogOptions

  @Flag(name: [.short, .long], help: "Print only failures.")
  var quiet = false

  func validate() throws {
    try line.validateLocking(sharing)
  }

  /// The configuration of a session with a target.
  func configuration(target: Target?) -> SessionConfiguration {
    SessionConfiguration(
      target: target, settings: line.settings,
      linkOptions: line.linkOptions(isExclusive: sharing == .exclusive), onOpen: line.onOpen,
      reconnects: false, waitsForAbsentDevice: wait, pacing: pacing.pacing, log: log.configuration,
      isQuiet: quiet)
  }
}
