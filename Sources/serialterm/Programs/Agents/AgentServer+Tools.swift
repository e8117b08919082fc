import DeviceWatch
import EventLoop
import Logs
import ModelContext
import Observing
import Patterns
import Reconnecting
import Scrollback
import SerialCore
import Sessions
import SystemPackage
import Telnet
import TextTools
import Time

/// What the tools do.
extension AgentServer {
  // MARK: What there is

  private func devices() throws(AgentMistake) -> [Device] {
    do throws(Errno) {
      return try app.devices.current()
    } catch {
      throw AgentMistake("the devices cannot be listed: \(error)")
    }
  }

  func listPorts(_ call: AgentCall) throws(AgentMistake) {
    let present = try devices().filter(\.hasHardware)
    call.start(
      AgentInquiry(of: "the users of the ports", for: call, { [holders] in holders.ask($0) }) {
        holders in
        let ports = present.map { device in
          AgentPage.Entry(
            of: "ports", device.json(holder: holders[device.node]).harmless,
            "\(device.node.string.harmless): \(device.summary)"
              + (holders[device.node].map {
                ", in use by \($0.command.harmless) (pid \($0.pid))"
              } ?? ""))
        }
        let page = AgentPage(of: ports, from: call.arguments.number("first"))
        call.finish(
          .done(
            page.members("ports"),
            text: ports.isEmpty
              ? "No serial device is present. loopback:board is a simulated board."
              : page.texts.joined(separator: "\n")))
      })
  }

  private func findSessions(
    for call: AgentCall, isAwaited: Bool, then done: @escaping ([RunningSession]) throws -> Void
  ) {
    call.start(
      AgentInquiry(
        of: "the sessions of people", for: call, isAwaited: isAwaited,
        { [people] in people.ask($0) }, then: done))
  }

  func listSessions(_ call: AgentCall) {
    findSessions(for: call, isAwaited: true) { [unowned self] running in
      let all =
        running.map { AgentPage.Entry(of: "sessions", $0.json.harmless, $0.line.harmless) }
        + sessions.map {
          AgentPage.Entry(
            of: "own", JSON.object(members(of: $0)).harmless,
            "\($0.id): \($0.portName), \($0.state), of this server".harmless)
        }
      let page = AgentPage(of: all, from: call.arguments.number("first"))
      let lines = (running.isEmpty ? ["No person has a session open."] : []) + page.texts
      call.finish(
        .done(page.members("sessions", "own"), text: lines.joined(separator: "\n")))
    }
  }

  // MARK: Opening

  func open(_ call: AgentCall) {
    findSessions(for: call, isAwaited: false) { [unowned self] in
      let session = try session(for: call, among: $0)
      call.start(AgentOpening(session, for: call, in: self))
    }
  }

  /// Adds the session that a call opens or joins.
  private func session(
    for call: AgentCall, among running: [RunningSession]
  ) throws(AgentMistake) -> AgentSession {
    let name = call.arguments.text("target") ?? ""
    let present = (try? devices()) ?? []
    if let joined = Self.session(named: name, among: running, present) {
      if let refusal = rules.refusal(of: joined, among: present) { throw AgentMistake(refusal) }
      let configuration = SessionConfiguration(
        target: .endpoint(joined.endpoint), settings: LineSettings(), linkOptions: LinkOptions(),
        onOpen: nil, reconnects: false, waitsForAbsentDevice: false, pacing: Pacing(),
        log: rules.log, isQuiet: true)
      return try add(configuration, joining: joined)
    }
    let target: Target
    do throws(Failure) {
      target = try Target(named: name, in: ProfileFile(nil), among: app.devices)
    } catch {
      throw AgentMistake(error.message)
    }
    if let refusal = rules.refusal(of: target, among: present) { throw AgentMistake(refusal) }
    let change = try settingsChange(of: call)
    var linkOptions = LinkOptions()
    linkOptions.admission = rules.admission
    let configuration = SessionConfiguration(
      target: target, settings: change?.applied(to: LineSettings()) ?? LineSettings(),
      linkOptions: linkOptions, onOpen: nil, reconnects: true,
      waitsForAbsentDevice: call.arguments.flag("wait"), pacing: Pacing(), log: rules.log,
      isQuiet: true)
    return try add(configuration, joining: nil)
  }

  /// The session of a person that has a port.
  private static func session(
    named name: String, among running: [RunningSession], _ devices: [Device]
  ) -> RunningSession? {
    if let session = running.first(where: { $0.fits(name) }) { return session }
    guard let target = try? Target(parsing: name),
      case .device(let device, _) = ResolvedTarget(target, among: { devices })
    else { return nil }
    return running.first { $0.fits(device.node.string) }
  }

