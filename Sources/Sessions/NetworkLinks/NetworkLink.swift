public import EventLoop
package import Observing
public import Posix
public import SerialCore
public import SystemPackage
public import Telnet
import TextTools

/// A link over a stream: a port of a server (RFC 2217), or a plain byte stream.
///
/// Unread bytes stay in the buffers of the network, which then stop the sender. Bytes that the link
/// has taken and the other end has not acknowledged count as unsent.
///
/// A server can hold up nothing else: at most ``messageLimit`` of its messages are handled in a
/// turn of the loop. A server that sends more than ``earlyLimit`` bytes before its port is open, or
/// that asks and does not read more than ``outgoingLimit`` bytes of answers, is disconnected.
public final class NetworkLink: Link {
  /// The messages about the members of the session, if the server is a serialterm.
  package let sharingMessages = Observable<SharingMessage>()

  public let endpoint: Endpoint
  private let address: Address
  private let loop: IOLoop
  private let options: LinkOptions
  /// How the user is introduced to a server that is a serialterm. A change is effective when the
  /// link is started.
  package var introduction: SharingMessage.Introduction
  /// What the owner wants; nil before the link is started, and after it is closed.
  private var order: Order?
  private var opening: StreamOpening?
  private var lookup: PlaceLookup?
  private var socket: StreamSocket?
  /// The program behind the socket, such as ssh; nil for a server.
  private var program: StreamProgram?
  /// Reads the server's answers until the port is open.
  private var watch: DescriptorWatch?
  /// The port on the server; nil for a plain byte stream.
  private var port: ComPortClient?
  private var isOpen = false
  /// Limits the time that the link waits for the server.
  private var patience: LoopTimer?
  /// The callbacks that wait for settings, in the order of the requests.
  private var answers: [(Result<LineSettings, SerialError>) -> Void] = []
  /// The callbacks that wait for the end of a sequence, in the order of the requests.
  private var plays: [(Result<Void, SerialError>) -> Void] = []
  /// The features of the real port; nil if the server has not reported them: it is no serialterm,
  /// or an older one. The port then counts as one with all features.
  private var features: SharingMessage.Features?
  /// The counters of the real port's driver; nil if the server does not report them.
  private var driverCounters: LineCounters?
  /// The errors that the server has reported, for a server without ``driverCounters``.
  private var reportedErrors = LineCounters()
  /// The bytes that the device sent before the port was open.
  private var early: [UInt8] = []
  /// The encoded bytes that the socket has not accepted.
  private var outgoing: [UInt8] = []
  private var readBuffer = [UInt8]()
  /// The part of ``readBuffer`` that is left for the next turn.
  private var unhandled = 0..<0
  private var ledger = SentLedger()
  /// Goes on with what the link has already read.
  private var offer: LoopTimer?
  /// Disconnects a server that has exceeded a limit.
  private var cutOff: LoopTimer?

  /// What the owner of the link wants.
  private struct Order {
    /// The settings of the port.
    let settings: LineSettings
    let report: (LinkEvent) -> Void
  }

  /// The time limit for connecting.
  static let connectTimeout = Duration.seconds(10)
  /// The time limit for an answer of the server.
  static let answerTimeout = Duration.seconds(3)
  /// The time limit for ssh to connect, log in, and start the program on the other computer.
  static let loginTimeout = Duration.seconds(30)
  /// The maximum number of bytes that are encoded at once.
  private static let pieceSize = 16_384
  /// The maximum number of messages of the server that are handled at once. Each can cause a line
  /// on the screen, or a system call.
  static let messageLimit = 64
  /// The maximum number of the device's bytes that are kept until the port is open.
  static let earlyLimit = 1_048_576
  /// The maximum number of encoded bytes that wait for a server that does not read.
  static let outgoingLimit = 65_536
  /// The maximum number of changes of the settings that wait for the server.
  static let answerLimit = 64

