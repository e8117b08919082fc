import EventLoop
import NetworkLinks
import Observing
import SerialCore
import SystemPackage
import Telnet
import TestSupport
import Testing

@testable import Sessions
@testable import serialterm

/// The reasons of the owner of a session are those of its members.
@Suite(.timeLimit(.minutes(30))) struct RefusalReasonsTests {
  private static let port = Endpoint.tty("/dev/ttyUSB0")
  private static let error = SerialError(.lost, in: "read", at: port)

  /// The states of an owner.
  enum Owner: CaseIterable {
    case usual, pseudoTerminal, withoutSettings, readOnly, tapped, sending, playing
    case closed, opening, waiting, released

    var state: TerminalState {
      var state = TerminalState()
      state.session = .open(port, LineSettings())
      state.capabilities = [.settings, .breaks, .modemLines, .counters]
      switch self {
      case .usual: break
      case .pseudoTerminal: state.capabilities = [.settings, .backPressure]
      case .withoutSettings: state.capabilities = [.backPressure]
      case .readOnly: state.isReadOnly = true
      case .tapped: (state.tapWords, state.isReadOnly) = (["tap", "a", "b"], true)
      case .sending: state.exchange = .file("image.bin")
      case .playing: state.playing = "esp32"
      case .closed: (state.session, state.capabilities) = (.closed(nil), [])
      case .opening: (state.session, state.capabilities) = (.opening(port, after: nil), [])
      case .waiting:
        (state.session, state.capabilities) = (.waitingForDevice(port, .lost(error)), [])
      case .released: (state.session, state.capabilities) = (.released(port), [])
      }
      return state
    }

    /// Whether no member may write.
    var isReadOnly: Bool { self == .readOnly || self == .tapped }
  }

  /// The state of a member with the pen. The messages pass as bytes.
  ///
  /// - Parameter isOlder: whether the owner's program does not send its reasons.
  private func member(
    of owner: TerminalState, rule: SharingMessage.PenRule = .one, isOlder: Bool = false
  ) throws -> TerminalState {
    let endpoint = Endpoint(.session, "1:0")
    let loop = try IOLoop()
    let link = NetworkLink(
      to: endpoint, at: .host(HostAddress(host: "127.0.0.1", port: 1)), speaking: .rfc2217,
      options: LinkOptions(), on: loop)
    let remote = RemoteSharing(of: link, isJoined: true, news: Observable())
    let reasons = SharingMessage.Subject.refusals(in: owner)
    let refusals = SharingMessage.Subject.allCases.map {
      SharingMessage.refusal($0, code: reasons[$0]?.code ?? "", text: reasons[$0]?.text ?? "")
    }
    let messages: [SharingMessage] =
      [.joined(1, mayTake: true, rule), .pen(1, .taken)] + (isOlder ? [] : refusals)
      + [.port(SharingMessage.PortState(owner.session), name: "board")]
    for message in messages {
      link.sharingMessages.notify(try #require(SharingMessage(message.bytes)))
    }
    var state = TerminalState()
    state.session = .open(endpoint, LineSettings())
    state.capabilities = [.settings, .breaks, .modemLines, .counters, .networkTiming]
    state.sharing = remote.sharing
    return state
  }

  /// The commands about the line that an owner and a member have both.
  private static let commands = Command.all.filter { command in
    let needs = Set(command.needs)
    return !needs.isDisjoint(with: about)
      && needs.isDisjoint(with: [.user, .ownSession, .others, .untapped])
  }

  @Test(arguments: Owner.allCases) func `A member has the owner's reasons, word for word`(
    owner: Owner
  ) throws {
    let state = owner.state
    let member = try member(of: state, rule: owner.isReadOnly ? .none : .one)
    #expect(Self.commands.count > 12)
    for command in Self.commands {
      let reason = command.needs.unmet(in: state)
      // The owner may still change the settings of the line.
      let isForHolders = owner.isReadOnly && command.needs.contains(.pen)
      #expect(
        command.needs.unmet(in: member)
          == reason ?? (isForHolders ? Need.sending.unmet(in: state) : nil),
        "\(command.name), \(owner)")
    }
    // The table has something to compare.
    let off = Self.commands.filter { $0.needs.unmet(in: state) != nil }.count
    #expect(owner == .usual || off > 0)
  }

  @Test func `The reasons are those that people read`() throws {
    func text(_ name: String, _ owner: Owner) throws -> String? {
      let command = try #require(Command.all.first { $0.name == name })
      return command.needs.unmet(
        in: try member(of: owner.state, rule: owner.isReadOnly ? .none : .one))?.text
    }
    #expect(try text("break", .pseudoTerminal) == "this port has no break")
    #expect(try text("lines", .pseudoTerminal) == "this port has no modem lines")
    #expect(try text("send-file", .sending) == "image.bin is being sent")
    #expect(try text("sequence", .playing) == "esp32 is playing")
    #expect(try text("break", .readOnly) == "read-only")
    #expect(try text("pen", .readOnly) == "read-only")
    #expect(try text("baud", .tapped) == "a tap sends nothing")
    #expect(try text("break", .opening) == "the port is opening")
    #expect(try text("break", .usual) == nil)
  }

  @Test func `A member reads the log that its owner shares, and has the owner's reasons`() throws {
    let request = ProgramRequest.readLog
    var owner = Owner.usual.state
    func expect(
      _ code: String?, isOlder: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      var member = try member(of: owner, isOlder: isOlder)
      // Its own log is another one.
      (member.log, member.ownLog, member.user) = ("own.log", "own.log", .page)
      #expect(request.needs.unmet(in: member)?.code == code, sourceLocation: sourceLocation)
    }
    try expect("log-not-shared")
    // Its own program may read it.
    owner.user = .script
    #expect(request.needs.unmet(in: owner) == .noLog)
    (owner.log, owner.ownLog) = ("board.log", "board.log")
    #expect(request.needs.unmet(in: owner) == nil)
    (owner.log, owner.ownLog) = ("all.log", nil)
    #expect(request.needs.unmet(in: owner) == .logOfSeveralPorts)
    try expect("log-not-shared")
    owner.sharesLog = true
    try expect("several-ports")
    owner.log = nil
    try expect("no-log")
    (owner.log, owner.ownLog) = ("board.log", "board.log")
    try expect(nil)
    try expect("log-not-shared", isOlder: true)
    // The log stays when the device is gone.
    owner.session = .waitingForDevice(Self.port, .lost(Self.error))
    try expect(nil)
    var lost = try member(of: owner)
    (lost.user, lost.session) = (.page, .waitingForDevice(Self.port, .lost(Self.error)))
    #expect(request.needs.unmet(in: lost) == .ending)
    // A session that was joined has members, too: the log is not its own.
    owner.sharing.isJoined = true
    try expect("joined")
  }

  @Test func `Where a session was started so that nobody may write, a member only watches`() throws
  {
    let member = try member(of: Owner.usual.state, rule: .none)
    #expect(Need.toSend.unmet(in: member) == .mayOnlyWatch)
    #expect(Need.movablePen.unmet(in: member) == .nobodyWrites)
  }

  @Test func `An older session's member has the reason of the state of the port`() throws {
    let member = try member(of: Owner.waiting.state, isOlder: true)
    #expect(Need.openPort.unmet(in: member) == .noDevice)
    #expect(
      Need.openPort.unmet(in: try self.member(of: Owner.usual.state, isOlder: true)) == nil)
  }

  @Test(
    arguments: [
      ("blown-fuse", "the fuse is out", "blown-fuse", "the fuse is out"),
      ("Blown", "the fuse is out", "refused", "the fuse is out"),
      ("-", "the fuse is out", "refused", "the fuse is out"),
      ("blown", "", "refused", "the owner of the session refuses it"),
    ])
  func `What an owner says is a word and a text`(
    code: String, text: String, shownCode: String, shownText: String
  ) {
    var state = Owner.usual.state
    state.sharing.refusals[.sending] = Sharing.Refusal(code: code, text: text)
    #expect(Need.sending.unmet(in: state) == Reason(shownCode, shownText))
  }

  @Test func `When the link is lost, the owner's reasons do not hold any more`() throws {
    var member = try member(of: Owner.pseudoTerminal.state)
    member.session = .waitingForDevice(Self.port, .lost(Self.error))
    #expect(Need.openPort.unmet(in: member) == .noDevice)
    #expect(Need.sending.unmet(in: member) == nil)
    member.session = .released(Self.port)
    #expect(Need.openPort.unmet(in: member) == .released)
  }

  @Test func `A member of a member has the same reasons`() throws {
    for owner in Owner.allCases {
      let member = try member(of: owner.state, rule: owner.isReadOnly ? .none : .one)
      var refusals = SharingMessage.Subject.refusals(in: owner.state)
      // The log of the owner is for its own members.
      refusals[.sharedLog] = .init(code: "joined", text: "joined session")
      #expect(SharingMessage.Subject.refusals(in: member) == refusals)
    }
  }

  // MARK: The owner's port

  @Test func `The session's members are refused as soon as its state changes`() throws {
    let bench = try PortBench()
    let sharing = bench.port.controller.sharing
    #expect(sharing.refusals == [.sharedLog: .logNotShared])
    bench.port.model.update {
      ($0.isReadOnly, $0.sharesLog, $0.log, $0.ownLog) = (true, true, "a", "a")
    }
    #expect(sharing.refusals == [.sending: .init(code: "read-only", text: "read-only")])
    bench.port.model.update { $0.isReadOnly = false }
    bench.link.tell(
      .featuresChanged(LineProbe(modemLines: nil, counters: nil, hasBreaks: false)))
    #expect(Set(sharing.refusals.keys) == [.breaks, .modemLines])
    #expect(bench.port.model.state.modemLines == nil)
    #expect(bench.port.model.state.capabilities == .settings)
    bench.port.session.close()
    #expect(sharing.refusals[.openPort]?.code == "no-device")
  }

  @Test func `Nothing is refused any more when the end of a sequence is answered`() throws {
    let bench = try PortBench()
    let sharing = bench.port.controller.sharing
    var atEnd: String? = "not ended"
    bench.port.sequences.play(try LineSequence(parsing: "rts=off,wait=1"), named: "esp32") { _ in
      atEnd = sharing.refusals[.noSequence]?.text
    }
    #expect(sharing.refusals[.noSequence]?.text == "esp32 is playing")
    bench.port.sequences.stop()
    #expect(atEnd == nil && Set(sharing.refusals.keys) == [.sharedLog])
  }
}

extension RefusalReasonsTests {
  /// The needs whose reasons the members get.
  fileprivate static let about: Set<Need> = [
    .openPort, .sending, .settings, .breaks, .modemLines, .noExchange, .noSequence,
  ]
}
