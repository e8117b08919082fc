import EventLoop
import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TestSupport
import Testing
import TextStages
import TransferProtocols

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct CommandTests {
  private let bench: PortBench
  private let user: FakeCommandUser

  private var port: Port { bench.port }

  init() throws {
    bench = try PortBench()
    user = FakeCommandUser(on: bench.loop)
  }

  /// The outcome of a command, which may be answered later; nil if it is not answered.
  private func outcome(
    of command: Command, from sender: CommandCall.Sender = .key, argument: String? = nil
  ) throws -> CommandOutcome? {
    var outcomes: [CommandOutcome] = []
    let hasUser = sender != .json && sender != .script
    command.perform(
      CommandCall(from: sender, at: port, user: hasUser ? user : nil, argument: argument) {
        outcomes.append($0)
      })
    port.lineCommands.end()
    #expect(outcomes.count <= 1, "\(command.name)")
    return outcomes.first
  }

  // MARK: The table

  @Test func namesAndKeys_areUnique_andFindTheirCommand() {
    #expect(Set(Command.all.map(\.name)).count == Command.all.count)
    let keys = Command.all.compactMap(\.key)
    #expect(Set(keys).count == keys.count)
    for command in Command.all {
      #expect(Command(named: command.name) == command)
      guard let key = command.key else { continue }
      #expect(key.asciiValue.flatMap { Command(key: $0, in: TerminalState()) } == command)
    }
    #expect(Command(key: 0x7A, in: TerminalState()) == nil)
    #expect(Command(named: "no-such-command") == nil)
  }

  @Test func summaries_haveRoomInLists() {
    for command in Command.all { #expect(command.summary.count <= 24, "\(command.name)") }
  }

  // MARK: Senders

  /// One function decides for every sender whether a command is available.
  @Test(arguments: CommandCall.Sender.allCases, NeedTests.Situation.allCases)
  func everyCommand_isRefusedForTheSameReason_fromEverySender(
    sender: CommandCall.Sender, situation: NeedTests.Situation
  ) throws {
    // Where a text is typed, only some are right.
    let choices = ["repeat": "1s x", "frames": "none", "encoding": "UTF-8"]
    for command in Command.all where command != .log {
      user.choice = choices[command.name] ?? "DTR"
      // The session corrects the state when it reports a change.
      port.model.update { $0 = situation.state }
      let outcome = try outcome(of: command, from: sender)
      if let reason = command.refusal(in: situation.state) {
        #expect(outcome == .unavailable(because: reason), "\(command.name)")
        #expect(outcome?.message == "Not available: \(reason).")
      } else if sender == .json || sender == .script {
        // Without a user, the command was performed, or its argument is missing, or it
        // needs a user.
        #expect(outcome != nil, "\(command.name)")
      } else {
        #expect(outcome?.refusal == nil, "\(command.name)")
      }
    }
  }

  @Test(arguments: [
    (LineParameters.baud.command, "9600", "Now 9600 8N1."),
    (LineParameters.parity.command, "even", "Now 115200 8E1."),
    (LineParameters.dataBits.command, "7", "Now 115200 7N1."),
    (LineParameters.stopBits.command, "2", "Now 115200 8N2."),
    (LineParameters.flow.command, "hard", "Now 115200 8N1 RTS/CTS."),
    (Command.sendBreak.command, "1", "Break sent."),
    (Command.pulseLine.command, "dtr", "DTR pulsed."),
    (
      Command.toggleLine.command, "dtr",
      "DTR off, RTS on, CTS off, DSR off, DCD off, RI off."
    ),
    (
      Command.showLines, nil,
      "DTR on, RTS on, CTS off, DSR off, DCD off, RI off."
    ),
    (
      Command.reconnect, nil,
      "reconnect is off: the session ends when the device is lost."
    ),
  ])
  func everySender_getsTheSameOutcome(command: Command, argument: String?, message: String) throws {
    for sender in CommandCall.Sender.allCases {
      let fresh = try CommandTests()
      #expect(
        try fresh.outcome(of: command, from: sender, argument: argument) == .done(message),
        "\(sender)")
    }
  }

  // MARK: Arguments

  @Test(arguments: [
    (LineParameters.baud.command, "0", "baud: expected a whole number from 1 to 2147483647"),
    (LineParameters.baud.command, "+9600", "baud: expected a whole number from 1 to 2147483647"),
    (LineParameters.parity.command, "big", "parity: expected one of none, odd, even, mark, space"),
    (LineParameters.dataBits.command, "9", "data-bits: expected one of 5, 6, 7, 8"),
    (LineParameters.stopBits.command, "", "stop-bits: expected one of 1, 2"),
    (LineParameters.flow.command, "rts", "flow: expected one of none, hard, soft"),
    (Command.sendBreak.command, "10001", "break: expected 1 to 10000"),
    (Command.toggleLine.command, "cts", "toggle-line: expected dtr or rts"),
    (Command.pulseLine.command, "", "pulse-line: expected dtr or rts"),
    (KeyboardParameters.lineEnding.command, "none", "line-ending: expected one of cr, lf, crlf"),
    (
      Command.timestampFormat.command, "never",
      "timestamp-format: expected one of none, time, time:us, iso, iso:us, delta, delta:us, start, "
        + "start:us, epoch, epoch:us"
    ),
    (
      Command.mapping.command, "from-device:cr=lf,to-device:lf=crlf",
      "mapping: expected one map, such as from-device:cr=lf"
    ),
    (
      Command.outputMap.command, "from-device:cr=lf",
      "output-map: expected one map, such as to-device:cr=lf"
    ),
    (Command.sendFile.command, "", "send-file: expected the path of a file"),
  ])
  func wrongArgument_isRefusedWithTheExpectedForm(
    command: Command, argument: String, message: String
  ) throws {
    #expect(try outcome(of: command, argument: argument) == .failed(message))
    #expect(bench.link.settings == LineSettings())
    #expect(bench.link.lines == [.dtr, .rts])
    #expect(bench.link.breaks.isEmpty)
    #expect(user.events.isEmpty)
  }

  @Test(arguments: [
    (KeyboardParameters.lineEnding.command, "crlf", "Enter sends crlf."),
    (Command.timestampFormat.command, "iso:us", "timestamps are on: iso:us."),
    (Command.mapping.command, "ICRNL", "mapped: from-device:cr=lf."),
    (Command.outputMap.command, "to-device:lf=crlf", "mapped: to-device:lf=crlf."),
  ])
  func argumentOfAUserCommand_isTakenAsText(
    command: Command, argument: String, message: String
  ) throws {
    #expect(try outcome(of: command, argument: argument) == .done(message))
    #expect(user.events.isEmpty)
  }

  @Test func mapThatContradictsAnother_isRefused() throws {
    #expect(try outcome(of: .mapping.command, argument: "from-device:cr=lf")?.refusal == nil)
    #expect(
      try outcome(of: .mapping.command, argument: "from-device:cr=crlf")
        == .unavailable(because: .mapped("from-device:cr=lf is on")))
  }

  @Test func argumentThatIsMissing_isAskedFor_orRefusedWithoutAUser() throws {
    user.choice = "9600"
    #expect(try outcome(of: LineParameters.baud.command) == .done("Now 9600 8N1."))
    #expect(user.events == ["baud rate"])
    #expect(
      try outcome(of: LineParameters.baud.command, from: .json)
        == .failed("baud: expected a whole number from 1 to 2147483647"))
  }

  @Test func questionThatIsCancelled_orAnsweredWithNoChange_doesNothing() throws {
    #expect(try outcome(of: LineParameters.parity.command) == nil)
    user.choice = "no change"
    #expect(try outcome(of: .toggleLine.command) == nil)
    #expect(try outcome(of: .mapping.command) == nil)
    #expect(bench.link.lines == [.dtr, .rts])
  }

  @Test func valueThatIsSetAlready_isNotSetAgainForAUser_andIsForAProgram() throws {
    user.choice = "none"
    #expect(try outcome(of: LineParameters.parity.command) == .done("No change: 115200 8N1."))
    // Another program may have changed the driver's settings.
    bench.link.settings.parity = .odd
    #expect(
      try outcome(of: LineParameters.parity.command, from: .json, argument: "none")
        == .done("Now 115200 8N1."))
    #expect(bench.link.settings.parity == .none)
  }

  @Test func choices_areOffWhileTheCommandIs_andTheAnswerIsRefused() throws {
    user.choice = "even"
    user.whileAsked = { [port] in port.session.deviceDidDisappear() }
    #expect(try outcome(of: LineParameters.parity.command) == .unavailable(because: .noDevice))
    #expect(user.choices.map(\.title) == ["none", "odd", "even", "mark", "space"])
    #expect(user.choices.allSatisfy { $0.refusal == "no device" })
  }

  @Test func settingsThatAreChangedTogether_reachTheDriverTogether() throws {
    var outcome: CommandOutcome?
    let change = SettingsChange(\.baudRate, to: 9600).and(SettingsChange(\.parity, to: .odd))
    change.perform(CommandCall(from: .script, at: port) { outcome = $0 })
    #expect(outcome == .done("Now 9600 8O1."))
    #expect(bench.link.settings == LineSettings(baudRate: 9600, parity: .odd))
  }

  // MARK: Effects

  @Test(arguments: [
    (Command.help, "list"), (Command.clearScreen, "clear"), (Command.quit, "quit"),
  ])
  func commandsForTheUser_reachTheUser(command: Command, event: String) throws {
    #expect(try outcome(of: command) == .done)
    #expect(user.events == [event])
    user.choice = command.name
    #expect(try outcome(of: .palette, from: .key) == .done)
    #expect(user.events == [event, "command", event])
  }

  @Test func file_isChosenAndSent_orTheReasonShown() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("image.bin")
    #expect(try outcome(of: .sendFile.command, argument: path.string) == .done)
    #expect(user.events == ["send [\"\(path)\"] by raw"])
    // An unreadable file is reported before the question for the protocol.
    user.choice = "/image.bin"
    #expect(try outcome(of: .sendFile.command) == .done)
    #expect(user.events.dropFirst() == ["file to send", "send [\"/image.bin\"] by raw"])
    user.forgetQuestions()
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create], permissions: [.ownerReadWrite])
    try file.close()
    user.choice = path.string
    user.laterChoice = "YMODEM"
    #expect(try outcome(of: .sendFile.command) == .done)
    #expect(
      user.events.dropFirst(3) == [
        "file to send", "how to send image.bin", "send [\"\(path)\"] by ymodem",
      ])
    user.forgetQuestions()
    user.refusal = Failure(.otherFailure, "image.bin: not a file.")
    #expect(try outcome(of: .sendFile.command) == .failed("image.bin: not a file."))
  }

  @Test(arguments: [
    (DeviceOffer?.none, "as it is"), (.requests(.zmodem), "ZMODEM"), (.requests(.ymodem), "YMODEM"),
    (.requests(.ymodemG), "YMODEM-g"), (.requests(.xmodem), "XMODEM"),
  ])
  func theProtocolThatTheDeviceAsksFor_comesFirst(_ offer: DeviceOffer?, first: String) throws {
    port.model.update { $0.offer = offer }
    user.choice = "/etc/hosts"
    user.laterChoice = ""
    #expect(try outcome(of: .sendFile.command) == .done)
    #expect(user.choices.first?.title == first)
    #expect(user.choices.count == TransferProtocol.allCases.count)
  }

  @Test func offeredFile_isReceivedWithoutAQuestion() throws {
    port.model.update { $0.offer = .sends(.zmodem) }
    #expect(Command.receiveFiles.command.value(port.model.state) == "offered by ZMODEM")
    #expect(try outcome(of: .receiveFiles.command) == .done)
    #expect(user.events == ["receive into received by zmodem"])
  }

  @Test func withoutAnOffer_theProtocolIsAskedFor() throws {
    user.choice = "XMODEM"
    user.laterChoice = "/tmp/image.bin"
    #expect(try outcome(of: .receiveFiles.command) == .done)
    #expect(
      user.events == ["how to receive", "file to write", "receive into /tmp/image.bin by xmodem"])
  }

  @Test func toggles_changeTheStateAndSaySo() throws {
    for (command, part) in [
      (KeyboardParameters.readOnly.command, \TerminalState.isReadOnly),
      (KeyboardParameters.localEcho.command, \.echoesLocally),
      (KeyboardParameters.inputMode.command, \.editsLines),
      (ViewParameters.hex.command, \.view.isHex),
      (ViewParameters.status.command, \.showsStatus),
    ] as [(Command, WritableKeyPath<TerminalState, Bool>)] {
      port.model.update { $0.isReadOnly = false }
      #expect(try outcome(of: command) == .done("\(command.name) is on."))
      #expect(port.model.state[keyPath: part])
      #expect(command.value(port.model.state) == "on")
    }
  }

  @Test func timestamps_comeBackInTheFormatThatWasUsedLast() throws {
    user.choice = "delta:us"
    #expect(
      try outcome(of: .timestampFormat.command) == .done("timestamps are on: delta:us."))
    #expect(try outcome(of: .timestamps) == .done("timestamps are off."))
    #expect(try outcome(of: .timestamps) == .done("timestamps are on: delta:us."))
    user.choice = "none"
    #expect(try outcome(of: .timestampFormat.command) == .done("timestamps are off."))
    #expect(try outcome(of: .timestamps) == .done("timestamps are on: delta:us."))
  }

  @Test func breakThatThePortEnds_isNotAnswered() {
    var outcomes: [CommandOutcome] = []
    Command.sendBreak.command.perform(
      CommandCall(from: .key, at: port) { outcomes.append($0) })
    #expect(bench.link.breaks == [true])
    port.session.close()
    port.lineCommands.end()
    #expect(outcomes.isEmpty)
  }

  @Test func release_closesThePort_andOpensItAgain() throws {
    #expect(try outcome(of: .release, from: .signal) == .done)
    for _ in 0..<3 { try bench.loop.turn(waitingAtMost: .zero) }
    #expect(port.session.state.isReleased)
    #expect(Command.release.value(port.model.state) == "released")
    #expect(try outcome(of: .release, from: .key) == .done)
    #expect(!port.session.state.isReleased)
  }

  @Test func log_startsAndEnds() throws {
    let folder = try TemporaryFolder()
    port.log.configuration = LogConfiguration(files: [folder.path.appending("log").string])
    try port.log.start(at: nil)
    #expect(
      try outcome(of: .log, from: .json)
        == .done("the log \(folder.path.appending("log")) is off."))
    #expect(port.model.state.log == nil)
    port.log.finish()
  }

  @Test func `A log that ports share is off and on for all of them, and so says the state`() throws
  {
    let folder = try TemporaryFolder()
    let configuration = LogConfiguration(files: [folder.path.appending("all.jsonl").string])
    let other = bench.app.add(
      SessionConfiguration(
        settings: LineSettings(), linkOptions: LinkOptions(), onOpen: nil, reconnects: true,
        waitsForAbsentDevice: false, pacing: Pacing(), log: LogConfiguration(), isQuiet: true),
      in: TerminalState(), writeCapacity: 4_096)
    let ports = [port, other]
    for port in ports { port.log.configuration = configuration }
    bench.app.shareLogs()
    for port in ports { try port.log.start(at: nil) }
    try bench.app.beginSharedLogs()
    let path = folder.path.appending("all.jsonl")
    #expect(ports.map(\.model.state.log) == [path, path])
    #expect(try outcome(of: .log) == .done("the log \(path) is off for all 2 ports."))
    #expect(ports.map(\.model.state.log) == [nil, nil])
    #expect(try outcome(of: .log) == .done("logging 2 ports to \(path)."))
    #expect(ports.map(\.model.state.log) == [path, path])
    for port in ports { port.log.finish() }
  }
}
