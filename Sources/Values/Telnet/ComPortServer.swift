/// The server's side of a serial port that a client uses: RFC 2217 over telnet. A value.
///
/// ## Principles of operation
///
/// - ``receive(_:into:)`` returns the client's requests. The owner performs each, and calls
///   ``answer(_:with:)`` with the resulting state of the port: the client learns the actual values,
///   not the requested ones.
/// - Bytes of the device are encoded from ``Event/began`` on.
/// - The owner sends ``output``.
public struct ComPortServer {
  /// The state of a port.
  public struct Port: Hashable, Sendable {
    public var settings: ComPortClient.Settings
    public var isDTROn: Bool
    public var isRTSOn: Bool
    public var isBreaking: Bool

    /// Creates a state.
    public init(
      settings: ComPortClient.Settings, isDTROn: Bool, isRTSOn: Bool, isBreaking: Bool = false
    ) {
      self.settings = settings
      self.isDTROn = isDTROn
      self.isRTSOn = isRTSOn
      self.isBreaking = isBreaking
    }
  }

  /// An event of the server.
  public enum Event: Hashable, Sendable {
    /// The client uses the port.
    case began
    /// The client does not use the option: it wants a plain byte stream, or is not a telnet client.
    case refused
    /// The client requests something. ``ComPortServer/answer(_:with:)`` answers it.
    case asked(ComPortMessage)
    /// The permission to send data to the client has changed.
    case sendingPermitted(Bool)
    /// The client requests a break of the default length: the BRK of telnet.
    case breakRequested
    /// The client is a serialterm, and has sent a message about the members of the session.
    case shared(SharingMessage)
  }

  /// Whether the client accepts data.
  public private(set) var maySend = true
  /// Whether the client uses the port.
  public private(set) var hasBegun = false
  /// The bytes to send to the client. The owner removes them.
  public var output: [UInt8] {
    get { telnet.output }
    set { telnet.output = newValue }
  }

  private let signature: [UInt8]
  private let offersPort: Bool
  private var telnet: TelnetMachine
  /// The masks have the initial values of the RFC.
  private var lineStateMask = ComPortLineState()
  private var modemStateMask = ComPortModemState(rawValue: 0xFF)
  private var modemState: ComPortModemState?

  /// Creates the server's side. It has offered nothing yet.
  ///
  /// - Parameters:
  ///   - signature: the name of the software.
  ///   - offersPort: whether clients may change the line settings; otherwise only
  ///     telnet is offered.
  public init(signature: String, offersPort: Bool = true) {
    self.signature = Array(signature.utf8)
    self.offersPort = offersPort
    telnet = TelnetMachine(
      accepting: offersPort
        ? [.binary, .suppressGoAhead, .echo, .comPort] : [.binary, .suppressGoAhead, .echo],
      from: offersPort
        ? [.binary, .suppressGoAhead, .comPort] : [.binary, .suppressGoAhead])
  }

  /// Offers the options.
  public mutating func open() {
    if offersPort { telnet.ask(for: .comPort, .remote) }
    telnet.ask(for: .binary, .local)
    telnet.ask(for: .binary, .remote)
    telnet.ask(for: .suppressGoAhead, .local)
    telnet.ask(for: .suppressGoAhead, .remote)
    // A client that echoes typed text itself would show it twice.
    telnet.ask(for: .echo, .local)
  }

  // MARK: Data

  /// Encodes data for the network: see ``TelnetMachine/encode(_:into:)``.
  public mutating func encode(_ data: UnsafeRawBufferPointer, into bytes: inout [UInt8]) {
    telnet.encode(data, into: &bytes)
  }

  /// Forgets the data that were encoded last, because they were not sent.
  public mutating func discardData() { telnet.discardData() }

  /// Handles bytes from the network.
  ///
  /// - Parameter data: receives the bytes for the device.
  public mutating func receive(
    _ bytes: UnsafeRawBufferPointer, into data: inout [UInt8]
  ) -> [Event] {
    telnet.receive(bytes, into: &data).flatMap { handle($0) }
  }

  private mutating func handle(_ event: TelnetMachine.Event) -> [Event] {
    switch event {
    case .option(.comPort, .remote, isOn: true): return begin()
    case .option(.comPort, .remote, isOn: false): return hasBegun ? [] : [.refused]
    case .subnegotiation(.comPort, let parameters):
      guard offersPort, let message = ComPortMessage(parameters, fromServer: false) else {
        return []
      }
      // pyserial 3.5 does not always send WILL, because it knows that it was asked.
      return begin() + (handle(message).map { [$0] } ?? [])
    case .command(TelnetCommand.break): return [.breakRequested]
    case .option, .declined, .subnegotiation, .command: return []
    }
  }

  private mutating func begin() -> [Event] {
    guard !hasBegun else { return [] }
    hasBegun = true
    // Sent without a request, so that a serialterm client learns that this server plays sequences.
    send(.signature(signature))
    if let modemState { send(.modemState(modemState)) }
    return [.began]
  }