  private func settingsChange(of call: AgentCall) throws(AgentMistake) -> SettingsChange? {
    do throws(JSONCommand.Mistake) {
      return try JSONCommand.settings(in: call.settingsJSON)
    } catch {
      throw AgentMistake("\(error)")
    }
  }

  /// The result of opening.
  func opened(_ session: AgentSession) -> AgentCall.Outcome {
    var members: [(String, JSON)] = [
      ("session", .string(session.id)), ("port", .string(session.portName)),
      ("joined", .bool(session.joined != nil)), ("state", .string(session.state)),
    ]
    if let reason = session.waitReason { members.append(("reason", .string(reason))) }
    if let settings = session.settings { members.append(("settings", .string(settings))) }
    members += [
      ("may_write", .bool(rules.mayWrite)),
      ("next_offset", .integer(session.scrollback.addedByteCount)),
    ]
    let whose =
      session.joined != nil ? ", the session of a person, joined as \(agentName.text)" : ""
    let writing = rules.mayWrite ? "" : " Read only: the server was started without --write."
    return .done(
      members,
      text:
        "\(session.id) is \(session.portName), \(session.state)\(session.waitReason.map { ": \($0)" } ?? "")"
        + "\(whose).\(writing)")
  }

  // MARK: Bytes

  func read(_ call: AgentCall) throws(AgentMistake) {
    let session = try session(of: call)
    var order = try readOrder(of: call, from: session.readOffset)
    if let offset = call.arguments.number("offset") { order.offset = offset }
    let available = session.scrollback.addedByteCount
    guard order.offset <= available else {
      throw AgentMistake("offset: only \(available) bytes were received")
    }
    call.start(AgentRead(order, of: session, for: call, by: searcher, on: loop))
  }

  private func readOrder(
    of call: AgentCall, from offset: Int
  ) throws(AgentMistake) -> AgentRead.Order {
    var order = AgentRead.Order(offset: offset)
    if let text = call.arguments.text("pattern") {
      do throws(ExpectedPattern.ParsingError) {
        order.pattern = try ExpectedPattern.regex(text)
      } catch {
        throw AgentMistake("pattern: \(error)")
      }
    }
    if let limit = call.arguments.number("max_bytes") { order.limit = limit }
    if let timeout = call.arguments.duration("timeout") { order.timeout = timeout }
    if let linger = call.arguments.duration("linger") { order.silence = linger }
    return order
  }

  func write(_ call: AgentCall) throws(AgentMistake) {
    let session = try session(of: call)
    let bytes = try bytes(of: call)
    send(bytes, to: session, for: call) { offset in
      let count = bytes.count
      let text =
        "\(count.counted("byte")) sent to \(session.portName). Read from offset \(offset)."
      call.finish(
        .done(
          [
            ("session", .string(session.id)), ("sent", .integer(count)),
            ("next_offset", .integer(offset)),
          ], text: text))
    }
  }

  func transact(_ call: AgentCall) throws(AgentMistake) {
    let session = try session(of: call)
    let bytes = try bytes(of: call)
    var order = try readOrder(of: call, from: 0)
    send(bytes, to: session, for: call) { [loop, searcher] in
      order.offset = $0
      // The time for the answer begins now.
      call.start(AgentRead(order, of: session, for: call, by: searcher, on: loop))
    }
  }

  private func send(
    _ bytes: [UInt8], to session: AgentSession, for call: AgentCall,
    then done: @escaping (_ offset: Int) -> Void
  ) {
    session.inTurn(call) { [loop, asks = rules.asks] in
      call.start(AgentWrite(bytes, asking: asks, to: session, for: call, on: loop, then: done))
    }
  }

  private func bytes(of call: AgentCall) throws(AgentMistake) -> [UInt8] {
    let bytes: [UInt8]
    switch (call.arguments.text("text"), call.arguments.text("hex")) {
    case (let text?, nil):
      let ending: [UInt8] =
        switch call.arguments.text("line_ending") ?? "cr" {
        case "cr": [UInt8(ascii: "\r")]
        case "lf": [UInt8(ascii: "\n")]
        case "crlf": Array("\r\n".utf8)
        default: []
        }
      bytes = Array(text.utf8) + ending
    case (nil, let hex?):
      do throws(HexTextError) {
        bytes = try HexText.parse(hex)
      } catch {
        throw AgentMistake("hex: \(error)")
      }
    case (.some, .some), (nil, nil): throw AgentMistake("either text or hex is needed")
    }
    guard !bytes.isEmpty else { throw AgentMistake("there is nothing to send") }
    guard bytes.count <= JSONCommand.largestPiece else {
      throw AgentMistake("too much at once: \(JSONCommand.largestPiece) bytes at most")
    }
    return bytes
  }

