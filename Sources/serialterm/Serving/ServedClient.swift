import EventLoop
import Glibc
import NetworkLinks
import Posix
import SerialCore
import SessionKit
import SystemPackage
import Telnet
import TerminalFrontEnd

/// A client of a port that is served: what it sends goes to the device, what the device sends goes to it.
///
/// A client of RFC 2217 also sets the line, and hears of modem lines and of errors.
final class ServedClient: SessionObserver {
  /// Called once, when the client has ended its stream, or is gone. It is called in one of its own events.
  var onEnd: () -> Void = {}

  private let input: FileDescriptor
  private let channel: OutputChannel
  private let session: Session
  private let hub: Hub
  private let loop: IOLoop
  private let lines: ModemLineWatch
  private let sequences: SequencePlayer
  private var watch: DescriptorWatch?
  private var subscription: Hub.Subscription?
  /// The protocol; nil for bytes alone.
  private var server: ComPortServer?
  private var isBreaking = false
  /// The output lines that the client has set. A port without modem lines, such as a pseudo-terminal, has
  /// them as they were set: many clients end at a server that refuses a line.
  private var outputs: ModemLines = []
  private var breakEnd: LoopTimer?
  /// Begins without an answer: the client may be no telnet client.
  private var beginning: LoopTimer?
  private var encoded: [UInt8] = []
  private var data: [UInt8] = []
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)

  /// The length of a break that a client asks for without one.
  private static let breakLength = Duration.milliseconds(250)
  /// How long the first answer of a telnet client is waited for.
  private static let negotiationTime = Duration.milliseconds(500)

  /// Begins to talk to a client.
  ///
  /// - Parameters:
  ///   - input: what the client sends; borrowed.
  ///   - output: what goes to the client; borrowed, and another descriptor than `input`.
  ///   - speech: the protocol.
  /// - Throws: the errors of epoll_ctl(2).
  init(
    reading input: FileDescriptor, writing output: FileDescriptor, speaking speech: ServedProtocol,
    to controller: SessionController, lines: ModemLineWatch, on loop: IOLoop
  ) throws(Errno) {
    self.input = input
    self.loop = loop
    self.lines = lines
    session = controller.session
    hub = controller.hub
    sequences = controller.sequences
    channel = try OutputChannel(output, on: loop, whenFull: .pushBack)
    watch = try loop.watch(input, for: .reading) { [unowned self] _ in read() }
    channel.onRoom = { [unowned self] in updateHold() }
    channel.onGone = { [unowned self] _ in end() }
    session.addObserver(self, of: [.sent, .stateChange, .modemLinesChange, .countersChange])
    switch speech {
    case .raw: begin()
    case .telnet, .rfc2217:
      server = ComPortServer(
        signature: "serialterm \(Serialterm.version)", offersPort: speech == .rfc2217)
      server?.open()
      flush()
      beginning = loop.schedule(after: Self.negotiationTime) { [unowned self] in begin() }
    }
  }

  deinit { buffer.deallocate() }

  /// Whether the client has ended its stream, although something of it may wait to be read. See poll(2).
  var hasLeft: Bool {
    // POLLRDHUP of <bits/poll.h>.
    let ended: CShort = 0x2000
    var entry = pollfd(fd: input.rawValue, events: ended, revents: 0)
    return poll(&entry, 1, 0) > 0
      && entry.revents & (ended | CShort(POLLHUP) | CShort(POLLERR)) != 0
  }

  private func begin() {
    beginning = nil
    guard subscription == nil else { return }
    subscription = hub.subscribe(as: .view, whenFull: .wait) { [unowned self] in pass($0) }
    if server != nil { lines.isWatched = true }
    reportLines()
  }

  /// Ends the connection, which the owner then releases.
  func end() {
    guard let watch else { return }
    watch.cancel()
    (self.watch, subscription, beginning) = (nil, nil, nil)
    // Nobody would end it.
    if isBreaking { setBreak(false) }
    session.removeObserver(self)
    onEnd()
  }

  // MARK: From the device

  private func pass(_ bytes: UnsafeRawBufferPointer) {
    guard server != nil else {
      channel.write(bytes)
      return updateHold()
    }
    encoded.removeAll(keepingCapacity: true)
    server?.encode(bytes, into: &encoded)
    encoded.withUnsafeBytes { channel.write($0) }
    updateHold()
  }

  /// The device waits while the client takes nothing.
  private func updateHold() {
    subscription?.update(isFull: channel.isCrowded || server?.maySend == false)
  }

  /// Sends the answers of the protocol.
  private func flush() {
    guard let output = server?.output, !output.isEmpty else { return }
    server?.output = []
    output.withUnsafeBytes { channel.write($0) }
  }

  // MARK: From the client

  /// While the port is not open, or takes nothing, the client waits.
  private func updateInterest() {
    let takes = session.isOpen && session.writeRoom > 0
    // Fails only if memory is short; the next event tries again.
    _ = try? watch?.setInterest(takes ? .reading : [])
  }

  private func read() {
    let room = min(session.isOpen ? session.writeRoom : 0, buffer.count)
    guard room > 0 else { return updateInterest() }
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])
    switch (try? input.readAvailable(into: piece)) ?? .endOfFile {
    case .bytes(let count): take(UnsafeRawBufferPointer(rebasing: piece[..<count]))
    case .wouldBlock: break
    case .endOfFile: end()
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    guard server != nil else { return send(bytes) }
    // A piece begins with the byte that begins commands, so that the command in it comes before its data: a
    // rate is set before the bytes that follow it are sent.
    var rest = bytes[...]
    while !rest.isEmpty {
      let end = rest.dropFirst().firstIndex(of: TelnetCommand.interpretAsCommand) ?? rest.endIndex
      takePiece(UnsafeRawBufferPointer(rebasing: rest[..<end]))
      rest = rest[end...]
    }
    flush()
  }

  private func takePiece(_ bytes: UnsafeRawBufferPointer) {
    data.removeAll(keepingCapacity: true)
    for event in server?.receive(bytes, into: &data) ?? [] { handle(event) }
    guard !data.isEmpty else { return }
    // What it sends may have an answer.
    begin()
    data.withUnsafeBytes { send($0) }
  }

  private func send(_ bytes: UnsafeRawBufferPointer) {
    // There is room. If the device is gone, its loss is reported.
    _ = try? session.write(bytes.bytes)
    updateInterest()
  }

  private func handle(_ event: ComPortServer.Event) {
    switch event {
    case .began, .refused: begin()
    case .sendingPermitted: updateHold()
    case .breakRequested:
      setBreak(true)
      breakEnd = loop.schedule(after: Self.breakLength) { [unowned self] in setBreak(false) }
    case .asked(let message): perform(message)
    }
  }

  // MARK: The line

  private func perform(_ message: ComPortMessage) {
    switch message {
    case .baudRate(let rate) where rate > 0:
      apply(message) { $0.baudRate = rate }
    case .dataSize(let size) where (5...8).contains(size):
      apply(message) { $0.dataSize = size }
    case .parity(let number):
      apply(message) { $0.parity = ComPortParity(rawValue: number) ?? $0.parity }
    case .stopSize(let size) where (1...2).contains(size):
      apply(message) { $0.stopSize = size }
    case .control(let control): perform(control)
    case .sequence(let text): play(String(decoding: text, as: UTF8.self))
    case .purge(let buffers):
      if buffers & 2 != 0 { _ = session.discardUnsent() }
      answer(message)
    default: answer(message)
    }
  }

  private func perform(_ control: ComPortControl) {
    switch control {
    case .noFlow, .softwareFlow, .hardwareFlow:
      return apply(.control(control)) { $0.flow = control }
    case .breakOn: setBreak(true)
    case .breakOff: setBreak(false)
    case .dtrOn: set(.dtr, to: true)
    case .dtrOff: set(.dtr, to: false)
    case .rtsOn: set(.rts, to: true)
    case .rtsOff: set(.rts, to: false)
    default: break
    }
    answer(.control(control))
  }

  private func set(_ line: ModemLines, to isOn: Bool) {
    if isOn { outputs.insert(line) } else { outputs.remove(line) }
    // What a port refuses stays as it is, which the answer tells.
    _ = try? session.setModemLines(asserting: isOn ? line : [], deasserting: isOn ? [] : line)
  }

  /// Plays a sequence here, where its waits are not those of a network.
  private func play(_ text: String) {
    let sequence: LineSequence
    do {
      sequence = try LineSequence(parsing: text)
    } catch {
      server?.sequenceEnded(because: "\(error)")
      return
    }
    sequences.play(sequence, named: "a sequence of the client") { [weak self] end in
      let reason =
        switch end {
        case .done: ""
        case .failed(let step, let error): "\(step): \(Failure(error).message)"
        case .stopped: "stopped"
        case .portClosed: "the port was closed"
        }
      self?.server?.sequenceEnded(because: reason)
      self?.flush()
    }
  }

  private func setBreak(_ isOn: Bool) {
    breakEnd = nil
    // A port without breaks, such as a pseudo-terminal, ignores it.
    _ = try? session.setBreak(isOn)
    isBreaking = isOn
  }

  private var settings: LineSettings {
    if case .open(_, let settings) = session.state { settings } else { session.requestedSettings }
  }

  private func apply(
    _ message: ComPortMessage, _ change: (inout ComPortClient.Settings) -> Void
  ) {
    var wanted = settings.forServer
    change(&wanted)
    guard wanted != settings.forServer else { return answer(message) }
    session.apply(LineSettings(wanted)) { [weak self] _ in
      self?.answer(message)
      self?.flush()
    }
  }

  private func answer(_ message: ComPortMessage) {
    let lines = session.modemLines ?? outputs
    server?.answer(
      message,
      with: ComPortServer.Port(
        settings: settings.forServer, isDTROn: lines.contains(.dtr), isRTSOn: lines.contains(.rts),
        isBreaking: isBreaking))
  }

  // MARK: Reports

  /// A port without modem lines has none on: clients wait for a report all the same.
  private func reportLines() {
    server?.report(ComPortModemState(session.modemLines ?? []))
    flush()
  }

  func session(
    _ session: Session, didChangeModemLinesFrom old: ModemLines, to new: ModemLines
  ) {
    reportLines()
  }

  func session(
    _ session: Session, didChangeCountersFrom old: LineCounters, to new: LineCounters
  ) {
    var errors = ComPortLineState()
    if new.framingErrors != old.framingErrors { errors.insert(.framingError) }
    if new.parityErrors != old.parityErrors { errors.insert(.parityError) }
    if new.overruns != old.overruns { errors.insert(.overrun) }
    if new.breaks != old.breaks { errors.insert(.breakDetected) }
    server?.report(errors)
    flush()
  }

  func session(_ session: Session, didSend bytes: RawSpan, by author: Author) { updateInterest() }

  func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    updateInterest()
    reportLines()
  }
}

extension ComPortModemState {
  /// The input lines of a port.
  fileprivate init(_ lines: ModemLines) {
    self = []
    if lines.contains(.cts) { insert(.cts) }
    if lines.contains(.dsr) { insert(.dsr) }
    if lines.contains(.dcd) { insert(.dcd) }
    if lines.contains(.ri) { insert(.ri) }
  }
}

/// What a client speaks.
enum ServedProtocol: String, CaseIterable, Sendable {
  /// Bytes alone.
  case raw
  /// Telnet, without the line's settings.
  case telnet
  /// Telnet with the line's settings.
  case rfc2217
}
