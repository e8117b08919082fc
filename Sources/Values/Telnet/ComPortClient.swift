/// The client's side of a serial port on a server: RFC 2217 over telnet, or telnet alone. A value.
///
/// ## Principles of operation
///
/// - ``open(_:)`` offers the option. When the server accepts it, all settings are sent. The port is
///   open when the server has answered them, or when the owner stops waiting (``giveUp()``).
/// - With telnet alone there are no settings. The port is open when the server has sent its first
///   command, or when the owner stops waiting.
/// - The settings are those that the server reports. Servers may answer anything: a value that does
///   not belong to the request counts as consent.
/// - The owner sends ``output``, and calls ``giveUp()`` when nothing has happened for
///   a few seconds.
public struct ComPortClient {
  /// The settings of the line, in the form of the protocol.
  public struct Settings: Hashable, Sendable {
    /// Bits per second.
    public var baudRate: UInt32
    /// The number of data bits, 5 to 8.
    public var dataSize: UInt8
    public var parity: ComPortParity
    /// The number of stop bits: 1, 2, or 3 for one and a half.
    public var stopSize: UInt8
    /// One of the values for flow control.
    public var flow: ComPortControl

    /// Creates settings.
    public init(
      baudRate: UInt32, dataSize: UInt8, parity: ComPortParity, stopSize: UInt8,
      flow: ComPortControl
    ) {
      self.baudRate = baudRate
      self.dataSize = dataSize
      self.parity = parity
      self.stopSize = stopSize
      self.flow = flow
    }
  }

  /// An output line of the port.
  public enum Line: Hashable, Sendable {
    case dtr, rts
  }

  /// An event of the client.
  public enum Event: Hashable, Sendable {
    /// The port is open.
    case opened
    /// The port could not be opened.
    case refused(Refusal)
    /// The settings of ``apply(_:)`` are in effect, as ``settings`` reports them.
    case applied
    /// The server has changed ``settings`` on its own.
    case settingsChanged
    /// ``modemState``, or an output line, has changed.
    case linesChanged
    /// The line had errors, or a break.
    case lineErrors(ComPortLineState)
    /// The permission to send data has changed.
    case sendingPermitted(Bool)
    /// The sequence of ``play(_:)`` has ended. The reason is empty if it succeeded.
    case played(reason: [UInt8])
    /// The server is a serialterm, and has sent a message about the members of the session.
    case shared(SharingMessage)
    /// The server of a client of telnet alone speaks another protocol: RFC 2217 too, or none.
    case speaks(StreamProtocol)
  }

  /// Why a port could not be opened.
  public enum Refusal: Hashable, Sendable {
    /// The server has sent nothing. Servers for a single client do that while another
    /// client is connected.
    case noAnswer
    /// The server has sent no telnet command.
    case noTelnet
    /// The server does not accept the option.
    case noComPort
  }

  /// The size of the user's window, in characters.
  public struct WindowSize: Hashable, Sendable {
    public let columns: UInt16
    public let rows: UInt16

    /// Creates a size; one that is out of range is the nearest in range.
    public init(columns: Int, rows: Int) {
      self.columns = UInt16(clamping: columns)
      self.rows = UInt16(clamping: rows)
    }

    /// The parameters of RFC 1073.
    fileprivate var parameters: [UInt8] {
      [columns, rows].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
  }

  /// The state of the connection.
  public enum State: Hashable, Sendable {
    case closed
    /// The option was offered.
    case offered
    /// The option is in use; the settings were sent.
    case configuring
    case open
    case refused(Refusal)
  }

  public private(set) var state = State.closed
  /// Whether RFC 2217 is used, rather than telnet alone.
  public let setsLine: Bool
  /// The settings that the server has confirmed; before that, the requested ones.
  public private(set) var settings: Settings
  /// Whether the server has answered at least one setting.
  public private(set) var hasSettings = false
  /// The modem lines; nil if the server has not reported them.
  public private(set) var modemState: ComPortModemState?
  /// The output lines whose states are known.
  public private(set) var outputs: [Line: Bool] = [:]
  /// Whether data may be sent.
  public private(set) var maySend = true
  /// Whether the server plays sequences, because it has identified itself as serialterm.
  public private(set) var playsSequences = false
  /// The bytes to send to the server. The owner removes them.
  public var output: [UInt8] {
    get { telnet.output }
    set { telnet.output = newValue }
  }