  // MARK: The line

  func setLine(_ call: AgentCall) throws(AgentMistake) {
    try perform(call, .object([("command", .string("set"))] + call.settingsMembers))
  }

  func pulse(_ call: AgentCall) throws(AgentMistake) {
    let line: ModemLines = call.arguments.text("line") == "rts" ? .rts : .dtr
    let length = call.arguments.number("milliseconds").map { Duration.milliseconds($0) }
    let pulse = LinePulse(line, for: length ?? LineCommands.pulseLength)
    try perform(call) { Command.pulseLine.perform(pulse, $0) }
  }

  func sendBreak(_ call: AgentCall) throws(AgentMistake) {
    let length = call.arguments.json["milliseconds"].map { [("milliseconds", $0)] } ?? []
    try perform(call, .object([("command", .string("break"))] + length))
  }

  func mark(_ call: AgentCall) throws(AgentMistake) {
    let note = call.arguments.text("note") ?? ""
    let session = try session(of: call)
    Command.mark.command.perform(commandCall(call, at: session, argument: note))
  }

  /// Performs a command of the JSON interface, so that its refusals are the same.
  private func perform(_ call: AgentCall, _ json: JSON) throws(AgentMistake) {
    let command: JSONCommand
    do throws(JSONCommand.Mistake) {
      command = try JSONCommand(json)
    } catch {
      throw AgentMistake("\(error)")
    }
    guard case .perform(let action, _, _) = command else { return }
    try perform(call, action)
  }

  private func perform(
    _ call: AgentCall, _ action: @escaping (CommandCall) -> Void
  ) throws(AgentMistake) {
    let session = try session(of: call)
    session.inTurn(call) { [unowned self] in action(commandCall(call, at: session)) }
  }

  private func commandCall(
    _ call: AgentCall, at session: AgentSession, argument: String? = nil
  ) -> CommandCall {
    CommandCall(from: .json, at: session.port, argument: argument) { outcome in
      if let refusal = outcome.refusal { return call.fail(refusal) }
      call.finish(
        .done(
          [("session", .string(session.id)), ("message", .string(outcome.message.harmless))],
          text: outcome.message.isEmpty ? "Done." : outcome.message.harmless))
    }
  }

  // MARK: Searching

  func search(_ call: AgentCall) throws(AgentMistake) {
    call.start(try AgentSearch(of: session(of: call), for: call, by: searcher))
  }

  // MARK: Facts

  func status(_ call: AgentCall) throws(AgentMistake) {
    let members = members(of: try session(of: call))
    let lines = members.map { name, value in "\(name): \(value.string ?? "\(value)")" }
    call.finish(.done(members, text: lines.joined(separator: "\n")))
  }

  private func members(of session: AgentSession) -> [(String, JSON)] {
    let port = session.port
    let sharing = port.model.state.sharing
    let pen =
      switch sharing.pen {
      case .mine: "you"
      case .free: "free"
      case .everyone: "everyone"
      case .nobody: "nobody"
      case .others(let person): person.name
      }
    var members: [(String, JSON)] = [
      ("session", .string(session.id)), ("state", .string(session.state)),
      ("port", .string(session.portName)), ("joined", .bool(session.joined != nil)),
    ]
    if let reason = session.waitReason { members.append(("reason", .string(reason))) }
    if let settings = session.settings { members.append(("settings", .string(settings))) }
    let state = port.model.state
    if let lines = state.modemLines { members.append(("lines", .string("\(lines)"))) }
    if let counters = port.session.counters {
      members.append(("counters", .object(counters.members)))
    }
    members += [
      ("features", state.capabilities.json), ("off", .array(AgentTool.off(in: state))),
      ("pen", .string(pen)), ("others", .array(sharing.others.map { .string($0.name) })),
      ("received", .integer(session.scrollback.addedByteCount)),
      ("first_offset", .integer(session.scrollback.droppedByteCount)),
      ("read", .integer(session.readOffset)), ("missed", .integer(session.missedCount)),
      ("sent", .integer(port.statistics.sentCount)),
      ("unsent", .integer(port.statistics.unsentCount)),
      ("losses", .integer(port.statistics.lossCount)),
      ("logs", .array(port.log.paths.map { .string($0.string.harmless) })),
    ]
    if let end = session.end { members.append(("end", .string(end.harmless))) }
    return members
  }

