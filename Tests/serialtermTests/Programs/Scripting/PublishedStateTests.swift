import EventLoop
import Posix
import SerialCore
import Sessions
import SystemPackage
import Telnet
import Terminal
import TerminalWidgets
import TestSupport
import Testing
import TextTools

@testable import serialterm

/// What is published of the state, as values.
@Suite(.timeLimit(.minutes(30))) struct PublishedValueTests {
  private static let max = Sharing.Person(id: 1, name: "max", answers: true)
  private static let tool = Sharing.Person(id: 4, name: "tool", answers: false)

  private func text(_ members: [(String, JSON)]?) -> String? {
    members.map { "\(JSON.object($0))" }
  }

  @Test func `A member that has joined knows its number, the pen, and who asks`() {
    var sharing = Sharing()
    (sharing.isJoined, sharing.memberID, sharing.others) = (true, 3, [Self.max, Self.tool])
    sharing.applicants = [Sharing.Applicant(person: Self.max, text: "reset")]
    #expect(
      text(PublishedPeople(sharing)?.members)
        == #"{"you":3,"pen":"mine","holder":3,"others":["#
        + #"{"id":1,"name":"max","program":false,"asks":true,"text":"reset"},"#
        + #"{"id":4,"name":"tool","program":true,"asks":false}],"asking":false,"may-take":true}"#)
  }

  @Test(
    arguments: [
      (.others(max), "other", "1"), (.free, "free", "null"), (.everyone, "everyone", "null"),
      (.nobody, "nobody", "null"), (.mine, "mine", "0"),
    ] as [(Sharing.Pen, String, String)])
  func `The pen has a word and a holder`(pen: Sharing.Pen, word: String, holder: String) {
    var sharing = Sharing()
    sharing.pen = pen
    #expect(
      text(PublishedPeople(sharing)?.members)
        == #"{"you":0,"pen":"\#(word)","holder":\#(holder),"others":[],"asking":false,"may-take":true}"#
    )
  }

  @Test func `Nothing is said of a session that has not reported its members`() {
    var sharing = Sharing()
    (sharing.isJoined, sharing.isJoining) = (true, true)
    #expect(PublishedPeople(sharing) == nil)
  }

  @Test func `A command has its reason with a code, its value, its users and its argument`() {
    var state = TerminalState()
    func json(_ command: Command) -> String { "\(PublishedCommand(command, in: state).json)" }
    #expect(
      json(LineParameters.parity.command)
        == #"{"name":"parity","title":"set the parity","enabled":false,"reason":"no device","#
        + #""code":"no-device","value":"none","key":"P","#
        + #""synonyms":["even","odd","mark parity","space"],"#
        + #""users":["person","script","page","agent"],"#
        + #""argument":"one of none, odd, even, mark, space","#
        + #""choices":["none","odd","even","mark","space"],"arguments":[{"name":"argument","#
        + #""kind":"choice","expected":"one of none, odd, even, mark, space","optional":false,"#
        + #""value":"none","choices":["none","odd","even","mark","space"]}]}"#)
    state.session = .open(.tty("/dev/ttyUSB0"), LineSettings())
    state.capabilities = [.breaks]
    #expect(
      json(Command.sendBreak.command)
        == #"{"name":"break","title":"send a break","enabled":true,"key":"b","#
        + #""synonyms":["serial break","sysrq","attention","interrupt"],"#
        + #""users":["person","script","page","agent"],"argument":"1 to 10000","#
        + #""arguments":[{"name":"argument","kind":"number","expected":"1 to 10000","#
        + #""optional":true,"unit":"ms","minimum":1,"maximum":10000}]}"#)
  }

  @Test func `The baud rate has usual values and free entry`() throws {
    var state = TerminalState()
    state.requestedSettings.baudRate = 12_345
    let argument = try #require(LineParameters.baud.command.argument)
    #expect(argument.kind == .number)
    #expect(argument.unit == "Bd")
    #expect(argument.value(state) == "12345")
    #expect(argument.choices(state)?.contains("921600") == true)
  }

  @Test func `The sequences of the configuration are choices, before those that are built in`() {
    var state = TerminalState()
    state.sequences = [NamedSequence("mine", LineSequence([.wait(.zero)]))]
    let choices = Command.sequence.command.argument?.choices(state)
    #expect(choices?.first == "mine")
    #expect(choices?.contains("esp32-run") == true)
  }

  @Test func `The commands are those of the palette, in its order, then those of programs`() {
    var state = TerminalState(isReadOnly: true, user: .script, screen: .none)
    state.session = .open(.tty("/dev/ttyUSB0"), LineSettings())
    let choices = CommandList.choices(in: state)
    let published = state.publishedCommands
    let requests = ProgramRequest.all.map(\.name)
    #expect(published.suffix(requests.count).map(\.name) == requests)
    #expect(Set(published.map(\.name)).count == published.count)
    #expect(Set(published.map(\.name)) == Set(choices.map(\.name) + requests))
    for choice in choices where !requests.contains(choice.name) {
      #expect(
        published.first { $0.name == choice.name }?.reason?.text == choice.refusal,
        "\(choice.name)")
    }
  }

  @Test func `A request of a program is off for the reasons of its conditions`() {
    var state = TerminalState(user: .page)
    func reason(_ request: ProgramRequest) -> Reason? {
      PublishedCommand(request, in: state).reason
    }
    #expect(reason(.send) == .noDevice)
    state.session = .open(.tty("/dev/ttyUSB0"), LineSettings())
    #expect(reason(.send) == nil)
    #expect(reason(.askForPen) == .alone)
    (state.sharing.others, state.sharing.pen) = ([Self.max], .others(Self.max))
    #expect(reason(.send) == .penOf("max"))
    #expect(reason(.askForPen) == nil)
    #expect(reason(.keepPen) == .penOf("max"))
    state.sharing.isAsking = true
    #expect(reason(.askForPen) == .asking)
    (state.sharing.pen, state.sharing.isAsking) = (.mine, false)
    #expect(reason(.askForPen) == .hasPen)
    #expect(reason(.keepPen) == .notAsked)
    #expect(reason(.givePen) == nil)
    state.sharing.applicants = [Sharing.Applicant(person: Self.max, text: nil)]
    #expect(reason(.keepPen) == nil)
    #expect(reason(.stopLog) == .notFor(.page))
    state.user = .script
    #expect(reason(.stopLog) == .noLog)
    #expect(reason(.plot) == .noNumbers)
  }

  @Test func `A page gets no command that touches files, starts programs or changes the view`() {
    var state = TerminalState(user: .page)
    state.snippets = [Snippet(name: "login", text: Array("root".utf8))]
    state.sequences = [NamedSequence("mine", LineSequence([.wait(.zero)]))]
    let allowed = state.commands.filter { $0.users.contains(.page) }.map(\.name)
    #expect(
      Set(allowed) == [
        "baud", "data-bits", "parity", "stop-bits", "flow", "break", "toggle-line", "pulse-line",
        "sequence", "lines", "mark", "who", "name", "statistics", "stop", "take-pen",
        "repeat",
        "snippet: login", "sequence: mine",
      ])
    let requests = ProgramRequest.all.filter { $0.users.contains(.page) }
    #expect(
      Set(requests.map(\.name)) == [
        "send", "send-file", "plot", "read-log", "ask-pen", "give-pen", "keep-pen", "return-pen",
      ])
    // The server gives it for an upload, and refuses it from a page.
    #expect(
      requests.filter { $0.arguments.contains { $0.kind == .file } }.map(\.name) == ["send-file"])
    for command in state.commands where !command.users.contains(.page) {
      #expect(command.needs.unmet(in: state) == .notFor(.page), "\(command.name)")
    }
  }

  @Test func `A snippet has its name as title, its reason, and no text for pages`() {
    var state = TerminalState(user: .page)
    state.snippets = [Snippet(name: "login", text: Array("secret".utf8), key: "1")]
    func json() -> String? {
      state.publishedCommands.first { $0.name == "snippet: login" }.map { "\($0.json)" }
    }
    #expect(
      json()
        == #"{"name":"snippet: login","title":"snippet: login","enabled":false,"#
        + #""reason":"no device","code":"no-device","key":"1","#
        + #""synonyms":["login","snippet","send text","macro","canned text"],"users":["person","script","page"]}"#
    )
    state.user = .script
    #expect(json()?.contains(#""value":"secret\\r""#) == true)
    state.session = .open(.tty("/dev/ttyUSB0"), LineSettings())
    (state.sharing.others, state.sharing.pen) = ([Self.max], .others(Self.max))
    #expect(json()?.contains(#""reason":"max has the pen","code":"pen-held""#) == true)
    state.user = .agent
    #expect(json()?.contains(#""code":"not-for-agents""#) == true)
  }

  @Test func `What is repeated is published, and the snippets that can be`() throws {
    var state = TerminalState()
    state.session = .open(.tty("/dev/ttyUSB0"), LineSettings())
    #expect(Command.repeatText.command.argument?.choices(state) == nil)
    state.snippets = [Snippet(name: "login", text: Array("secret".utf8))]
    #expect(Command.repeatText.command.argument?.choices(state) == ["1s snippet: login"])
    #expect(PublishedCommand(Command.stop, in: state).reason == .nothingRuns)
    state.repeating = Repetition(text: "status", interval: .seconds(1), count: 20, doneCount: 3)
    let record = try #require(state.publishedCommands.first { $0.name == "repeat" })
    #expect("\(record.json)".contains(#""value":"\"status\" every 1 s, 3 of 20""#))
    // A record for programs has no count, so that a count does not change it.
    state.user = .script
    let shown = state.publishedCommands
    #expect(shown.contains { "\($0.json)".contains(#""value":"\"status\" every 1 s""#) })
    state.repeating?.doneCount = 4
    #expect(state.publishedCommands == shown)
    #expect(PublishedCommand(Command.stop, in: state).reason == nil)
  }

  @Test func `Codes are words, and each has one meaning`() {
    var texts: [String: Set<String>] = [:]
    for user in UserKind.allCases {
      for situation in NeedTests.Situation.allCases {
        var state = situation.state
        state.user = user
        for command in state.publishedCommands {
          guard let reason = command.reason else { continue }
          texts[reason.code, default: []].insert(reason.text)
          #expect(reason.code.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, "\(reason.code)")
        }
      }
    }
    // Who may not write may also not take the pen: the same cause in two sentences.
    #expect(texts.filter { $0.value.count > 1 }.map(\.key) == ["nobody-writes"])
  }

  @Test func `The state of a joined session is that of the far port`() {
    var state = TerminalState()
    func shown() -> String? {
      text(PublishedPortState(ofJoined: state, farPort: "/dev/ttyUSB0")?.members)
    }
    (state.sharing.isJoined, state.sharing.isJoining) = (true, true)
    let endpoint = Endpoint(.session, "/dev/ttyUSB0 (session 1)")
    state.session = .opening(endpoint, after: nil)
    #expect(shown() == nil)
    state.session = .open(endpoint, LineSettings(baudRate: 9600))
    state.capabilities = [.settings]
    #expect(shown() == nil)
    state.sharing.isJoining = false
    #expect(
      shown()
        == #"{"state":"open","node":"/dev/ttyUSB0","settings":"9600 8N1","features":["settings"]}"#
    )
    state.sharing.portTrouble = .waiting
    #expect(shown() == #"{"state":"waiting","node":"/dev/ttyUSB0"}"#)
    state.sharing.portTrouble = .released
    #expect(shown() == #"{"state":"released","node":"/dev/ttyUSB0"}"#)
    state.session = .closed(nil)
    #expect(shown() == #"{"state":"closed","node":"/dev/ttyUSB0"}"#)
    #expect(
      text(PublishedPortState(ofJoined: state, farPort: "loopback:")?.members)
        == #"{"state":"closed","node":null}"#)
  }
}

