import Dialogues
import Glibc
import Options
import Patterns
import Posix
import Sessions
import SystemPackage
import TextTools
import TransferProtocols

/// `serialterm send`: sends one command to a device and waits for its answer.
struct SendCommand: TransferringCommand {
  private static let text = Parameter<String?>.argument(
    "text", "The text to send. Without it and --file, standard input is sent.", parse: { $0 })
  private static let files = Parameter<[String]>.list(
    "file", "FILE", "Send a file, or - for standard input; can be repeated.",
    isConfigurable: false, completion: .files, parse: { $0 })
  private static let kind = Parameter<TransferProtocol>.choice(
    "protocol", "PROTOCOL",
    "How files are sent: \(TransferProtocol.allCases.alternatives).", standard: .raw)
  private static let startTimeout = Parameter<Double>.time(
    "start-timeout", "How long to wait until the device's receiver asks for the file.",
    0.001...86_400, standard: 100)
  private static let hex = Parameter.flag(
    "hex", "TEXT is bytes as hexadecimal numbers: '01 03 00 6b', '0103006b'.",
    details: "They are sent exactly, without a line ending.", isConfigurable: false)
  private static let escapes = Parameter.flag(
    "escapes", "Replace \\r \\n \\t \\e \\0 \\\\ and \\xHH in TEXT.",
    details: "If TEXT then ends with CR or LF, no line ending is added.", isConfigurable: false)
  private static let lineEnding = Parameter<TextEnding>.choice(
    "line-ending", "ENDING",
    "The end of TEXT, and of lines sent by --protocol ascii: none, cr, lf, crlf.",
    standard: .cr)
  private static let prompt = Parameter<ExpectedPattern?>.option(
    "prompt", "REGEX",
    "Wait for matching text, such as the device's prompt, before sending.",
    details: """
      Without it, --expect may match what the device sends before the command reaches it: the text of \
      its start, or an earlier prompt.
      """,
    parse: { try ExpectedPattern.regex($0) })
  private static let expect = Parameter<ExpectedPattern?>.option(
    "expect", "REGEX", "Wait for an answer that matches.", isConfigurable: false,
    parse: { try ExpectedPattern.regex($0) })
  static let timeout = Parameter<Double>.time(
    "timeout", "How long to wait for the prompt, and for the answer.", 0.001...86_400, standard: 5)
  private static let print = Parameter<Int?>.option(
    "print", "GROUP", "Print only this group of the match; 0 is the whole match.",
    isConfigurable: false,
    parse: { text in
      guard let group = Int(text), group >= 0 else {
        throw ValueError(text, expected: "the number of a group")
      }
      return group
    })

  static let description = CommandDescription(
    "send", "Send a text or a file to a device, and print the answer.",
    """
    Sends TEXT followed by CR, as Enter does; or files or standard input, exactly as they are. Ends \
    when the driver has sent everything. With --expect it then prints what the device sends, up to the \
    match; the exit status is 10 if there is none in time. With --protocol, files go to a receiver \
    that the device runs (rx, rb, rz, loady); the exit status is 8 if a transfer fails.
    """,
    example: """
      serialterm send ttyUSB0 'AT' --expect 'OK|ERROR'
      serialterm send ttyUSB0 --file boot.bin --protocol ymodem
      serialterm send loopback:board 'echo 42' \\
        --prompt 'board> ' --expect '(\\d+)\\r\\n' --print 1
      """,
    mostUsed: [
      expect, timeout, prompt, print, files, kind, hex, escapes, lineEnding, LineParameters.baud,
      LogParameters.log, SessionParameters.wait,
    ],
    sections: [
      ParameterSection("ARGUMENTS", [SessionParameters.target, Self.text]),
      ParameterSection("TRANSFER", [files, kind, startTimeout, hex, escapes, lineEnding]),
      ParameterSection("ANSWER", [prompt, expect, timeout, print]),
    ] + SessionParameters.headless)

  let values: Values
  var namedTarget: Target?
  var profile = ProfileInUse()

  init(_ values: Values) throws(UsageError) {
    self.values = values
    namedTarget = values[SessionParameters.target]
    try values.checkLocking()
    try values.checkLogs()
    if text != nil && !files.isEmpty { throw UsageError("send TEXT or --file, not both") }
    try checkTransfer()
    if text == nil && values[Self.hex] { throw UsageError("--hex is for TEXT") }
    if text == nil && values[Self.escapes] { throw UsageError("--escapes is for TEXT") }
    if values[Self.hex] && values[Self.escapes] {
      throw UsageError("--hex and --escapes exclude each other")
    }
    _ = try textBytes()
    guard let group = values[Self.print] else { return }
    guard let expect = values[Self.expect] else { throw UsageError("--print needs --expect REGEX") }
    guard group <= expect.groupCount else {
      throw UsageError(
        "--print '\(group)': '\(expect.text)' has \(expect.groupCount.counted("group"))")
    }
  }

