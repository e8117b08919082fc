import ArgumentParser
import SerialCore

/// Options of the serial line.
struct LineOptions: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: "Baud rate: any that the driver accepts. (default: \(LineSettings().baudRate))",
    transform: { try LineSettings.baudRate(parsing: $0) })
  var baud: UInt32 = LineSettings().baudRate

  @Option(name: [.short, .long], help: "Data bits: 5, 6, 7 or 8.")
  var dataBits = LineSettings().dataBits

  @Option(name: [.short, .long], help: "Parity: none, odd, even, mark or space.")
  var parity = LineSettings().parity

  @Option(name: [.short, .long], help: "Stop bits: 1 or 2.")
  var stopBits = LineSettings().stopBits

  @Option(name: [.short, .long], help: "Flow control: none, hard (RTS/CTS) or soft (XON/XOFF).")
  var flow = LineSettings().flowControl

  @Option(help: "DTR while the port is open; keep: as the kernel sets it, usually on.")
  var dtr = OutputLine.keep

  @Option(help: "RTS while the port is open; keep: as the kernel sets it, usually on.")
  var rts = OutputLine.keep

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help:
      "Deassert DTR and RTS when the port is closed, or not. Without either: as the port is set up."
  )
  var hangup: Bool?

  @Option(
    help: ArgumentHelp(
      "Steps after the port is opened: dtr=off,rts=on,wait=100,rts=off.",
      discussion: "Items: dtr, rts, break (on or off), wait (milliseconds, up to 10000).",
      valueName: "steps"),
    transform: { try LineSequence(parsing: $0) })
  var onOpen: LineSequence?

  @Flag(help: "Report received bytes with a parity or framing error, and breaks.")
  var markErrors = false

  @Option(
    name: .customLong("rs485"),
    help: ArgumentHelp(
      "Drive an RS-485 transmitter: on, or rts-on-send=on|off, delay-before=MS, delay-after=MS, "
        + "rx-during-tx=on|off, with commas between.", valueName: "settings"),
    transform: { try RS485Settings(parsing: $0) })
  var rs485: RS485Settings?

  @Flag(help: "Have the driver deliver received bytes at once.")
  var lowLatency = false

  @Flag(help: "Also make a lock file in /var/lock, for programs that check only that.")
  var uucpLock = false

  /// What becomes of an output line when the port is open.
  enum OutputLine: String, NamedChoice {
    case on, off, keep
  }

  var settings: LineSettings {
    LineSettings(
      baudRate: baud, dataBits: dataBits, parity: parity, stopBits: stopBits, flowControl: flow)
  }

  /// Checks that a lock that was asked for is not also refused.
  ///
  /// - Throws: `ValidationError`.
  func validateLocking(_ sharing: ConnectCommand.Sharing) throws {
    if uucpLock && sharing == .shared {
      throw ValidationError("--uucp-lock locks the port, --shared does not")
    }
  }

  /// How the port is opened.
  ///
  /// - Parameter isExclusive: whether to lock it.
  func linkOptions(isExclusive: Bool) -> LinkOptions {
    var options = LinkOptions()
    options.isExclusive = isExclusive
    for (line, wanted) in [(ModemLines.dtr, dtr), (.rts, rts)] {
      switch wanted {
      case .on: options.asserting.insert(line)
      case .off: options.deasserting.insert(line)
      case .keep: break
      }
    }
    options.hangsUpOnClose = hangup
    options.marksErrors = markErrors
    options.rs485 = rs485
    options.hasLowLatency = lowLatency
    options.makesLockFile = uucpLock
    return options
  }
}

extension LineSettings.DataBits: NamedChoice {}
extension LineSettings.Parity: NamedChoice {}
extension LineSettings.StopBits: NamedChoice {}
extension LineSettings.FlowControl: NamedChoice {}