/// Observes what a ``PublishedState`` publishes of a port with a fake link.
@Suite(.timeLimit(.minutes(30))) struct PublishedStateTests {
  private final class Program {
    let bench: PortBench
    var isCrowded = false
    private(set) var events: [(part: PublishedState.Part, json: JSON)] = []
    private(set) lazy var published = PublishedState(
      of: bench.port, on: bench.loop, isCrowded: { [unowned self] in isCrowded }
    ) { [unowned self] in events.append(($0, .object($1))) }

    private let pipe: (readEnd: FileDescriptor, writeEnd: FileDescriptor)

    init(_ clock: TestClock? = nil) throws {
      pipe = try FileDescriptor.pipe()
      bench = try PortBench(polling: pipe.readEnd, clock: clock)
    }

    deinit {
      for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() }
    }

    func turn() throws { try bench.loop.turn(waitingAtMost: .zero) }

    func unplug() throws {
      bench.port.session.handle(.hungUp)
      try turn()
    }

    func plug() throws {
      bench.port.session.deviceDidReturn(at: .tty("/dev/ttyTEST"))
      try turn()
    }

    /// Takes the events since the last call.
    func take() -> [(part: PublishedState.Part, json: JSON)] {
      defer { events = [] }
      return events
    }

    /// The reasons of the commands in the events since the last call.
    func takeReasons() -> [String: String] {
      var reasons: [String: String] = [:]
      for (part, json) in take() where part == .commands {
        guard case .array(let commands)? = json["commands"] else { continue }
        for command in commands {
          reasons[command["name"]?.string ?? ""] = command["reason"]?.string ?? "on"
        }
      }
      return reasons
    }
  }

  @Test func `All commands come at once, then only those that change`() throws {
    let program = try Program()
    program.published.begin([.commands])
    let all = program.takeReasons()
    #expect(all.count == program.bench.port.model.state.publishedCommands.count)
    #expect(all["break"] == "on")
    try program.unplug()
    let changed = program.takeReasons()
    #expect(changed["break"] == "no device")
    #expect(changed["who"] == nil)
    try program.plug()
    #expect(program.takeReasons()["break"] == "on")
    // A change that concerns no command is not published.
    program.bench.port.model.update { $0.isHeld.toggle() }
    try program.turn()
    #expect(program.take().isEmpty)
  }

  @Test func `Several changes of a turn are one event`() throws {
    let program = try Program()
    program.published.begin([.commands])
    _ = program.take()
    program.bench.port.model.update { $0.isReadOnly = true }
    program.bench.port.model.update { $0.isReadOnly = false }
    program.bench.port.model.update { $0.isReadOnly = true }
    try program.turn()
    #expect(program.events.count == 1)
    #expect(program.takeReasons()["break"] == "read-only")
  }

  @Test func `A count of a repetition is published four times a second, and in no command`() throws
  {
    let clock = TestClock()
    let program = try Program(clock)
    let model = program.bench.port.model
    func counts() -> [Int?] {
      program.take().map { $0.part == .repetition ? $0.json["sent"]?.integer : -1 }
    }
    model.update { $0.user = .script }
    program.published.begin([.commands, .repetition])
    #expect(counts() == [-1, nil])
    model.update { $0.repeating = Repetition(text: "a", interval: .milliseconds(1), count: nil) }
    try program.turn()
    #expect(counts() == [-1, 0])
    for _ in 0..<1_000 {
      clock.advance(by: .milliseconds(1))
      model.update { $0.repeating?.doneCount += 1 }
      try program.turn()
    }
    #expect(counts() == [250, 500, 750, 1_000])
    // A program that does not read gets the newest one later.
    program.isCrowded = true
    for _ in 0..<500 {
      clock.advance(by: .milliseconds(1))
      model.update { $0.repeating?.doneCount += 1 }
      try program.turn()
    }
    program.isCrowded = false
    program.published.resume()
    try program.turn()
    #expect(counts() == [1_500])
    model.update { $0.repeating?.doneCount += 1 }
    // Anything else is published at once, and leaves the count alone.
    model.update { $0.isReadOnly = true }
    try program.turn()
    #expect(counts() == [-1])
    model.update { $0.repeating = nil }
    try program.turn()
    #expect(counts() == [-1, nil])
  }

  @Test func `A program that does not read gets the newest state later`() throws {
    let program = try Program()
    program.published.begin([.commands])
    _ = program.take()
    program.isCrowded = true
    for _ in 0..<5 {
      program.bench.port.model.update { $0.isReadOnly.toggle() }
      try program.turn()
    }
    #expect(program.take().isEmpty)
    program.isCrowded = false
    program.published.resume()
    try program.turn()
    #expect(program.events.count == 1)
    #expect(program.takeReasons()["break"] == "read-only")
  }

  @Test func `Lines are published when they are known, and again after an unplug`() throws {
    let program = try Program()
    program.published.begin([.lines])
    #expect(program.take().map { "\($0.json)" }.count == 1)
    try program.unplug()
    #expect(program.take().isEmpty)
    try program.plug()
    #expect(program.take().map(\.part) == [.lines])
  }

  @Test func `A second watch replaces the first`() throws {
    let program = try Program()
    program.published.begin([.commands])
    _ = program.take()
    program.published.begin([.people])
    #expect(program.take().map(\.part) == [.people])
    program.bench.port.model.update { $0.isReadOnly = true }
    try program.turn()
    #expect(program.takeReasons().isEmpty)
    program.published.begin([])
    #expect(program.take().isEmpty)
  }
}