  /// Whether the server has sent anything.
  private var hasAnswer = false
  private var telnet: TelnetMachine
  /// The size that the server gets when it asks for it, and each change; nil for none.
  public var windowSize: WindowSize? {
    didSet { if windowSize != oldValue { sendWindowSize() } }
  }
  /// The requested settings that were not answered, in order.
  private var unanswered: [Setting] = []
  private var opening: Opening

  /// A part of the settings that has its own message.
  private enum Setting: Hashable, CaseIterable {
    case baudRate, dataSize, parity, stopSize, flow
  }

  /// Whether the port is open only after a serialterm server has reported the members of the
  /// session and the pen.
  private var awaitsPeople = false

  /// How the port is opened.
  private struct Opening {
    /// Whether the settings of the server are queried instead of being changed.
    let adoptsSettings: Bool
    /// The first message to a server that is a serialterm; nil for none.
    let hello: SharingMessage?
    /// The states of the output lines to set.
    var outputs: [Line: Bool] = [:]
  }

  /// Creates a client that is not open yet.
  ///
  /// - Parameters:
  ///   - settings: the requested settings.
  ///   - setsLine: whether RFC 2217 is used. Otherwise there are breaks, and no settings and lines.
  ///   - windowSize: the size of the user's window; nil if there is none to report.
  ///   - adoptsSettings: whether to query the settings of the server when the port is opened,
  ///     instead of changing them.
  ///   - hello: the first message to a server that is a serialterm.
  public init(
    _ settings: Settings, setsLine: Bool = true, windowSize: WindowSize? = nil,
    adoptsSettings: Bool = false, saying hello: SharingMessage? = nil
  ) {
    self.settings = settings
    self.setsLine = setsLine
    self.windowSize = windowSize
    opening = Opening(adoptsSettings: adoptsSettings, hello: hello)
    let port: Set<TelnetOption> = setsLine ? [.comPort] : []
    let window: Set<TelnetOption> = windowSize == nil ? [] : [.windowSize]
    telnet = TelnetMachine(
      accepting: port.union(window).union([.binary, .suppressGoAhead]),
      from: port.union([.binary, .suppressGoAhead, .echo]))
  }

  // MARK: Opening

  /// Offers the option.
  ///
  /// - Parameter outputs: the output lines to set. The others stay unchanged.
  public mutating func open(setting outputs: [Line: Bool] = [:]) {
    opening.outputs = outputs
    state = .offered
    if setsLine { telnet.ask(for: .comPort, .local) }
    telnet.ask(for: .binary, .local)
    telnet.ask(for: .binary, .remote)
    telnet.ask(for: .suppressGoAhead, .remote)
    telnet.ask(for: .suppressGoAhead, .local)
  }

  /// All modem states except the end of RI, which its level shows too. sredird 2.2 passes a part of
  /// a message that contains an IAC to the device, so this mask is not 0xFF.
  private static let modemStateMask: UInt8 = 0xFB

  private mutating func configure() {
    state = .configuring
    // The server's signature is not requested: gensiot 2.6 crashes then, unless it has one. The
    // mask is sent before the settings, because their answers may be the last ones.
    send(.modemStateMask(Self.modemStateMask))
    send(.lineStateMask(ComPortLineState.errors.rawValue))
    for line in [Line.dtr, .rts] {
      if let isOn = opening.outputs[line] { set(line, to: isOn) } else { ask(for: line) }
    }
    if opening.adoptsSettings { askForSettings() } else { request(Setting.allCases, of: settings) }
  }

  private mutating func askForSettings() {
    unanswered += Setting.allCases
    send(.baudRate(0))
    send(.dataSize(0))
    send(.parity(0))
    send(.stopSize(0))
    send(.control(.askFlow))
  }

  /// Continues without answers, because the server has not answered for a few seconds.
  public mutating func giveUp() -> [Event] {
    switch state {
    case .offered where !setsLine:
      state = .open
      return [.opened, .speaks(.raw)]
    case .offered:
      return refuse(!hasAnswer ? .noAnswer : telnet.hasSeenCommand ? .noComPort : .noTelnet)
    case .configuring:
      unanswered = []
      awaitsPeople = false
      state = .open
      return [.opened]
    case .open:
      guard !unanswered.isEmpty else { return [] }
      unanswered = []
      return [.applied]
    case .closed, .refused: return []
    }
  }

  /// Whether the client waits for an answer of the server.
  public var isWaiting: Bool {
    switch state {
    case .offered, .configuring: true
    case .open: !unanswered.isEmpty
    case .closed, .refused: false
    }
  }

  private mutating func refuse(_ reason: Refusal) -> [Event] {
    state = .refused(reason)
    return [.refused(reason)]
  }

  // MARK: Requests

