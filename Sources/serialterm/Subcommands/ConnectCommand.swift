import ArgumentParser
import SerialCore
import SystemPackage

/// `serialterm connect`: an interactive session, or a pipe to and from the device.
struct ConnectCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "connect",
    abstract: "Talk to a serial device.",
    discussion: """
      With a terminal, keys go to the device; ctrl-t ? lists the commands. With pipes, standard \
      input is sent at the device's pace, and what it answers goes to standard output unchanged.

      A TARGET is a node (/dev/ttyUSB0, ttyUSB0, any path that leads to one), a USB adapter by \
      what it is (usb:0403:6001, usb:0403:6001:SERIAL), by its serial number (serial:TEXT) or by \
      the physical port it is plugged into (port:ID_PATH), or a simulation that needs no hardware \
      (loopback: echoes, loopback:board is a small board).

      EXAMPLE:
        serialterm connect /dev/ttyUSB0 -b 9600
      """)

  @Argument(
    help: "The device. Without it, the one there is.", transform: { try Target(parsing: $0) })
  var target: Target?

  @OptionGroup(title: "LINE")
  var line: LineOptions

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Wait for a device that went away, and go on when it is back.")
  var reconnect = true

  @Flag(name: .customShort("n"), help: .init("Same as --no-reconnect.", visibility: .default))
  var neverReconnect = false

  @Flag(help: "Wait for a device that is not there yet.")
  var wait = false

  @Flag(name: [.customShort("e"), .long], help: "Show what is typed.")
  var localEcho = false

  @Flag(help: "Send nothing.")
  var readOnly = false

  @Flag(
    exclusivity: .chooseLast,
    help: "Lock the port (--exclusive, the default), or leave it to others too (--shared).")
  var sharing: Sharing = .exclusive

  @Option(name: [.customShort("L"), .long], help: "Keep what is received in a new file, as it is.")
  var log: String?

  @Flag(help: "Add to the log file if there is one.")
  var logAppend = false

  @Option(help: "The key that starts a command: ctrl-a to ctrl-z, or none.")
  var prefix = PrefixKey.standard

  @Option(help: "Seconds to wait for an answer when standard input has ended.")
  var linger = 0.2

  @Option(help: "Seconds that the device may take for what is left to send when you quit.")
  var drain = 1.0

  @Flag(name: [.short, .long], help: "Say nothing but failures.")
  var quiet = false

  /// Whether others may open the port too.
  enum Sharing: String, EnumerableFlag {
    case exclusive, shared
  }

  func validate() throws {
    for (name, seconds) in [("linger", linger), ("drain", drain)]
    where !(0...86_400).contains(seconds) {
      throw ValidationError("'--\(name) \(seconds)': expected seconds from 0 to 86400")
    }
    if logAppend && log == nil { throw ValidationError("--log-append needs --log FILE") }
  }

  func execute() throws -> ExitStatus {
    let controller = try ConnectController(
      ConnectConfiguration(
        target: target, settings: line.settings, isExclusive: sharing == .exclusive,
        reconnects: reconnect && !neverReconnect, waitsForAbsentDevice: wait,
        echoesLocally: localEcho, isReadOnly: readOnly, log: log.map { FilePath($0) },
        appendsToLog: logAppend, prefix: prefix, linger: .seconds(linger), drain: .seconds(drain),
        isQuiet: quiet))
    return try controller.run()
  }
}
