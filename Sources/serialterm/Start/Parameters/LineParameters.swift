import Options
import SerialCore

/// The parameters of the serial line.
enum LineParameters {
  static let baud = Setting.ofLine(
    .option(
      "baud", letter: "b", "RATE", "Baud rate: any that the driver accepts.",
      standard: LineSettings().baudRate,
      shown: "\(LineSettings().baudRate)", kind: .wholeNumber,
      expected: "a whole number from 1 to \(LineSettings.baudRates.upperBound)",
      completion: .words(BaudRateChoices.usual.map { "\($0)" }),
      parse: { try LineSettings.baudRate(parsing: $0) }),
    \.baudRate, key: "B", "set the baud rate", or: ["speed", "baud rate", "bit rate", "bps"],
    argument: { .baudRate($0) }, text: { "\($0)" })

  static let dataBits = Setting.ofLine(
    .choice(
      "data-bits", letter: "d", "BITS", "Data bits: 5, 6, 7 or 8.",
      standard: LineSettings().dataBits),
    \.dataBits, key: "D", "set the data bits",
    or: ["bits", "word length", "character size", "7 bits", "8 bits"])

  static let parity = Setting.ofLine(
    .choice(
      "parity", letter: "p", "PARITY", "Parity: none, odd, even, mark or space.",
      standard: LineSettings().parity),
    \.parity, key: "P", "set the parity", or: ["even", "odd", "mark parity", "space"])

  static let stopBits = Setting.ofLine(
    .choice(
      "stop-bits", letter: "s", "BITS", "Stop bits: 1 or 2.", standard: LineSettings().stopBits),
    \.stopBits, key: "S", "set the stop bits", or: ["two stop bits", "2 stop bits"])

  static let flow = Setting.ofLine(
    .choice(
      "flow", letter: "f", "FLOW", "Flow control: none, hard (RTS/CTS) or soft (XON/XOFF).",
      standard: LineSettings().flowControl),
    \.flowControl, key: "F", "set the flow control", titled: "flow control",
    or: ["flow control", "handshake", "rts/cts", "crtscts", "xon/xoff"])

  static let dtr = Parameter<OutputLine>.choice(
    "dtr", "STATE",
    "DTR while the port is open: on, off, or keep, as the kernel sets it, usually on.",
    standard: .keep)

  static let rts = Parameter<OutputLine>.choice(
    "rts", "STATE",
    "RTS while the port is open: on, off, or keep, as the kernel sets it, usually on.",
    standard: .keep)

  static let hangup = Parameter<Bool?>.pair(
    "hangup", off: "no-hangup",
    "Switch DTR and RTS off when the port is closed, or not. Without either: as the port is set up."
  )

  static let onOpen = Parameter<LineSequence?>.option(
    "on-open", "STEPS", "Steps after the port is opened: dtr=off,rts=on,wait=100,rts=off.",
    details: """
      Items: dtr, rts, break (on or off), wait (milliseconds, or as 2s; up to 10 s), baud (a rate, until the \
      steps have ended).
      """,
    completion: .list([
      "dtr=on", "dtr=off", "rts=on", "rts=off", "break=on", "break=off",
      Completion.Candidate("wait=", isBeginning: true),
      Completion.Candidate("baud=", isBeginning: true),
    ]),
    parse: { try LineSequence(parsing: $0) })

  static let markErrors = Parameter.flag(
    "mark-errors", "Report received bytes with a parity or framing error, and breaks.")

  static let rs485 = Parameter<RS485Settings?>.option(
    "rs485", "SETTINGS",
    "Drive an RS-485 transmitter: on, or rts-on-send=on|off, delay-before=MS, delay-after=MS, "
      + "rx-during-tx=on|off, with commas between.",
    completion: .list([
      "on", "rts-on-send=on", "rts-on-send=off",
      Completion.Candidate("delay-before=", isBeginning: true),
      Completion.Candidate("delay-after=", isBeginning: true), "rx-during-tx=on",
      "rx-during-tx=off",
    ]), parse: { try RS485Settings(parsing: $0) })

  static let lowLatency = Parameter.flag(
    "low-latency", "Ask the driver to deliver received bytes at once.")

  static let uucpLock = Parameter.flag(
    "uucp-lock", "Also make a lock file in /var/lock, for programs that check only that.")

  static let all: [any Declared] = [
    baud, dataBits, parity, stopBits, flow, dtr, rts, hangup, onOpen, markErrors, rs485, lowLatency,
    uucpLock,
  ]

  static let section = ParameterSection("LINE", all)

  /// The state of an output line when the port is open.
  enum OutputLine: String, CaseIterable {
    case on, off, keep
  }
}

extension Values {
  /// The settings of the line.
  var lineSettings: LineSettings {
    LineParameters.all.settings.compactMap { $0.lineChange(to: self) }
      .reduce(LineSettings()) { $1.applied(to: $0) }
  }

  /// The options for opening the port.
  var linkOptions: LinkOptions {
    var options = LinkOptions()
    options.isExclusive = self[SessionParameters.exclusive]
    for (line, parameter) in [
      (ModemLines.dtr, LineParameters.dtr), (.rts, LineParameters.rts),
    ] {
      switch self[parameter] {
      case .on: options.asserting.insert(line)
      case .off: options.deasserting.insert(line)
      case .keep: break
      }
    }
    options.hangsUpOnClose = self[LineParameters.hangup]
    options.marksErrors = self[LineParameters.markErrors]
    options.rs485 = self[LineParameters.rs485]
    options.hasLowLatency = self[LineParameters.lowLatency]
    options.makesLockFile = self[LineParameters.uucpLock]
    return options
  }

  /// Checks that the options do not request and refuse a lock at the same time.
  ///
  /// - Throws: `UsageError`.
  func checkLocking() throws(UsageError) {
    if self[LineParameters.uucpLock] && !self[SessionParameters.exclusive] {
      throw UsageError(
        about: ["uucp-lock", "exclusive"], "--uucp-lock locks the port, --shared does not")
    }
  }
}