  /// Requests the settings that differ. ``Event/applied`` follows, immediately if none differ.
  public mutating func apply(_ new: Settings) -> [Event] {
    let changed = Setting.allCases.filter { setting in
      switch setting {
      case .baudRate: new.baudRate != settings.baudRate
      case .dataSize: new.dataSize != settings.dataSize
      case .parity: new.parity != settings.parity
      case .stopSize: new.stopSize != settings.stopSize
      case .flow: new.flow != settings.flow
      }
    }
    guard !changed.isEmpty else { return unanswered.isEmpty ? [.applied] : [] }
    request(changed, of: new)
    return []
  }

  private mutating func request(_ requested: [Setting], of new: Settings) {
    for setting in requested {
      unanswered.append(setting)
      switch setting {
      case .baudRate:
        settings.baudRate = new.baudRate
        send(.baudRate(new.baudRate))
      case .dataSize:
        settings.dataSize = new.dataSize
        send(.dataSize(new.dataSize))
      case .parity:
        settings.parity = new.parity
        send(.parity(new.parity.rawValue))
      case .stopSize:
        settings.stopSize = new.stopSize
        send(.stopSize(new.stopSize))
      case .flow:
        settings.flow = new.flow
        send(.control(new.flow))
      }
    }
  }

  /// Sets an output line.
  public mutating func set(_ line: Line, to isOn: Bool) {
    outputs[line] = isOn
    switch line {
    case .dtr: send(.control(isOn ? .dtrOn : .dtrOff))
    case .rts: send(.control(isOn ? .rtsOn : .rtsOff))
    }
  }

  private mutating func ask(for line: Line) {
    switch line {
    case .dtr: send(.control(.askDTR))
    case .rts: send(.control(.askRTS))
    }
  }

  /// Starts or ends a break. With telnet alone the server decides how long it is.
  public mutating func setBreak(_ isOn: Bool) {
    if setsLine {
      send(.control(isOn ? .breakOn : .breakOff))
    } else if isOn {
      telnet.send(command: TelnetCommand.break)
    }
  }

  /// The maximum length of a sequence's text, which must fit into one message.
  public static let sequenceLimit = 240

  /// Makes the server play a sequence, if it ``playsSequences``.
  ///
  /// - Parameter text: at most ``sequenceLimit`` bytes.
  public mutating func play(_ text: [UInt8]) { send(.sequence(text)) }

  /// Sends a message about the members of the session to a server that is a serialterm.
  public mutating func say(_ message: SharingMessage) { send(.sharing(message.bytes)) }

  private mutating func sendWindowSize() {
    guard let windowSize, telnet.isOn(.windowSize, .local) else { return }
    telnet.send(windowSize.parameters, about: .windowSize)
  }

  private mutating func send(_ message: ComPortMessage) {
    telnet.send(message.parameters(fromServer: false), about: .comPort)
  }

  // MARK: Data

  /// Encodes data for the network.
  ///
  /// - Parameter isEnd: whether no data follow at once.
  public mutating func encode(
    _ data: UnsafeRawBufferPointer, into bytes: inout [UInt8], isEnd: Bool
  ) {
    telnet.encode(data, into: &bytes)
    if isEnd { telnet.endData(into: &bytes) }
  }

  /// Handles bytes from the network until the server has said a number of things, so that a turn of
  /// a loop stays short. They are decoded where they are: the data are never longer.
  ///
  /// - Parameters:
  ///   - bytes: the bytes. Afterwards, those of the device are at their beginning.
  ///   - limit: the number of messages and other commands of telnet, at least 1.
  /// - Returns: the events, the number of bytes that were handled, and that of the device's bytes.
  ///   The caller passes the other bytes again.
  public mutating func receive(
    _ bytes: UnsafeMutableRawBufferPointer, atMost limit: Int
  ) -> (events: [Event], byteCount: Int, dataCount: Int) {
    hasAnswer = hasAnswer || !bytes.isEmpty
    let (said, byteCount, dataCount) = telnet.receive(bytes, atMost: limit)
    var events: [Event] = []
    if !setsLine, state == .offered, telnet.hasSeenCommand {
      state = .open
      events.append(.opened)
    }
    return (events + said.flatMap { handle($0) }, byteCount, dataCount)
  }

  // MARK: Answers