  /// Creates a link that is not open yet.
  ///
  /// - Parameters:
  ///   - hasPort: whether the other end is a server of RFC 2217.
  ///   - introduction: tells a server that is a serialterm who the user is.
  public init(
    to endpoint: Endpoint, at address: Address, hasPort: Bool, options: LinkOptions,
    as introduction: SharingMessage.Introduction = .unnamed,
    on loop: IOLoop
  ) {
    self.endpoint = endpoint
    self.address = address
    self.loop = loop
    self.options = options
    self.introduction = introduction
    if hasPort { port = client(LineSettings()) }
  }

  private func client(_ settings: LineSettings) -> ComPortClient {
    ComPortClient(
      settings.forServer, adoptsSettings: address.isSession,
      saying: .hello(introduction, isViewer: address.isSession))
  }

  /// Sends a message about the members of the session, if the server is a serialterm.
  package func say(_ message: SharingMessage) {
    port?.say(message)
    flush()
  }

  // MARK: Opening

  public func start(_ settings: LineSettings, report: @escaping (LinkEvent) -> Void) {
    order = Order(settings: settings, report: report)
    if port != nil { port = client(settings) }
    switch address.way {
    case .stream(let destination): open(destination)
    case .program(let words): startProgram(words)
    case .lookup(let place):
      lookup = PlaceLookup(place, on: loop) { [unowned self] in
        // In a later turn, because the lookup is notifying.
        let answer = $0
        offer = loop.schedule(after: .zero) { [unowned self] in
          (offer, lookup) = (nil, nil)
          found(answer)
        }
      }
    }
  }

  private func open(_ destination: StreamOpening.Destination) {
    opening = StreamOpening(to: destination, on: loop, timeout: Self.connectTimeout) {
      [unowned self] in
      opening = nil
      switch $0 {
      case .success(let socket): connected(socket)
      case .failure(let failure): fail(SerialError(failure, at: endpoint))
      }
    }
  }

  /// Connects to the port of a place.
  private func found(_ answer: PlaceLookup.Answer) {
    switch answer {
    case .success(let place):
      if place.isRaw {
        port = nil
      } else if let speed = place.speed, let order, order.settings == LineSettings() {
        // Nobody has asked for another rate than that of the place.
        var settings = order.settings
        settings.baudRate = speed
        port = client(settings)
      }
      open(.host(place.address))
    case .failure(let problem):
      fail(
        SerialError(problem.code, in: LabgridPlace.operation, at: endpoint, subject: problem.words))
    }
  }

  private func report(_ event: LinkEvent) { order?.report(event) }

  private func startProgram(_ words: [String]) {
    do throws(Errno) {
      let started = try StreamProgram(words, on: loop) { [unowned self] in
        // If the link is open, the session finds the end of the stream itself.
        if !isOpen, let program {
          fail(SSHAddress.error(status: program.status, program.lastWords(), at: endpoint))
        }
      }
      program = started
      connected(started.socket)
    } catch {
      fail(SerialError(.unreachable, in: "ssh", at: endpoint, errno: error))
    }
  }

  private func connected(_ socket: StreamSocket) {
    self.socket = socket
    guard port != nil else {
      isOpen = true
      return report(
        .opened(
          order?.settings ?? LineSettings(),
          LineProbe(
            modemLines: nil, counters: nil, hasBreaks: false, hasSettings: false,
            hasBackPressure: true)))
    }
    var outputs: [ComPortClient.Line: Bool] = [:]
    for (line, name) in ComPortClient.Line.named {
      if options.asserting.contains(line) { outputs[name] = true }
      if options.deasserting.contains(line) { outputs[name] = false }
    }
    outgoing += address.greeting
    port?.open(setting: outputs)
    do throws(Errno) {
      watch = try loop.watch(socket.descriptor, for: .reading) { [unowned self] _ in negotiate() }
    } catch {
      return fail(SerialError(.system, in: "epoll_ctl", at: endpoint, errno: error))
    }
    waitForAnswer()
    flush()
  }

  /// Reads the server's answers until the port is open.
  private func negotiate() {
    guard socket != nil, !isOpen else { return }
    do throws(SerialError) {
      guard try receive(atMost: 4_096) == nil else { return }
      endedEarly(hungUp)
    } catch {
      endedEarly(error)
    }
  }