  private var text: String? { values[Self.text] }
  private var files: [String] { values[Self.files] }
  /// Whether a protocol transfers the files, instead of sending them like a text.
  private var isTransfer: Bool { values[Self.kind] != .raw || files.count > 1 }

  private func checkTransfer() throws(UsageError) {
    // A profile may set both, for other calls.
    guard isTransfer else {
      if values.given[Self.startTimeout.name] != nil {
        throw UsageError("--start-timeout is for --protocol; use --timeout for the answer")
      }
      return
    }
    if values.given[Self.timeout.name] != nil {
      throw UsageError(
        "--timeout is for an answer; use --start-timeout for the start of a transfer")
    }
    let kind = values[Self.kind]
    if files.isEmpty { throw UsageError("--protocol is for files: name them with --file") }
    if files.contains("-") {
      throw UsageError(
        "standard input has no name and no size: it can only be sent alone, with --protocol raw")
    }
    if files.count > 1, !kind.sendsSeveralFiles {
      throw UsageError("\(kind.title) sends one file; YMODEM and ZMODEM send several")
    }
    if values[Self.prompt] != nil || values[Self.expect] != nil {
      throw UsageError("--prompt and --expect are for TEXT and one raw file; use a script ('run')")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    if isTransfer {
      // If a file is missing, the port is not opened, and the board is not reset.
      for file in files { _ = try FileSource(ofUser: FilePath(file)) }
      return try transfer(in: context)
    }
    let configuration = try configuration()
    var running: SendController?
    let session = try HeadlessInterface(
      sessionConfiguration, of: "send", among: context.devices,
      forDevice: context.deviceProfile.map { profile in
        { device in
          let command = try profile.command(for: device, like: self)
          running?.configuration = try command.configuration()
          return command.sessionConfiguration
        }
      })
    let controller = SendController(configuration, session)
    running = controller
    return try controller.run()
  }

  var order: TransferOrder {
    TransferOrder(
      fileProtocol: values[Self.kind], files: .send(files.map { FilePath($0) }),
      lineEnd: values[Self.lineEnding].bytes, startPatience: .seconds(values[Self.startTimeout]))
  }

  var sessionConfiguration: SessionConfiguration {
    values.sessionConfiguration(target: namedTarget, reconnects: false)
  }

  private func configuration() throws -> SendConfiguration {
    SendConfiguration(
      source: try source(), warning: escapeWarning, prompt: values[Self.prompt],
      expectation: values[Self.expect], timeout: .seconds(values[Self.timeout]),
      printedGroup: values[Self.print])
  }

  private func source() throws -> SendConfiguration.Source {
    if text != nil { return .bytes(try textBytes()) }
    let file = files.first
    if let file, file != "-" {
      let path = FilePath(file)
      // If a file is missing, the port is not opened, and the board is not reset.
      do { _ = try path.stat() } catch { throw Failure(.otherFailure, "\(path): \(error).") }
      return .file(path)
    }
    guard file != nil || !FileDescriptor.standardInput.isTerminal else {
      throw Failure(.usage, "nothing to send: name a TEXT or a --file, or pipe something in.")
    }
    return .standardInput
  }

  private func textBytes() throws(UsageError) -> [UInt8] {
    guard let text else { return [] }
    let ending = values[Self.lineEnding].bytes
    do {
      if values[Self.hex] { return try HexText(text).bytes }
      guard values[Self.escapes] else { return text.utf8 + ending }
      let bytes = try EscapedText.bytes(of: text)
      let hasEnding = bytes.last == 0x0D || bytes.last == 0x0A
      return hasEnding ? bytes : bytes + ending
    } catch {
      throw UsageError("TEXT: \(error)")
    }
  }

  /// A warning about a TEXT that contains a literal `\r` or `\n`, which shells do not replace.
  private var escapeWarning: String? {
    guard let text, !values[Self.hex], !values[Self.escapes] else { return nil }
    guard let escape = [#"\r"#, #"\n"#].first(where: text.utf8.contains(sequence:)) else {
      return nil
    }
    return """
      TEXT contains \(escape), which is sent as two characters. To replace it, use --escapes; to \
      choose the end of TEXT, use --line-ending.
      """
  }
}

extension String.UTF8View {
  fileprivate func contains(sequence: String) -> Bool {
    indices.contains { self[$0...].starts(with: sequence.utf8) }
  }
}