  func diagnose(_ call: AgentCall) throws(AgentMistake) {
    let present = try devices()
    let target: DiagnosisTarget
    do throws(Failure) {
      var named: Target?
      if let text = call.arguments.text("target") {
        named = try Target(named: text, in: ProfileFile(nil), among: app.devices)
      }
      target = try DiagnosisTarget(named, among: present)
    } catch {
      throw AgentMistake(error.message)
    }
    if case .remote = target {
      throw AgentMistake("only ports of this computer can be diagnosed here")
    }
    call.start(
      AgentInquiry(
        of: "the causes", for: call,
        { [inspector] in
          inspector.perform(.late, { { _ in Self.findings(present, target) } }, onResult: $0)
        }
      ) { findings in
        let entries = findings.map { finding in
          let port = finding.port.map { "\($0.string): " } ?? ""
          let lines = [port + finding.what, finding.why] + finding.fixes.map { "fix: \($0)" }
          return AgentPage.Entry(
            of: "findings", finding.json.harmless,
            lines.map(\.harmless).joined(separator: "\n"))
        }
        let page = AgentPage(of: entries, from: call.arguments.number("first"))
        call.finish(
          .done(
            page.members("findings"),
            text: findings.isEmpty
              ? "Nothing is wrong." : page.texts.joined(separator: "\n\n")))
      })
  }

  private static func findings(
    _ present: [Device], _ target: DiagnosisTarget
  ) -> [Finding] {
    Diagnosis.findings(in: Inspector(devices: present).inspection(of: target))
  }

  // MARK: Lending

  func release(_ call: AgentCall) throws(AgentMistake) {
    let state = try session(of: call).port.model.state
    if let reason = Need.changing.unmet(in: state) { throw AgentMistake(reason.text) }
    try lend(.release, for: call)
  }

  func takeBack(_ call: AgentCall) throws(AgentMistake) { try lend(.takeBack, for: call) }

  private func lend(
    _ direction: AgentLending.Direction, for call: AgentCall
  ) throws(AgentMistake) {
    let session = try session(of: call)
    session.inTurn(call) { [loop] in
      call.start(AgentLending(direction, of: session, for: call, on: loop))
    }
  }

  func close(_ call: AgentCall) throws(AgentMistake) {
    let session = try session(of: call)
    let text =
      session.joined == nil ? "\(session.portName) is closed." : "Left \(session.portName)."
    remove(session)
    call.finish(.done([("session", .string(session.id))], text: text))
  }
}

extension AgentSession {
  /// The settings of the line as text; nil if it has none, or if they are not known.
  var settings: String? {
    guard case .open(_, let settings) = port.session.state,
      port.session.capabilities.contains(.settings)
    else { return nil }
    return "\(settings)"
  }
}

extension RunningSession {
  /// The session as a line.
  fileprivate var line: String {
    let since = Timestamp(seconds: summary.since, microseconds: 0).minute
    let others = summary.others.isEmpty ? "" : ", others: \(summary.others.joined(separator: ", "))"
    return "\(pid): \(summary.port), \(summary.command) since \(since), "
      + "pen: \(summary.holder ?? "nobody")\(others)"
  }
}

extension AgentTool {
  /// The tools that are off in a state, with the reasons.
  fileprivate static func off(in state: TerminalState) -> [JSON] {
    all.compactMap { tool in
      tool.needs.unmet(in: state).map { .object([("tool", .string(tool.name))] + $0.members) }
    }
  }
}

extension AgentCall {
  /// The arguments about the line, with the names of the JSON interface.
  fileprivate var settingsMembers: [(String, JSON)] {
    JSONCommand.settable.compactMap { name in
      let argument = String(name.map { $0 == "-" ? "_" : $0 })
      return arguments.json[argument].map { (name, $0) }
    }
  }

  fileprivate var settingsJSON: JSON { .object(settingsMembers) }
}

extension JSON {
  /// The value with every text in it made safe to show: a device chooses its own names.
  fileprivate var harmless: JSON {
    switch self {
    case .string(let text): .string(text.harmless)
    case .array(let values): .array(values.map(\.harmless))
    case .object(let members): .object(members.map { ($0.0, $0.1.harmless) })
    case .null, .bool, .integer, .number: self
    }
  }
}
