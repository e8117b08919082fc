import Logs
import Options
import Sessions
import SystemPackage
import TransferProtocols

/// `serialterm receive`: receives files from a device.
struct ReceiveCommand: TransferringCommand {
  private static let kind = Parameter<TransferProtocol>.choice(
    "protocol", "PROTOCOL", "The protocol: \(TransferProtocol.receiving.alternatives).",
    among: TransferProtocol.receiving, standard: .standardToReceive)
  private static let into = Parameter<String>.option(
    "into", "DIR", "The folder for the files.", standard: ".",
    shown: "the current one", isConfigurable: false, completion: .files, parse: { $0 })
  private static let name = Parameter<String?>.option(
    "name", "NAME", "The name of the file. XMODEM sends none.", isConfigurable: false,
    parse: { text in
      if text.isEmpty || text.contains("/") {
        throw ValueError(text, expected: "a name without a folder; --into names the folder")
      }
      return text
    })
  private static let overwrite = Parameter.flag(
    "overwrite", "Replace files that exist. By default the new file becomes NAME.1.",
    isConfigurable: false)
  private static let largest = Parameter<Int?>.option(
    "max-size", "SIZE", "The largest file that is received: 500k, 10M, 1G.",
    isConfigurable: false, parse: { try LogRotation.size(parsing: $0) })
  private static let timeout = Parameter<Double>.time(
    "timeout", "How long to wait for the sender to begin.", 0.001...86_400,
    standard: TransferConditions.standardStartPatience / .seconds(1))

  static let description = CommandDescription(
    "receive", "Receive files from a device.",
    """
    Starts to receive; start the sender on the device before or afterwards: sz, sb, sx. The sender \
    chooses the names, and nothing else: names that lead out of the folder are refused, and nothing \
    that exists is replaced. What was received of a file that was cut off is kept as NAME.part, and \
    ZMODEM continues it the next time. The exit status is 8 if a transfer fails.
    """,
    example: "serialterm receive /dev/ttyUSB0 --protocol ymodem --into firmware",
    mostUsed: [
      kind, into, name, overwrite, timeout, LineParameters.baud, SessionParameters.wait,
    ],
    sections: [
      ParameterSection("ARGUMENTS", [SessionParameters.target]),
      ParameterSection(
        "TRANSFER",
        [kind, into, name, overwrite, largest, timeout, ProgressDisplay.parameter]),
    ] + SessionParameters.headless)

  let values: Values
  var namedTarget: Target?
  var profile = ProfileInUse()

  init(_ values: Values) throws(UsageError) {
    self.values = values
    namedTarget = values[SessionParameters.target]
    try values.checkSession()
    // The profile is not read yet and may name a protocol.
    if values.all[Self.kind.name] != nil { try checkName() }
  }

  private func checkName() throws(UsageError) {
    let kind = values[Self.kind]
    if !kind.sendsNames, values[Self.name] == nil {
      throw UsageError("\(kind.title) sends no name: add --name NAME")
    }
    if kind.sendsNames, values[Self.name] != nil {
      let others = TransferProtocol.receiving.filter { !$0.sendsNames }
      throw UsageError("--name is for --protocol \(others.alternatives); \(kind.title) sends names")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    // The profile of a device that is waited for may name a protocol.
    if context.deviceProfile == nil || !values[SessionParameters.wait] { try checkName() }
    return try transfer(in: context)
  }

  func check(_ found: Self) throws(UsageError) { try found.checkName() }

  var transferConfiguration: TransferConfiguration {
    TransferConfiguration(order: order, progress: values[ProgressDisplay.parameter])
  }

  private var order: TransferOrder {
    var rules = IncomingFolder.Rules()
    rules.name = values[Self.name]
    rules.replaces = values[Self.overwrite]
    rules.largestFile = values[Self.largest]
    return TransferOrder(
      fileProtocol: values[Self.kind],
      files: .receive(into: FilePath(values[Self.into]), rules),
      startPatience: Duration(rounding: values[Self.timeout]))
  }

  var sessionConfiguration: SessionConfiguration {
    session(reconnects: false)
  }
}