  private func endedEarly(_ error: SerialError) {
    guard program != nil else { return fail(error) }
    // The exit status contains the reason. Until it is known, the socket stays readable.
    watch?.setInterest([])
  }

  /// The error if the server closes the connection before the port is open, with the server's
  /// reason if it sent one.
  private var hungUp: SerialError {
    let text = String(decoding: early.prefix(Self.reasonLimit), as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).first.map(String.init)
    let isBusy = line?.lowercased().contains(text: "in use") ?? false
    return SerialError(isBusy ? .busy : .refusedByServer, in: "read", at: endpoint, subject: line)
  }

  private static let reasonLimit = 200

  private func fail(_ error: SerialError) {
    guard !isOpen else { return report(.lost(error)) }
    let order = order
    close()
    order?.report(.failed(error))
  }

  // MARK: The server

  private func waitForAnswer() {
    guard patience == nil else { return }
    let limit = program == nil || isOpen ? Self.answerTimeout : Self.loginTimeout
    patience = loop.schedule(after: limit) { [unowned self] in
      patience = nil
      handle(port?.giveUp() ?? [])
    }
  }

  private func handle(_ events: [ComPortClient.Event]) {
    if port?.isWaiting == false { patience = nil }
    for event in events where socket != nil { handle(event) }
    flush()
  }

  private func handle(_ event: ComPortClient.Event) {
    switch event {
    case .opened: opened()
    case .refused(.noAnswer) where program != nil:
      fail(SerialError(.unreachable, in: "ssh", at: endpoint, errno: .timedOut))
    case .refused(.noAnswer):
      fail(SerialError(.busy, in: "telnet", at: endpoint))
    case .refused(.noTelnet):
      fail(SerialError(.otherProtocol, in: "telnet", at: endpoint, subject: "telnet"))
    case .refused(.noComPort):
      fail(SerialError(.otherProtocol, in: "telnet", at: endpoint, subject: "RFC 2217"))
    case .applied: answerAll(.success(settings))
    case .settingsChanged: if isOpen { report(.settingsChanged(settings)) }
    case .linesChanged: if isOpen, let lines { report(.modemLinesChanged(lines)) }
    case .lineErrors(let errors):
      reportedErrors.count(errors)
    // The session asks whether the link accepts bytes after each read. It must not read again now:
    // a server that changes its mind without end would be read without end.
    case .sendingPermitted: break
    case .shared(let message): handle(message)
    case .played(let reason):
      guard !plays.isEmpty else { return }
      let words = String(decoding: reason, as: UTF8.self)
      plays.removeFirst()(
        reason.isEmpty
          ? .success(())
          : .failure(
            SerialError(
              .settingRefused, in: "play", at: endpoint, subject: "the sequence (\(words))")))
    }
  }

  private func handle(_ message: SharingMessage) {
    switch message {
    case .features(let new):
      let old = features
      features = new
      if isOpen, old != new { report(.featuresChanged(probe)) }
    case .counters(let numbers):
      let new = LineCounters(numbers)
      driverCounters = new
      if isOpen { report(.countersChanged(new)) }
    default: sharingMessages.notify(message)
    }
  }

  private func opened() {
    guard port != nil else { return }
    watch?.cancel()
    watch = nil
    isOpen = true
    program?.spare()
    report(.opened(settings, probe))
    offerEarlyBytes()
  }

  private var probe: LineProbe {
    LineProbe(
      modemLines: lines, counters: has(.counters) ? driverCounters ?? reportedErrors : nil,
      hasBreaks: has(.breaks), hasSettings: has(.settings) && port?.hasSettings == true,
      hasBackPressure: true, hasNetworkTiming: true)
  }

  /// Whether the server's port has a feature.
  private func has(_ feature: SharingMessage.Features) -> Bool {
    port != nil && features?.contains(feature) != false
  }

  /// Whether the server answers ``Telnet/SharingMessage/askWhenSent(_:)``.
  package var reportsSent: Bool { features?.contains(.reportsSent) ?? false }

  /// Makes the session read the bytes that arrived before the port was open, as soon as it reads.
  private func offerEarlyBytes() {
    offer = loop.schedule(after: .zero) { [unowned self] in offerOnce() }
  }

