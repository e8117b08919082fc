public import EventLoop
package import Observing
public import Posix
public import SerialCore
public import SystemPackage
public import Telnet
import TextTools

/// A link over a stream: a port of a server (RFC 2217), a telnet server, or a plain byte stream.
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
  /// What a server that is used by telnet alone speaks instead.
  package let otherProtocol = Observable<StreamProtocol>()

  public let endpoint: Endpoint
  private let address: Address
  private let options: LinkOptions
  private let loop: IOLoop
  /// How the user is introduced to a server that is a serialterm. A change is effective until the
  /// server is connected.
  package var introduction: SharingMessage.Introduction
  private var streamProtocol: StreamProtocol
  /// The size of the user's window, for a server that asks for it; nil for none.
  package var windowSize: ComPortClient.WindowSize? {
    didSet {
      server?.port.client.windowSize = windowSize
      flush()
    }
  }
  /// The settings that the owner wants, or those of a place.
  private var settings = LineSettings()
  private var report: ((LinkEvent) -> Void)?
  private var state = State.closed

  /// A state, with what belongs to it. Leaving the state releases that, which closes the
  /// connection; a method may keep it until it returns.
  private enum State {
    /// Not started yet, or closed.
    case closed
    /// Asks where the port of a place is.
    case lookingUp(LabgridQuery)
    case connecting(StreamOpening)
    /// Reads the server's answers until its port is open.
    case negotiating(ServerConnection, DescriptorWatch)
    /// The port of the server is open.
    case open(ServerConnection)
    /// A plain byte stream is connected.
    case stream(StreamSocket)
  }

  /// The time limit for connecting.
  static let connectTimeout = Duration.seconds(10)
  /// The time limit for an answer of the server.
  static let answerTimeout = Duration.seconds(3)
  /// The time limit for ssh to connect, log in, and start the program on the other computer.
  static let loginTimeout = Duration.seconds(30)
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
  ///   - streamProtocol: what the other end speaks.
  ///   - introduction: tells a server that is a serialterm who the user is.
  public init(
    to endpoint: Endpoint, at address: Address, speaking streamProtocol: StreamProtocol,
    options: LinkOptions,
    as introduction: SharingMessage.Introduction = .unnamed,
    on loop: IOLoop
  ) {
    self.endpoint = endpoint
    self.address = address
    self.streamProtocol = streamProtocol
    self.options = options
    self.introduction = introduction
    self.loop = loop
  }

  private var isOpen: Bool { descriptor != nil }

  private var server: ServerConnection? {
    switch state {
    case .negotiating(let server, _), .open(let server): server
    case .closed, .lookingUp, .connecting, .stream: nil
    }
  }

  /// Sends a message about the members of the session, if the server is a serialterm.
  package func say(_ message: SharingMessage) {
    server?.port.client.say(message)
    flush()
  }

  // MARK: Opening

  public func start(_ settings: LineSettings, report: @escaping (LinkEvent) -> Void) {
    (self.settings, self.report) = (settings, report)
    switch address {
    case .host(let host): connect(to: .host(host))
    case .path(let path), .session(let path, _): connect(to: .path(path))
    case .ssh(let address): startProgram(address.command)
    case .labgrid(let place):
      state = .lookingUp(
        LabgridQuery(place.arguments, on: loop) { [unowned self] in
          connect(to: place, asFoundIn: $0)
        })
    }
  }

  private func connect(to destination: StreamOpening.Destination) {
    let opening = StreamOpening(to: destination, on: loop, timeout: Self.connectTimeout) {
      [unowned self] in
      switch $0 {
      case .success(let socket): connected(socket)
      case .failure(let failure): fail(SerialError(failure, at: endpoint))
      }
    }
    state = .connecting(opening)
  }

  private func connect(to place: LabgridPlace, asFoundIn answer: LabgridQuery.Answer) {
    do throws(LabgridPlace.Problem) {
      let port = try place.port(in: answer)
      if port.isRaw {
        streamProtocol = .raw
      } else if let speed = port.speed, settings == LineSettings() {
        // Nobody has asked for another rate than that of the place.
        settings.baudRate = speed
      }
      connect(to: .host(port.address))
    } catch {
      fail(SerialError(error.code, in: LabgridPlace.operation, at: endpoint, subject: error.words))
    }
  }

  private func startProgram(_ words: [String]) {
    do throws(Errno) {
      let program = try StreamProgram(words, on: loop) { [unowned self] in
        // If the link is open, the session finds the end of the stream itself.
        if case .negotiating = state, let program = server?.program {
          fail(SSHAddress.error(status: program.status, program.lastWords(), at: endpoint))
        }
      }
      connected(program.socket, of: program)
    } catch {
      fail(SerialError(.unreachable, in: "ssh", at: endpoint, errno: error))
    }
  }

  private func connected(_ socket: StreamSocket, of program: StreamProgram? = nil) {
    guard streamProtocol != .raw else {
      state = .stream(socket)
      report?(
        .opened(
          settings,
          LineProbe(
            modemLines: nil, counters: nil, hasBreaks: false, hasSettings: false,
            hasBackPressure: true)))
      return
    }
    let port = ServerPort(
      ComPortClient(
        settings.forServer, setsLine: streamProtocol == .rfc2217, windowSize: windowSize,
        adoptsSettings: address.isSession,
        saying: .hello(introduction, isViewer: address.isSession)),
      opening: options)
    do throws(Errno) {
      let watch = try loop.watch(socket.descriptor, for: .reading) { [unowned self] _ in
        negotiate()
      }
      state = .negotiating(
        ServerConnection(socket, of: program, to: port, greeting: address.greeting), watch)
    } catch {
      program?.terminate()
      return fail(SerialError(.system, in: "epoll_ctl", at: endpoint, errno: error))
    }
    waitForAnswer()
    flush()
  }

  /// Reads the server's answers until the port is open.
  private func negotiate() {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      var events: [ComPortClient.Event] = []
      do throws(SerialError) {
        switch try receive(into: buffer, &events) {
        case .bytes(let count, _):
          server?.early += buffer[..<count]
          handle(events)
          if !isOpen, let count = server?.early.count, count > Self.earlyLimit { sentTooMuch() }
        case .wouldBlock: break
        case .endOfFile: endedEarly(hungUp)
        }
      } catch {
        endedEarly(error)
      }
    }
  }

  private func endedEarly(_ error: SerialError) {
    guard case .negotiating(let server, let watch) = state, server.program != nil else {
      return fail(error)
    }
    // The exit status contains the reason. Until it is known, the socket stays readable.
    watch.setInterest([])
  }

  /// The error if the server closes the connection before the port is open, with the server's
  /// reason if it sent one.
  private var hungUp: SerialError {
    let text = String(decoding: server?.early.prefix(Self.reasonLimit) ?? [], as: UTF8.self)
    let line = text.split(whereSeparator: \.isNewline).first.map(String.init)
    let isBusy = line?.lowercased().contains(text: "in use") ?? false
    return SerialError(isBusy ? .busy : .refusedByServer, in: "read", at: endpoint, subject: line)
  }

  private static let reasonLimit = 200

  /// Ends the attempt to open the port of a server that sends data instead of answers.
  private func sentTooMuch() {
    if server?.port.client.state == .offered { return giveUp() }
    server?.early = []
    disconnect(because: "the server sent more than 1 MiB before its port was open")
  }

  private func opened() {
    if case .negotiating(let server, let watch) = state {
      watch.cancel()
      state = .open(server)
      server.program?.spare()
    }
    if let port = server?.port { report?(.opened(port.settings, port.probe)) }
    // The session reads the bytes that arrived before the port was open, as soon as it reads.
    offerRest()
  }

  private func fail(_ error: SerialError) {
    let (wasOpen, report) = (isOpen, report)
    if !wasOpen { close() }
    report?(wasOpen ? .lost(error) : .failed(error))
  }

  // MARK: The server

  private func waitForAnswer() {
    guard let server, server.patience == nil else { return }
    let limit = server.program == nil || isOpen ? Self.answerTimeout : Self.loginTimeout
    server.patience = loop.schedule(after: limit) { [unowned self] in
      self.server?.patience = nil
      giveUp()
    }
  }

  /// Continues without the answers of the server.
  private func giveUp() { handle(server?.port.client.giveUp() ?? []) }

  private func handle(_ events: [ComPortClient.Event]) {
    if server?.unhandled.isEmpty == false { offerRest() }
    if server?.port.client.isWaiting == false { server?.patience = nil }
    for event in events where server != nil { handle(event) }
    flush()
  }

  private func handle(_ event: ComPortClient.Event) {
    switch event {
    case .opened: opened()
    case .refused(.noAnswer) where server?.program != nil:
      fail(SerialError(.unreachable, in: "ssh", at: endpoint, errno: .timedOut))
    case .refused(.noAnswer):
      fail(SerialError(.busy, in: "telnet", at: endpoint))
    case .refused(.noTelnet):
      fail(SerialError(.otherProtocol, in: "telnet", at: endpoint, subject: "telnet"))
    case .refused(.noComPort):
      fail(SerialError(.otherProtocol, in: "telnet", at: endpoint, subject: "RFC 2217"))
    case .applied:
      guard let settings = server?.port.settings, let answers = server?.answers else { return }
      server?.answers = []
      for answer in answers { answer(.success(settings)) }
    case .played(let reason):
      let words = String(decoding: reason, as: UTF8.self)
      server?.plays.popFirst()?(
        reason.isEmpty
          ? .success(())
          : .failure(
            SerialError(
              .settingRefused, in: "play", at: endpoint, subject: "the sequence (\(words))")))
    case .settingsChanged, .linesChanged, .lineErrors, .sendingPermitted, .shared(.features),
      .shared(.counters):
      if let change = server?.port.handle(event), isOpen { report?(change) }
    case .shared(let message): sharingMessages.notify(message)
    case .speaks(let other): otherProtocol.notify(other)
    }
  }

  /// Goes on with what was already read, in a later turn of the loop.
  private func offerRest(after delay: Duration = .zero) {
    server?.offer = loop.schedule(after: delay) { [unowned self] in
      server?.offer = nil
      guard isOpen else { return negotiate() }
      if server?.hasRest == true { report?(.ready) }
      // The session may have found the end of the stream, and released the link.
      if server?.hasRest == true, server?.offer == nil { offerRest(after: Self.offerInterval) }
    }
  }

  private static let offerInterval = Duration.milliseconds(20)

  /// Disconnects a server that has exceeded a limit, at the end of the turn: a method of the
  /// session may be running.
  private func disconnect(because reason: String) {
    guard let server, server.cutOff == nil else { return }
    server.cutOff = loop.schedule(after: .zero) { [unowned self] in
      fail(SerialError(.lost, in: "read", at: endpoint, subject: reason))
    }
  }

  /// Sends what the client says, and as many encoded bytes as the socket accepts.
  private func flush() {
    guard let server, server.collectOutput() else { return }
    if server.outgoing.count > Self.outgoingLimit {
      disconnect(because: "the server does not read the answers to what it asks")
    }
    server.send()
    // Before the port is open, no other code polls the socket.
    if case .negotiating(_, let watch) = state {
      watch.setInterest(server.outgoing.isEmpty ? .reading : [.reading, .writing])
    }
  }

  // MARK: The session's loop

  public var descriptor: FileDescriptor? {
    switch state {
    case .open(let server): server.socket.descriptor
    case .stream(let socket): socket.descriptor
    case .closed, .lookingUp, .connecting, .negotiating: nil
    }
  }

  public var interest: Interest { server?.outgoing.isEmpty == false ? .writing : [] }

  public var acceptsBytes: Bool { server?.acceptsBytes ?? true }

  public func makeProgress(_ ready: Readiness) {
    if ready.contains(.writable) { flush() }
  }

  public func read(
    into buffer: UnsafeMutableRawBufferPointer, isLast: Bool
  ) throws(SerialError) -> LinkInput {
    var events: [ComPortClient.Event] = []
    let input = try receive(into: buffer, &events)
    guard case .bytes = input else { return input }
    handle(events)
    // An owner that has closed the link wants no bytes any more.
    return isOpen ? input : .bytes(0)
  }

  private func receive(
    into buffer: UnsafeMutableRawBufferPointer, _ events: inout [ComPortClient.Event]
  ) throws(SerialError) -> LinkInput {
    do throws(Errno) {
      switch state {
      case .open(let server) where !server.early.isEmpty:
        return .bytes(server.takeEarly(into: buffer))
      case .negotiating(let server, _), .open(let server):
        return try server.receive(into: buffer, &events)
      case .stream(let socket): return LinkInput(try socket.descriptor.readAvailable(into: buffer))
      case .closed, .lookingUp, .connecting: return .endOfFile
      }
    } catch {
      throw SerialError(.lost, in: "read", at: endpoint, errno: error)
    }
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(SerialError) -> WriteOutcome {
    switch state {
    case .stream(let socket):
      do { return try socket.writeAvailable(bytes) } catch {
        throw SerialError(.lost, in: "write", at: endpoint, errno: error)
      }
    case .open(let server) where server.acceptsBytes:
      defer { flush() }
      return .bytes(server.encode(bytes))
    case .open, .closed, .lookingUp, .connecting, .negotiating: return .wouldBlock
    }
  }

  public var unsentByteCount: Int {
    if case .stream(let socket) = state { return socket.unacknowledgedByteCount }
    return server?.unsentByteCount ?? 0
  }

  /// Discards unsent bytes. Bytes that the socket has accepted cannot be discarded; the
  /// unacknowledged ones may have arrived or not.
  public func discardUnsent() -> Int {
    defer { server?.discardUnsent() }
    return unsentByteCount
  }

  // MARK: The line

  /// Whether the server's port has a feature.
  private func has(_ feature: SharingMessage.Features) -> Bool {
    server?.port.has(feature) ?? false
  }

  /// Whether the server answers ``Telnet/SharingMessage/askWhenSent(_:)``.
  package var reportsSent: Bool { server?.port.features?.contains(.reportsSent) ?? false }

  public func apply(
    _ settings: LineSettings, answer: @escaping (Result<LineSettings, SerialError>) -> Void
  ) {
    guard has(.settings) else { return answer(.failure(unsupported("settings"))) }
    // Clients of this session may ask faster than the server answers.
    guard let count = server?.answers.count, count < Self.answerLimit else {
      return answer(.failure(SerialError(.queueFull, in: "apply", at: endpoint)))
    }
    server?.answers.append(answer)
    let events = server?.port.client.apply(settings.forServer) ?? []
    if events.isEmpty { waitForAnswer() }
    handle(events)
  }

  public func setBreak(_ isOn: Bool) throws(SerialError) {
    guard has(.breaks) else { throw unsupported("break") }
    server?.port.client.setBreak(isOn)
    flush()
  }

  public func modemLines() throws(SerialError) -> ModemLines {
    guard let lines = server?.port.modemLines else { throw unsupported("modem lines") }
    return lines
  }

  public func setModemLines(
    asserting: ModemLines, deasserting: ModemLines
  ) throws(SerialError) {
    guard has(.modemLines) else { throw unsupported("modem lines") }
    server?.port.setModemLines(asserting: asserting, deasserting: deasserting)
    flush()
  }

  public func canPlay(_ sequence: LineSequence) -> Bool {
    isOpen && server?.port.client.playsSequences == true
      && sequence.description.utf8.count <= ComPortClient.sequenceLimit
  }

  public func play(
    _ sequence: LineSequence, answer: @escaping (Result<Void, SerialError>) -> Void
  ) {
    guard canPlay(sequence) else { return answer(.failure(unsupported("sequences"))) }
    server?.plays.append(answer)
    server?.port.client.play(Array(sequence.description.utf8))
    flush()
  }

  public func counters() throws(SerialError) -> LineCounters {
    guard let counters = server?.port.counters else { throw unsupported("counters") }
    return counters
  }

  private func unsupported(_ feature: String) -> SerialError {
    SerialError(.unsupported, in: "RFC 2217", at: endpoint, subject: feature)
  }

  // MARK: The end

  public func close() {
    if case .negotiating(let server, let watch) = state {
      watch.cancel()
      // A program whose port is open ends because its input has ended, but it first sends the
      // bytes that it already has.
      server.program?.terminate()
    }
    (state, report) = (.closed, nil)
  }
}