  private mutating func handle(_ message: ComPortMessage) -> Event? {
    switch message {
    case .signature(let name):
      if name.isEmpty { send(.signature(signature)) }
      return nil
    case .lineStateMask(let mask):
      lineStateMask = ComPortLineState(rawValue: mask)
      send(message)
      return nil
    case .modemStateMask(let mask):
      modemStateMask = ComPortModemState(rawValue: mask)
      send(message)
      // A client cannot query the lines, so they are reported with this answer.
      if let modemState { send(.modemState(modemState)) }
      return nil
    case .flowSuspend: return permitSending(false)
    case .flowResume: return permitSending(true)
    // Only servers send these.
    case .lineState, .modemState: return nil
    case .sharing(let bytes): return SharingMessage(bytes).map { .shared($0) }
    case .baudRate, .dataSize, .parity, .stopSize, .control, .purge, .sequence:
      return .asked(message)
    }
  }

  private mutating func permitSending(_ isPermitted: Bool) -> Event? {
    guard maySend != isPermitted else { return nil }
    maySend = isPermitted
    return .sendingPermitted(isPermitted)
  }

  // MARK: Answers

  /// Answers a request of the client.
  ///
  /// - Parameter port: the state of the port after the request.
  public mutating func answer(_ message: ComPortMessage, with port: Port) {
    switch message {
    case .baudRate: send(.baudRate(port.settings.baudRate))
    case .dataSize: send(.dataSize(port.settings.dataSize))
    case .parity: send(.parity(port.settings.parity.rawValue))
    case .stopSize: send(.stopSize(port.settings.stopSize))
    case .control(let control):
      if let control = Self.answer(control, port) { send(.control(control)) }
    case .purge: send(message)
    case .sequence: sequenceEnded(because: "")
    case .signature, .lineState, .modemState, .flowSuspend, .flowResume, .lineStateMask,
      .modemStateMask, .sharing:
      break
    }
  }

  /// Sends a message about the members of the session to a client that is a serialterm.
  public mutating func send(_ message: SharingMessage) { send(.sharing(message.bytes)) }

  /// Sends the line settings to a client that is a serialterm, because another member
  /// has changed them.
  public mutating func send(_ settings: ComPortClient.Settings) {
    send(.baudRate(settings.baudRate))
    send(.dataSize(settings.dataSize))
    send(.parity(settings.parity.rawValue))
    send(.stopSize(settings.stopSize))
    send(.control(settings.flow))
  }

  /// Sends the output lines to a client that is a serialterm, because another member
  /// has changed them.
  package mutating func send(isDTROn: Bool, isRTSOn: Bool) {
    send(.control(isDTROn ? .dtrOn : .dtrOff))
    send(.control(isRTSOn ? .rtsOn : .rtsOff))
  }

  /// Answers that a sequence has ended.
  ///
  /// - Parameter reason: why it was not completed; empty if it was.
  public mutating func sequenceEnded(because reason: String) {
    send(.sequence(Array(reason.utf8.prefix(ComPortClient.sequenceLimit))))
  }

  private static func answer(_ control: ComPortControl, _ port: Port) -> ComPortControl? {
    switch control.subject {
    case .flow: port.settings.flow
    case .break: port.isBreaking ? .breakOn : .breakOff
    case .dtr: port.isDTROn ? .dtrOn : .dtrOff
    case .rts: port.isRTSOn ? .rtsOn : .rtsOff
    case .inboundFlow: port.settings.flow.inbound
    case nil: nil
    }
  }

  // MARK: Reports

  /// Reports the input lines to the client: the first time, and after each change, if the
  /// client wants that.
  public mutating func report(_ lines: ComPortModemState) {
    let old = modemState
    modemState = lines
    guard let old else {
      if hasBegun { send(.modemState(lines)) }
      return
    }
    guard old != lines else { return }
    let changed = old.symmetricDifference(lines)
    var report = lines
    if changed.contains(.cts) { report.insert(.ctsChanged) }
    if changed.contains(.dsr) { report.insert(.dsrChanged) }
    if changed.contains(.dcd) { report.insert(.dcdChanged) }
    if changed.contains(.ri), old.contains(.ri) { report.insert(.riEnded) }
    let news = report.intersection(ComPortModemState(rawValue: 0x0F)).union(changed)
    if hasBegun, !news.isDisjoint(with: modemStateMask) { send(.modemState(report)) }
  }

  /// Reports line errors and breaks to the client, if the client wants that.
  public mutating func report(_ errors: ComPortLineState) {
    let wanted = errors.intersection(lineStateMask)
    if hasBegun, !wanted.isEmpty { send(.lineState(wanted)) }
  }

  private mutating func send(_ message: ComPortMessage) {
    telnet.send(message.parameters(fromServer: true), about: .comPort)
  }
}

extension ComPortControl {
  /// The value for inbound flow control that corresponds to a value for both directions.
  fileprivate var inbound: ComPortControl? {
    switch self {
    case .noFlow: ComPortControl(rawValue: 14)
    case .softwareFlow: ComPortControl(rawValue: 15)
    case .hardwareFlow: ComPortControl(rawValue: 16)
    default: nil
    }
  }
}