  private func offerOnce() {
    offer = nil
    guard isOpen else { return unhandled.isEmpty ? () : negotiate() }
    guard hasRest else { return }
    report(.ready)
    // The session may have found the end of the stream, and released the link.
    guard isOpen, hasRest, offer == nil else { return }
    offer = loop.schedule(after: Self.offerInterval) { [unowned self] in offerOnce() }
  }

  /// Whether the link has bytes of the server that no event of its socket reports.
  private var hasRest: Bool { !early.isEmpty || !unhandled.isEmpty }

  private static let offerInterval = Duration.milliseconds(20)

  /// The settings that the server has reported.
  private var settings: LineSettings { port.map { LineSettings($0.settings) } ?? LineSettings() }

  /// The modem lines that the server has reported; nil if its port has none.
  private var lines: ModemLines? {
    guard let port, has(.modemLines) else { return nil }
    var lines = ModemLines(port.modemState ?? [])
    for (line, name) in ComPortClient.Line.named where port.outputs[name] == true {
      lines.insert(line)
    }
    return lines
  }

  private func answerAll(_ result: Result<LineSettings, SerialError>) {
    let waiting = answers
    answers = []
    for answer in waiting { answer(result) }
  }

  // MARK: The session's loop

  public var descriptor: FileDescriptor? { isOpen ? socket?.descriptor : nil }

  public var interest: Interest { outgoing.isEmpty ? [] : .writing }

  public var acceptsBytes: Bool { outgoing.isEmpty && port?.maySend != false }

  public func makeProgress(_ ready: Readiness) {
    if ready.contains(.writable) { flush() }
  }

  /// Sends as many encoded bytes as the socket accepts.
  private func flush() {
    if let answers = port?.output, !answers.isEmpty {
      ledger.add(
        dataCount: 0, encodedCount: answers.count, unacknowledged: unacknowledgedByteCount)
      outgoing += answers
      port?.output = []
      if outgoing.count > Self.outgoingLimit {
        disconnect(because: "the server does not read the answers to what it asks")
      }
    }
    guard !outgoing.isEmpty, let socket else { return }
    let written = outgoing.withUnsafeBytes { bytes in
      Result { () throws(Errno) in try socket.descriptor.writeAvailable(bytes) }
    }
    // The next read finds the same error, after the bytes that the device has sent.
    if case .success(.bytes(let count)) = written { outgoing.removeFirst(count) }
    updateWatch()
  }

  /// Disconnects a server that has exceeded a limit, at the end of the turn: a method of the
  /// session may be running.
  private func disconnect(because reason: String) {
    guard cutOff == nil else { return }
    cutOff = loop.schedule(after: .zero) { [unowned self] in
      fail(SerialError(.lost, in: "read", at: endpoint, subject: reason))
    }
  }

  /// Updates the watch. Before the port is open, no other code polls the socket.
  private func updateWatch() {
    guard !isOpen, let watch else { return }
    let interest: Interest = outgoing.isEmpty ? .reading : [.reading, .writing]
    watch.setInterest(interest)
  }

  // MARK: Receiving

