import DeviceWatch
import Framing
import Logs
import Options
import Posix
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Telnet
import Terminal

/// `serialterm extcap`: what Wireshark calls to list ports and to capture what they receive.
///
/// Source: extcap(4).
struct ExtcapCommand: Subcommand {
  private static let interfaces = Parameter.flag(
    "extcap-interfaces", "Print the ports that can be captured.")
  private static let version = Parameter<String?>.option(
    "extcap-version", "VERSION", "The version of Wireshark.", parse: { $0 })
  private static let interface = Parameter<String?>.option(
    "extcap-interface", "NAME", "The port, as --extcap-interfaces prints it.", parse: { $0 })
  private static let linkTypes = Parameter.flag(
    "extcap-dlts", "Print the link type of a port.")
  private static let config = Parameter.flag(
    "extcap-config", "Print the options of a port.")
  private static let capture = Parameter.flag("capture", "Capture what a port receives.")
  private static let fifo = Parameter<String?>.option(
    "fifo", "PATH", "The named pipe for the packets.", completion: .files, parse: { $0 })
  private static let filter = Parameter<String?>.option(
    "extcap-capture-filter", "FILTER", "Has no effect.", parse: { $0 })

  private static let target = Parameter<Target?>.option(
    "target", "TARGET", "The port of the interface 'serialterm': see 'serialterm help targets'.",
    completion: Target.completion, parse: { try Target(parsing: $0) })
  /// The value for a packet for each read.
  private static let reads = "reads"
  private static let frames = Parameter<ChosenFrameForm?>.option(
    "frames", "FORM",
    "The packets: reads, or frames as of 'connect --frames', such as modbus-rtu.",
    standard: nil, shown: reads,
    completion: .words([reads] + ChosenFrameForm.choices.filter { !$0.isBeginning }.map(\.start)),
    parse: { text throws(ValueError) in
      text == reads ? nil : try ChosenFrameForm(ofOption: text)
    })
  private static let otherFrames = Parameter<ChosenFrameForm?>.option(
    "other-frames", "FORM", "A form with an argument, such as silence:4, in place of --frames.",
    parse: { try ChosenFrameForm(ofOption: $0) })
  private static let linkType = Parameter<UInt16>.option(
    "dlt", "NUMBER", "The link type, 147 (USER0) to 162 (USER15), which selects the dissector.",
    standard: PacketStream.linkTypes.lowerBound, shown: "\(PacketStream.linkTypes.lowerBound)",
    completion: .words(PacketStream.linkTypes.map { "\($0)" }),
    parse: { text throws(ValueError) in
      guard let number = UInt16(text), PacketStream.linkTypes.contains(number) else {
        throw ValueError(text, expected: "a link type from 147 to 162")
      }
      return number
    })
  private static let line: [any Declared] = [
    LineParameters.baud, LineParameters.dataBits, LineParameters.parity, LineParameters.stopBits,
    LineParameters.flow, LineParameters.dtr, LineParameters.rts,
  ]

  static let description = CommandDescription(
    "extcap", "Capture in Wireshark: what Wireshark calls.",
    """
    Wireshark and tshark call this command by its link serialterm-extcap, which 'scripts/install \
    --wireshark' and the Debian package put where they look. Their list of interfaces then has each serial \
    device and each running session. Nothing is sent to a device. Options that are not known are ignored.
    """,
    example: """
      tshark -D
      tshark -i serialterm-ttyUSB0 -o extcap.serialterm_ttyusb0.baud:9600
      serialterm extcap --extcap-interfaces
      """,
    sections: [
      ParameterSection(
        "WIRESHARK",
        [interfaces, version, interface, linkTypes, config, capture, fifo, filter]),
      ParameterSection("CAPTURE", [target, frames, otherFrames, linkType] + line),
    ])

  private let values: Values

  init(_ values: Values) throws(UsageError) { self.values = values }

