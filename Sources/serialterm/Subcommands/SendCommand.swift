import Framing
import Dialogues
import Encodings
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
    "How files are sent: \(TransferProtocol.allCases.alternatives).",
    standard: .standardToSend)
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
  private static let expectFrame = Parameter.flag(
    "expect-frame", "Wait for a frame of --frames FORM that is not bad, and print it.",
    details: """
      With --checksum crc16-modbus, the form is modbus-rtu unless --frames names another. With \
      --frames, --prompt and --expect are searched in the lines of such frames too.
      """, isConfigurable: false)
  private static let timeout = Parameter<Double?>.time(
    "timeout",
    "How long to wait for what is expected: the prompt, the answer and the text of --wait-for, by default 5s; "
      + "with --protocol, until the receiver asks for the file, by default "
      + "\(TransferConditions.standardStartPatience.inSeconds)s.",
    0.001...86_400)
  /// How long to wait for an answer.
  private static let standardTimeout = Duration.seconds(5)
  private static let linger = Parameter<Double>.time(
    "linger",
    "Without --expect: the silence after which the answer to TEXT has ended; at most 5 s in all.",
    0...86_400, standard: 0.2)
  private static let every = Parameter<Double?>.time(
    "every", "Send TEXT again and again, at this interval.", RepeatOrder.intervals,
    isConfigurable: false)
  private static let count = Parameter<Int?>.option(
    "count", "NUMBER", "End after TEXT was sent this number of times; needs --every.",
    isConfigurable: false,
    parse: { try Int.number($0, of: "times", in: 1...Int.max) })
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
    Sends TEXT followed by CR, as Enter does, and prints what the device sends until it is silent for \
    0.2 s; or sends files or standard input, exactly as they are, until the driver has sent everything. \
    With --expect it prints what the device sends, up to the match; the exit status is 10 if there is none \
    in time. With --every, TEXT is sent at intervals, each \
    answer is timed, and the counts and times are printed at the end. With --protocol, files go to a receiver \
    that the device runs (rx, rb, rz, loady); the exit status is 8 if a transfer fails.
    """,
    example: """
      serialterm send ttyUSB0 'AT' --expect 'OK|ERROR'
      serialterm send ttyUSB0 --file boot.bin --protocol ymodem
      serialterm send loopback:board 'echo 42' \\
        --prompt 'board> ' --expect '(\\d+)\\r\\n' --print 1
      serialterm send ttyUSB0 --hex 0103006b0003 --checksum crc16-modbus \\
        --expect-frame
      serialterm send ttyUSB0 'status' --every 1s --count 10 --expect 'ok'
      """,
    mostUsed: [
      expect, timeout, prompt, print, files, kind, hex, escapes, lineEnding, LineParameters.baud,
      LogParameters.log, SessionParameters.wait,
    ],
    sections: [
      ParameterSection("ARGUMENTS", [SessionParameters.target, Self.text]),
      ParameterSection(
        "TRANSFER",
        [
          files, kind, ProgressDisplay.parameter, hex, TextParameters.checksum,
          escapes, TextParameters.encoding,
          lineEnding,
        ]),
      ParameterSection(
        "ANSWER",
        [
          prompt, expect, FailureSearch.parameter, expectFrame, ViewParameters.frames, timeout,
          linger, print,
        ]),
      ParameterSection("REPETITION", [every, count]),
    ] + SessionParameters.headless)

  let values: Values
  var namedTarget: Target?
  var profile = ProfileInUse()

  init(_ values: Values) throws(UsageError) {
    self.values = values
    namedTarget = values[SessionParameters.target]
    try values.checkSession()
    if text != nil && !files.isEmpty { throw UsageError("send TEXT or --file, not both") }
    try checkTransfer()
    if text == nil && values[Self.hex] { throw UsageError("--hex is for TEXT") }
    if values.given[TextParameters.checksum.name] != nil {
      guard values[Self.hex] else { throw UsageError("--checksum is for --hex") }
      if let text, (try? HexText.parse(text))?.isEmpty == true {
        throw UsageError("TEXT has no bytes to compute --checksum of")
      }
    }
    if text == nil && values[Self.escapes] { throw UsageError("--escapes is for TEXT") }
    if values[Self.hex] && values[Self.escapes] {
      throw UsageError("--hex and --escapes exclude each other")
    }
    try checkRepetition()
    let isFileThatMayFail = text == nil && values[FailureSearch.parameter] != nil
    if values.given[Self.linger.name] != nil,
      expectation != nil || text == nil && !isFileThatMayFail
    {
      throw UsageError("--linger is for TEXT without --expect; use --timeout for the answer")
    }
    try checkEncoding()
    if values[Self.expectFrame] {
      guard values[Self.expect] == nil else {
        throw UsageError(
          "--expect-frame waits for any frame that is not bad, --expect for one that matches")
      }
      guard frameForm != nil else {
        throw UsageError("--expect-frame needs --frames FORM, such as --frames modbus-rtu")
      }
    }
    _ = try textBytes()
    guard let group = values[Self.print] else { return }
    guard let expect = expectation else { throw UsageError("--print needs --expect REGEX") }
    guard group <= expect.groupCount else {
      throw UsageError(
        "--print '\(group)': '\(expect.text)' has \(expect.groupCount.counted("group"))")
    }
  }

  private var text: String? { values[Self.text] }
  private var timeout: Duration? { values[Self.timeout].map { Duration(rounding: $0) } }
  private var expectation: ExpectedPattern? {
    values[Self.expectFrame] ? .anyLine(named: "frame") : values[Self.expect]
  }
  /// The form of frames: what the user says, or what the checksum belongs to.
  private var frameForm: ChosenFrameForm? {
    if let form = values[ViewParameters.frames] { return form }
    guard values[Self.expectFrame], values[TextParameters.checksum] == .crc16Modbus else {
      return nil
    }
    return try? ChosenFrameForm(parsing: "modbus-rtu")
  }
  private var files: [String] { values[Self.files] }
  /// Whether a protocol transfers the files, instead of sending them like a text. The protocol of a
  /// profile is for files with names only.
  private var isTransfer: Bool {
    if files.count > 1 { return true }
    let protocolApplies = values.given[Self.kind.name] != nil || files.contains { $0 != "-" }
    return protocolApplies && values[Self.kind] != .raw
  }

  /// Whether each line of a transfer waits for an answer.
  private var waitsForAnswers: Bool {
    values[Self.kind].isPlain && values[PacingParameters.waitFor] != nil
  }

  private func checkTransfer() throws(UsageError) {
    // A profile may set --timeout, --progress and --prompt for other uses of send.
    guard isTransfer else {
      // The profile is not read yet and may name a protocol.
      if files.isEmpty || values.all[Self.kind.name] != nil { try checkNoTransfer() }
      return
    }
    let kind = values[Self.kind]
    if values.given[Self.timeout.name] != nil, kind.isPlain, !waitsForAnswers {
      throw UsageError(
        "--timeout is for what is expected: --protocol \(kind.rawValue) needs --wait-for")
    }
    if files.isEmpty { throw UsageError("--protocol is for files: name them with --file") }
    if files.contains("-") {
      throw UsageError(
        "standard input has no name and no size: it can only be sent alone, with --protocol raw")
    }
    if files.count > 1, !kind.sendsSeveralFiles {
      let others = TransferProtocol.transferring.filter(\.sendsSeveralFiles)
      throw UsageError("\(kind.title) sends one file; several: \(others.titles)")
    }
    if values.given[Self.prompt.name] != nil || expectation != nil {
      throw UsageError("--prompt and --expect are for TEXT and one raw file; use a script ('run')")
    }
  }

  private func checkNoTransfer() throws(UsageError) {
    if values.given[ProgressDisplay.parameter.name] != nil {
      throw UsageError("--progress is for --protocol")
    }
  }

  private func checkRepetition() throws(UsageError) {
    guard values[Self.every] != nil else {
      if values[Self.count] != nil { throw UsageError("--count needs --every TIME") }
      return
    }
    guard text == nil else { return }
    throw UsageError(
      files.isEmpty
        ? "--every needs TEXT: standard input can be read only once"
        : "--every is for TEXT, and not for files: repeat the command in a shell")
  }

  /// Checks that an encoding of the command line has a use.
  private func checkEncoding() throws(UsageError) {
    guard values.given[TextParameters.encoding.name] != nil else { return }
    let hasText = text != nil && !values[Self.hex]
    let hasAnswer = values[Self.prompt] != nil || expectation != nil
    let logsText = !values[LogParameters.log].isEmpty
    if !hasText && !hasAnswer && !logsText {
      throw UsageError(
        "--encoding is for TEXT, the answer and logs: "
          + (values[Self.hex] ? "hexadecimal numbers are" : "files and standard input are")
          + " sent as they are")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    if isTransfer {
      // If a file is missing, the port is not opened, and the board is not reset.
      for file in files { _ = try FileSource(ofUser: FilePath(file)) }
      return try transfer(in: context)
    }
    // The profile of a device that is waited for may name a protocol.
    if context.deviceProfile == nil || !values[SessionParameters.wait] { try checkNoTransfer() }
    let configuration = try configuration()
    var running: (any SendingController)?
    let session = try HeadlessInterface(
      sessionConfiguration, of: "send", among: context.devices,
      forDevice: context.deviceProfile.map { profile in
        { device in
          let command = try found(device, profile)
          running?.configuration = try command.configuration()
          return command.sessionConfiguration
        }
      })
    let controller: any SendingController =
      configuration.repetition == nil
      ? SendController(configuration, session) : RepeatedSendController(configuration, session)
    running = controller
    return try controller.run()
  }

  func check(_ found: Self) throws(UsageError) {
    guard found.isTransfer == isTransfer else {
      let name = found.values[Self.kind].rawValue
      throw UsageError(
        "the profile of the device says --protocol \(name), which was not known while waiting: "
          + "give --protocol \(name), too")
    }
    if !isTransfer { try found.checkNoTransfer() }
  }

  var transferConfiguration: TransferConfiguration {
    TransferConfiguration(
      order: TransferOrder(
        fileProtocol: values[Self.kind], files: .send(files.map { FilePath($0) }),
        lineEnd: values[Self.lineEnding].bytes,
        startPatience: timeout ?? TransferConditions.standardStartPatience),
      progress: values[ProgressDisplay.parameter],
      answerLimit: timeout ?? Self.standardTimeout,
      failure: values[FailureSearch.parameter], encoding: values[TextParameters.encoding])
  }

  var sessionConfiguration: SessionConfiguration {
    session(reconnects: false)
  }

  private func configuration() throws -> SendConfiguration {
    // With frames, whole lines are printed.
    let isFramed = frameForm != nil
    return SendConfiguration(
      source: try source(), encoding: values[TextParameters.encoding], warning: escapeWarning,
      prompt: isFramed ? values[Self.prompt]?.toEndOfLine : values[Self.prompt],
      expectation: isFramed ? expectation?.toEndOfLine : expectation,
      failure: isFramed
        ? values[FailureSearch.parameter]?.toEndOfLine : values[FailureSearch.parameter],
      frameForm: frameForm, timeout: timeout ?? Self.standardTimeout,
      linger: Duration(rounding: values[Self.linger]),
      printedGroup: values[Self.print],
      repetition: values[Self.every].map {
        .init(interval: Duration(rounding: $0), count: values[Self.count].map(Int64.init))
      })
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
      if values[Self.hex] {
        let bytes = try HexText.parse(text)
        return bytes + (values[TextParameters.checksum]?.bytes(for: bytes) ?? [])
      }
      guard values[Self.escapes] else { return try encoded(Array(text.utf8)) + ending }
      let bytes = try encoded(try EscapedText.bytes(of: text))
      let hasEnding = bytes.last == UInt8(ascii: "\r") || bytes.last == UInt8(ascii: "\n")
      return hasEnding ? bytes : bytes + ending
    } catch {
      throw UsageError("TEXT: \(error)")
    }
  }

  /// The bytes in the encoding of the device. Escaped bytes that are not UTF-8 stay.
  private func encoded(_ bytes: [UInt8]) throws -> [UInt8] {
    let encoding = values[TextParameters.encoding]
    if encoding.isUTF8 { return bytes }
    var encoded: [UInt8] = []
    try EncodingWriter(encoding).encode(bytes, into: &encoded)
    return encoded
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