  public func read(
    into buffer: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(SerialError) -> LinkInput {
    guard let socket else { return .endOfFile }
    guard port != nil else {
      switch try attempt(
        "read", { () throws(Errno) in try socket.descriptor.readAvailable(into: buffer) })
      {
      case .bytes(let count): return .bytes(count)
      case .wouldBlock: return .wouldBlock
      case .endOfFile: return .endOfFile
      }
    }
    if early.isEmpty {
      switch try receive(atMost: buffer.count) {
      case .some(true): break
      case .some(false): return .wouldBlock
      case nil: return .endOfFile
      }
    }
    let count = min(early.count, buffer.count)
    early.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
    early.removeFirst(count)
    return .bytes(count)
  }

  /// Reads from the server, unless the last read is not handled yet, and appends the device's
  /// bytes to ``early``.
  ///
  /// - Returns: whether any bytes were read; nil at the end of the stream.
  private func receive(atMost limit: Int) throws(SerialError) -> Bool? {
    guard let socket else { return nil }
    guard unhandled.isEmpty else {
      handleRead()
      return true
    }
    if readBuffer.count < limit { readBuffer = [UInt8](repeating: 0, count: limit) }
    let outcome = readBuffer.withUnsafeMutableBytes { buffer in
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<limit])
      return Result { () throws(Errno) in try socket.descriptor.readAvailable(into: part) }
    }
    switch try attempt("read", { () throws(Errno) in try outcome.get() }) {
    case .bytes(let count):
      unhandled = 0..<count
      handleRead()
      return true
    case .wouldBlock: return false
    case .endOfFile: return nil
    }
  }

  /// Handles what was read, at most ``messageLimit`` messages. The rest follows in the next turn
  /// of the loop.
  private func handleRead() {
    var events: [ComPortClient.Event] = []
    // Output of the shell before the program starts does not come from the device. What follows
    // the program's first answer in the same read does.
    let isShell = program != nil && port?.state == .offered
    readBuffer.withUnsafeBytes { buffer in
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[unhandled])
      let limit = isShell ? 1 : Self.messageLimit
      guard let handled = port?.receive(bytes, atMost: limit, into: &early) else { return }
      events = handled.events
      unhandled.removeFirst(handled.byteCount)
    }
    if isShell { early = [] }
    if !unhandled.isEmpty { offerEarlyBytes() }
    handle(events)
    if !isOpen, early.count > Self.earlyLimit { sentTooMuch() }
  }

  /// Ends the attempt to open the port of a server that sends data instead of answers.
  private func sentTooMuch() {
    early = []
    if port?.state == .offered { return handle(port?.giveUp() ?? []) }
    disconnect(because: "the server sent more than 1 MiB before its port was open")
  }

  private func attempt<Value>(
    _ operation: String, _ body: () throws(Errno) -> Value
  ) throws(SerialError) -> Value {
    do throws(Errno) {
      return try body()
    } catch {
      throw SerialError(.lost, in: operation, at: endpoint, errno: error)
    }
  }

  // MARK: Sending

  public func write(_ bytes: UnsafeRawBufferPointer) throws(SerialError) -> WriteOutcome {
    guard let socket, acceptsBytes else { return .wouldBlock }
    guard let port else {
      return try attempt("write") { () throws(Errno) in try socket.descriptor.writeAvailable(bytes)
      }
    }
    let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.pieceSize))
    let before = unacknowledgedByteCount
    port.encode(piece, into: &outgoing)
    ledger.add(
      dataCount: piece.count, encodedCount: outgoing.count, unacknowledged: before)
    flush()
    return .bytes(piece.count)
  }

  /// The number of encoded bytes that the other end has not acknowledged.
  private var unacknowledgedByteCount: Int {
    outgoing.count + (socket?.unacknowledgedByteCount ?? 0)
  }

  public var unsentByteCount: Int {
    port == nil
      ? unacknowledgedByteCount : ledger.dataCount(ofUnacknowledged: unacknowledgedByteCount)
  }

  /// Discards unsent bytes. Bytes that the socket has accepted cannot be discarded; the
  /// unacknowledged ones may have arrived or not.
  public func discardUnsent() -> Int {
    let count = unsentByteCount
    outgoing = []
    ledger = SentLedger()
    return count
  }

  // MARK: The line

  public func apply(
    _ settings: LineSettings, answer: @escaping (Result<LineSettings, SerialError>) -> Void
  ) {
    guard has(.settings) else { return answer(.failure(unsupported("settings"))) }
    // Clients of this session may ask faster than the server answers.
    guard answers.count < Self.answerLimit else {
      return answer(.failure(SerialError(.queueFull, in: "apply", at: endpoint)))
    }
    answers.append(answer)
    let events = port?.apply(settings.forServer) ?? []
    if events.isEmpty { waitForAnswer() }
    handle(events)
  }

  public func setBreak(_ isOn: Bool) throws(SerialError) {
    guard has(.breaks) else { throw unsupported("break") }
    port?.setBreak(isOn)
    flush()
  }

  public func modemLines() throws(SerialError) -> ModemLines {
    guard let lines else { throw unsupported("modem lines") }
    return lines
  }

  public func setModemLines(
    asserting: ModemLines, deasserting: ModemLines
  ) throws(SerialError) {
    guard has(.modemLines) else { throw unsupported("modem lines") }
    for (line, name) in ComPortClient.Line.named {
      if deasserting.contains(line) { port?.set(name, to: false) }
    }
    for (line, name) in ComPortClient.Line.named {
      if asserting.contains(line) { port?.set(name, to: true) }
    }
    flush()
  }

  public func canPlay(_ sequence: LineSequence) -> Bool {
    isOpen && port?.playsSequences == true
      && sequence.description.utf8.count <= ComPortClient.sequenceLimit
  }

  public func play(
    _ sequence: LineSequence, answer: @escaping (Result<Void, SerialError>) -> Void
  ) {
    guard canPlay(sequence) else { return answer(.failure(unsupported("sequences"))) }
    plays.append(answer)
    port?.play(Array(sequence.description.utf8))
    flush()
  }

  public func counters() throws(SerialError) -> LineCounters {
    guard has(.counters) else { throw unsupported("counters") }
    return driverCounters ?? reportedErrors
  }

  private func unsupported(_ feature: String) -> SerialError {
    SerialError(.unsupported, in: "RFC 2217", at: endpoint, subject: feature)
  }

  // MARK: The end

  public func close() {
    watch?.cancel()
    // The program ends because its input has ended, but it first sends the bytes that
    // it already has.
    if !isOpen { program?.terminate() }
    (watch, opening, lookup, patience, offer, cutOff) = (nil, nil, nil, nil, nil, nil)
    (socket, program) = (nil, nil)
    (answers, plays, outgoing, early, unhandled) = ([], [], [], [], 0..<0)
    isOpen = false
    order = nil
  }
}