  /// Parses the words of Wireshark. Later versions may have more options: those are skipped, and so
  /// is what follows them.
  static func given(by words: [String]) throws(WordError) -> Given {
    var known: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      let name = word.split(separator: "=", maxSplits: 1).first.map(String.init)
      guard let option = description.declarations.first(where: { "--\($0.name)" == name }) else {
        continue
      }
      // A value may begin with a dash.
      guard option.takesValue, name == word, let value = rest.popFirst() else {
        known.append(word)
        continue
      }
      known.append("\(word)=\(value)")
    }
    return try WordReader.read(known, description.declarations, canSwitchOff: false)
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    if values[Self.interfaces] { return try listInterfaces(among: context.devices) }
    guard let name = values[Self.interface] else {
      throw Failure(
        .usage,
        "Wireshark calls this command. --extcap-interfaces lists the ports; "
          + "see 'serialterm extcap --help'.")
    }
    guard let kind = CaptureInterface.kind(of: name) else {
      throw Failure(.usage, "no interface '\(name)'.")
    }
    if values[Self.linkTypes] {
      try print([
        ExtcapSentence(
          "dlt",
          [
            ("number", "\(PacketStream.linkTypes.lowerBound)"), ("name", "USER0"),
            ("display", "Bytes of a serial line"),
          ])
      ])
    } else if values[Self.config] {
      let options = Self.options(of: kind)
      try print(options.enumerated().flatMap { $1.sentences(number: $0) })
    } else if values[Self.capture] {
      return try capture(CaptureInterface(named: name), among: context.devices)
    }
    return .done
  }

  private func print(_ sentences: [ExtcapSentence]) throws {
    try StandardStream.output.print(sentences.map { "\($0)\n" }.joined())
  }

  private func listInterfaces(among devices: DeviceCatalog) throws -> ExitStatus {
    // Without udev, sessions can be captured nevertheless.
    let present = ((try? devices.current()) ?? []).filter(\.hasHardware)
    let entries = CaptureInterface.entries(of: present, RunningSession.all())
    try print(
      [ExtcapSentence("extcap", [("version", Serialterm.version), ("display", Serialterm.name)])]
        + entries.map {
          ExtcapSentence("interface", [("value", $0.name), ("display", $0.title)])
        })
    return .done
  }

  // MARK: Options

  /// The options that Wireshark offers for an interface. The line of a session is not ours to set.
  private static func options(of kind: CaptureInterface.Kind) -> [ExtcapOption] {
    var options: [ExtcapOption] = []
    if kind == .named {
      options.append(
        ExtcapOption(
          name: target.declaration.name, title: "Port",
          tooltip: "/dev/ttyUSB0, usb:0403:6001, rfc2217://HOST:PORT, telnet://HOST:PORT",
          form: .string, isRequired: true))
    }
    if kind != .session {
      options.append(
        ExtcapOption(
          name: LineParameters.baud.declaration.name, title: "Baud rate",
          tooltip: LineParameters.baud.declaration.summary, form: .unsigned,
          standard: "\(LineParameters.baud.option.standard)"))
      options += [
        choice(LineParameters.dataBits.option, "Data bits"),
        choice(LineParameters.parity.option, "Parity"),
        choice(LineParameters.stopBits.option, "Stop bits"),
        choice(LineParameters.flow.option, "Flow control"),
        choice(LineParameters.dtr, "DTR"), choice(LineParameters.rts, "RTS"),
      ]
    }
    let forms = ChosenFrameForm.choices
    options.append(
      ExtcapOption(
        name: frames.declaration.name, title: "Packets",
        tooltip: "One for each read, or for each frame", form: .selector,
        values: [(reads, "one for each read")]
          + forms.filter { !$0.isBeginning }.map { ($0.start, "\($0.start): \($0.summary)") },
        standard: reads))
    options.append(
      ExtcapOption(
        name: otherFrames.declaration.name, title: "Packets of another form",
        tooltip: forms.filter(\.isBeginning).map(\.usage).joined(separator: ", "),
        form: .string))
    options.append(
      ExtcapOption(
        name: linkType.declaration.name, title: "Link type",
        tooltip: "Preferences, Protocols, DLT_USER: the dissector of each",
        form: .selector,
        values: PacketStream.linkTypes.enumerated().map { ("\($1)", "USER\($0) (\($1))") },
        standard: "\(linkType.standard)"))
    return options
  }

  private static func choice<Value: CaseIterable & RawRepresentable>(
    _ parameter: Parameter<Value>, _ title: String
  ) -> ExtcapOption {
    ExtcapOption(
      name: parameter.declaration.name, title: title, tooltip: parameter.declaration.summary,
      form: .selector, values: Value.allCases.map { ("\($0.rawValue)", "\($0.rawValue)") },
      standard: "\(parameter.standard.rawValue)")
  }

  // MARK: Capturing

  private func capture(
    _ interface: CaptureInterface, among devices: DeviceCatalog
  ) throws -> ExitStatus {
    guard let path = values[Self.fifo] else {
      throw Failure(.usage, "--capture needs --fifo PATH, the named pipe for the packets.")
    }
    let source: (target: Target, providers: LinkProviders, isSession: Bool)
    switch interface {
    case .device(let target): source = (target, .standard, false)
    case .named:
      guard let target = values[Self.target] else {
        throw Failure(.usage, "--target names the port: set it in the options of the interface.")
      }
      source = (target, .standard, false)
    case .session(let session):
      source = (.endpoint(session.endpoint), .joining(session, as: .init(name: "wireshark")), true)
    }
    guard let pipe = try CapturePipe.open(FilePath(path)) else { return .done }
    var link = values.linkOptions
    if source.isSession { link = LinkOptions() }
    let frontEnd = try HeadlessInterface(
      SessionConfiguration(
        target: source.target, settings: values.lineSettings, linkOptions: link, onOpen: nil,
        reconnects: !source.isSession, waitsForAbsentDevice: false, pacing: Pacing(),
        log: LogConfiguration(), isQuiet: true),
      for: .service, of: "extcap", among: devices, from: source.providers)
    let form = values[Self.otherFrames] ?? values[Self.frames]
    frontEnd.port.controller.showsSilences = form?.dependsOnSilence == true
    let name = values[Self.interface] ?? Serialterm.name
    let controller = try CaptureController(
      frontEnd, to: pipe.borrowed, isSession: source.isSession
    ) { header in
      PacketStream(
        of: LogPort(name, at: name), linkType: values[Self.linkType], frames: form, into: &header)
    }
    return try controller.run()
  }
}