  private mutating func handle(_ event: TelnetMachine.Event) -> [Event] {
    switch event {
    case .option(.comPort, .local, isOn: true):
      if state == .offered { configure() }
      return []
    case .option(.comPort, .local, isOn: false):
      return state == .offered ? refuse(.noComPort) : []
    case .option(.windowSize, .local, isOn: true):
      sendWindowSize()
      return []
    case .declined(.comPort, _): return [.speaks(.rfc2217)]
    case .subnegotiation(.comPort, let parameters):
      guard state == .configuring || state == .open,
        let message = ComPortMessage(parameters, fromServer: true)
      else { return [] }
      return handle(message)
    case .option, .declined, .subnegotiation, .command: return []
    }
  }

  private mutating func handle(_ message: ComPortMessage) -> [Event] {
    switch message {
    case .signature(let name):
      // An empty signature requests this client's signature.
      if name.isEmpty { send(.signature(Array("serialterm".utf8))) }
      guard !playsSequences, name.starts(with: Array("serialterm ".utf8)) else { return [] }
      playsSequences = true
      if let hello = opening.hello {
        awaitsPeople = state == .configuring
        send(.sharing(hello.bytes))
      }
      return []
    case .baudRate(let rate): return answer(.baudRate, rate == 0 ? nil : rate, \.baudRate)
    case .dataSize(let size):
      return answer(.dataSize, (5...8).contains(size) ? size : nil, \.dataSize)
    case .parity(let parity): return answer(.parity, ComPortParity(rawValue: parity), \.parity)
    case .stopSize(let size):
      return answer(.stopSize, (1...3).contains(size) ? size : nil, \.stopSize)
    case .control(let control): return answer(control)
    case .lineState(let state):
      let errors = state.intersection(.errors)
      return errors.isEmpty ? [] : [.lineErrors(errors)]
    case .modemState(let state):
      let lines = ComPortModemState(rawValue: state.rawValue & 0xF0)
      guard modemState != lines else { return [] }
      modemState = lines
      return [.linesChanged]
    case .flowSuspend: return permitSending(false)
    case .flowResume: return permitSending(true)
    case .sequence(let reason): return [.played(reason: reason)]
    case .sharing(let bytes): return SharingMessage(bytes).map { handleSharing($0) } ?? []
    case .lineStateMask, .modemStateMask, .purge: return []
    }
  }

  private mutating func permitSending(_ isPermitted: Bool) -> [Event] {
    guard maySend != isPermitted else { return [] }
    maySend = isPermitted
    return [.sendingPermitted(isPermitted)]
  }

  private mutating func answer(_ control: ComPortControl) -> [Event] {
    switch control.subject {
    case .flow:
      // Some servers answer every SET-CONTROL with 1, "no flow control".
      let isAnswer = unanswered.contains(.flow)
      let known: [ComPortControl] = [.noFlow, .softwareFlow, .hardwareFlow]
      guard isAnswer || control != .noFlow else { return [] }
      return answer(.flow, known.contains(control) ? control : nil, \.flow)
    case .dtr: return note(.dtr, control == .askDTR ? nil : control == .dtrOn)
    case .rts: return note(.rts, control == .askRTS ? nil : control == .rtsOn)
    case .break, .inboundFlow, nil: return []
    }
  }

  private mutating func note(_ line: Line, _ isOn: Bool?) -> [Event] {
    guard let isOn, outputs[line] != isOn else { return [] }
    outputs[line] = isOn
    return [.linesChanged]
  }

  /// Records the value of a setting, which is an answer or a change by the server.
  private mutating func answer<Value: Equatable>(
    _ setting: Setting, _ value: Value?, _ part: WritableKeyPath<Settings, Value>
  ) -> [Event] {
    let isAnswer = unanswered.firstIndex(of: setting).map { unanswered.remove(at: $0) } != nil
    // The answer to an older request of the same setting does not confirm the latest one.
    let isOutdated = unanswered.contains(setting)
    let hasChanged = value.map { $0 != settings[keyPath: part] } ?? false
    if let value, !isOutdated { settings[keyPath: part] = value }
    hasSettings = hasSettings || isAnswer
    guard isAnswer else { return hasChanged ? [.settingsChanged] : [] }
    guard unanswered.isEmpty else { return [] }
    guard state == .configuring else { return [.applied] }
    return openIfConfigured()
  }

  private mutating func openIfConfigured() -> [Event] {
    guard state == .configuring, unanswered.isEmpty, !awaitsPeople else { return [] }
    state = .open
    return [.opened]
  }

  /// Handles a message about the members. The state of the port is the last message of a
  /// server's initial report.
  private mutating func handleSharing(_ message: SharingMessage) -> [Event] {
    guard awaitsPeople, case .port = message else { return [.shared(message)] }
    awaitsPeople = false
    return openIfConfigured() + [.shared(message)]
  }
}