// MARK: - Values of the protocol

extension LineSettings {
  /// The settings in the form of the protocol.
  package var forServer: ComPortClient.Settings {
    let parity: ComPortParity =
      switch parity {
      case .none: .none
      case .odd: .odd
      case .even: .even
      case .mark: .mark
      case .space: .space
      }
    let flow: ComPortControl =
      switch flowControl {
      case .none: .noFlow
      case .soft: .softwareFlow
      case .hard: .hardwareFlow
      }
    return ComPortClient.Settings(
      baudRate: baudRate, dataSize: UInt8(dataBits.rawValue), parity: parity,
      stopSize: UInt8(stopBits.rawValue), flow: flow)
  }

  /// Converts settings that a server has confirmed. One and a half stop bits become two.
  package init(_ settings: ComPortClient.Settings) {
    self.init(
      baudRate: settings.baudRate, dataBits: DataBits(rawValue: Int(settings.dataSize)) ?? .eight,
      stopBits: settings.stopSize == 1 ? .one : .two)
    parity =
      switch settings.parity {
      case .none: .none
      case .odd: .odd
      case .even: .even
      case .mark: .mark
      case .space: .space
      }
    flowControl =
      switch settings.flow {
      case .softwareFlow: .soft
      case .hardwareFlow: .hard
      default: .none
      }
  }
}

extension ModemLines {
  /// The input lines that a server reports.
  init(_ state: ComPortModemState) {
    self = []
    if state.contains(.cts) { insert(.cts) }
    if state.contains(.dsr) { insert(.dsr) }
    if state.contains(.dcd) { insert(.dcd) }
    if state.contains(.ri) { insert(.ri) }
  }
}

extension ComPortClient.Line {
  fileprivate static let named: [(line: ModemLines, name: ComPortClient.Line)] = [
    (.dtr, .dtr), (.rts, .rts),
  ]
}

extension LineCounters {
  /// Adds the errors of a report.
  fileprivate mutating func count(_ errors: ComPortLineState) {
    if errors.contains(.framingError) { framingErrors &+= 1 }
    if errors.contains(.parityError) { parityErrors &+= 1 }
    if errors.contains(.overrun) { overruns &+= 1 }
    if errors.contains(.breakDetected) { breaks &+= 1 }
  }
}
