package import EventLoop
import Glibc
import NetworkLinks
import PlainText
import Posix
package import SerialCore
package import SystemPackage
import Telnet

/// A client of a shared port: what it sends goes to the device if it may write, what the device sends goes to it.
///
/// A client of RFC 2217 also sets the line if it may, and hears of modem lines and of errors. A serialterm hears
/// of the people at the session too, and a viewer gets what was shown before.
///
/// Nobody waits for a client that takes nothing: what does not fit is left out, and the client learns how much. The one
/// with the pen is waited for if it is alone, and else for a moment.
package final class ServedClient: SessionObserver, Participant {
  /// Called once, when the client has ended its stream, or is gone. It is called in one of its own events.
  package var onEnd: () -> Void = {}
  /// Reports what its owner has to know.
  package var onReport: (Report) -> Void = { _ in }

  /// What the owner of a client has to know.
  package enum Report: Hashable {
    /// The client has sent bytes and may not write: they were dropped. Reported once for each holder of the pen.
    case mayNotWrite(Int)
    /// The client did not take this number of the device's bytes.
    case leftOut(Int)
    /// The client has left, and this number of its bytes was not sent.
    case unsent(Int)
    /// The client takes nothing, and its protocol cannot say that bytes are missing: it was disconnected.
    case stalled
  }

  /// How a client came.
  package struct Welcome {
    package let speech: ServedProtocol
    /// Its name, until it tells a better one; safe to show.
    package let name: String
    /// Whether it has joined the session as a viewer, and says more before it gets anything.
    package let isViewer: Bool
    /// Whether it may take the pen without asking.
    package let mayTake: Bool

    package init(speech: ServedProtocol, name: String, isViewer: Bool = false, mayTake: Bool) {
      self.speech = speech
      self.name = name
      self.isViewer = isViewer
      self.mayTake = mayTake
    }
  }

  /// How the program speaks of itself to clients.
  package struct Program {
    /// Its name and version.
    let signature: String
    /// An error in words.
    let words: (SerialError) -> String

    package init(signature: String, words: @escaping (SerialError) -> String) {
      (self.signature, self.words) = (signature, words)
    }
  }

  /// Its number among the members; nobody's until it has joined.
  package private(set) var id: Roster.ID = SharingMessage.nobody
  private let input: FileDescriptor
  private let output: ClientOutput
  private unowned let controller: SessionController
  private let session: Session
  private let desk: SharingDesk
  private let loop: IOLoop
  private let welcome: Welcome
  private let program: Program
  private var watch: DescriptorWatch?
  private var subscription: Hub.Subscription?
  /// The protocol; nil for bytes alone.
  private var server: ComPortServer?
  /// Whether the client is a person's serialterm, which hears of the others.
  private var isPerson = false
  /// Bytes that may be sent and do not fit yet.
  private var pending: [UInt8] = []
  private var isWaiting = false
  private var hasPeerEnded = false
  /// The number of bytes that were dropped since the pen moved.
  private var droppedCount = 0
  private var isBreaking = false
  /// The output lines that the client has asked for. A port without modem lines, such as a pseudo-terminal, has
  /// them as they were asked for, also by a viewer: many clients end at a server that refuses a line.
  private var outputs: ModemLines = []
  private var breakEnd: LoopTimer?
  /// Begins without an answer: the client may be no telnet client.
  private var beginning: LoopTimer?
  /// When the client with the pen is not waited for any more.
  private var holdLimit: LoopTimer?
  private var isStalled = false

  /// The length of a break that a client asks for without one.
  private static let breakLength = Duration.milliseconds(250)
  /// How long the first answer of a telnet client is waited for.
  private static let negotiationTime = Duration.milliseconds(500)
  /// How long a viewer may take to say who it is.
  private static let helloTime = Duration.seconds(5)
  /// How long others wait for the client with the pen.
  private static let holdPatience = Duration.seconds(2)
  private static let readSize = 16_384
  private static let longestName = 60

  /// Begins to talk to a client.
  ///
  /// - Parameters:
  ///   - input: what the client sends; borrowed.
  ///   - output: what goes to the client; borrowed, and another descriptor than `input`.
  ///   - program: how the program speaks of itself.
  /// - Throws: the errors of epoll_ctl(2).
  package init(
    reading input: FileDescriptor, writing output: FileDescriptor, as welcome: Welcome,
    of controller: SessionController, program: Program, on loop: IOLoop
  ) throws(Errno) {
    self.input = input
    self.loop = loop
    self.welcome = welcome
    self.program = program
    self.controller = controller
    session = controller.session
    desk = controller.sharing
    self.output = try ClientOutput(output, on: loop)
    watch = try loop.watch(input, for: [.reading, .endOfPeer]) { [unowned self] in take($0) }
    self.output.onRoom = { [unowned self] in updateHold() }
    self.output.onGap = { [unowned self] in tellGap($0) }
    self.output.onGone = { [unowned self] in clientGone() }
    session.addObserver(self, of: [.stateChange, .modemLinesChange, .countersChange])
    if !welcome.isViewer { join(as: welcome.name, answers: false) }
    if welcome.speech == .raw { begin() } else { negotiate() }
  }

  private func join(as name: String, answers: Bool) {
    id = desk.join(self) {
      Roster.Member(
        id: $0, name: name, answers: answers, takesFreePen: !welcome.isViewer,
        mayTake: welcome.mayTake)
    }
  }

  private func negotiate() {
    server = ComPortServer(
      signature: program.signature, offersPort: welcome.speech == .rfc2217)
    server?.open()
    flush()
    beginning = loop.schedule(after: welcome.isViewer ? Self.helloTime : Self.negotiationTime) {
      [unowned self] in if welcome.isViewer { end() } else { begin() }
    }
  }

  private func begin() {
    beginning = nil
    guard subscription == nil, watch != nil else { return }
    subscription = controller.hub.subscribe(as: .view, whenFull: .wait) { [unowned self] in pass($0)
    }
    if !welcome.isViewer { desk.useFreePen(id) }
    reportLines()
  }

  /// Ends the connection, which the owner then releases.
  package func end() {
    guard let watch else { return }
    watch.cancel()
    output.end()
    (self.watch, subscription, beginning, holdLimit) = (nil, nil, nil, nil)
    let unsent = pending.count + (hasPeerEnded ? input.availableByteCount : 0)
    if unsent > 0, desk.roster.mayWrite(id) { onReport(.unsent(unsent)) }
    // Nobody would end it.
    if isBreaking { setBreak(false) }
    session.removeObserver(self)
    desk.leave(id)
    onEnd()
  }

  /// The session ends: says why, as far as the protocol can.
  package func end(because reason: String) {
    if isPerson { tell(.ended(reason)) } else { say(reason) }
    end()
  }

  // MARK: From the device

  private func pass(_ bytes: UnsafeRawBufferPointer) {
    output.leavesOut = !isWaitedFor
    if server == nil {
      output.write(bytes, of: bytes.count)
    } else {
      withScratch { encoded in
        server?.encode(bytes, into: &encoded)
        encoded.withUnsafeBytes { output.write($0, of: bytes.count) }
      }
    }
    if welcome.speech == .raw, output.leftOut > 0 {
      // Bytes alone cannot tell of a gap.
      onReport(.stalled)
      return end()
    }
    updateHold()
  }

  /// Whether the device waits for the client rather than leaving bytes out.
  private var isWaitedFor: Bool { !isStalled && desk.mayHoldDevice(id) }

  /// The device waits while the client takes nothing; if others are there, only for a moment.
  private func updateHold() {
    guard watch != nil else { return }
    output.isSuspended = server?.maySend == false
    let isFull = output.isCrowded || output.isSuspended
    if !isFull { (isStalled, holdLimit) = (false, nil) }
    subscription?.update(isFull: isFull && isWaitedFor)
    guard isFull, isWaitedFor, holdLimit == nil, desk.hasOthers(than: id) else { return }
    holdLimit = loop.schedule(after: Self.holdPatience) { [unowned self] in
      isStalled = true
      subscription?.update(isFull: false)
    }
  }

  private func tellGap(_ count: Int) {
    onReport(.leftOut(count))
    switch welcome.speech {
    case .raw: break
    case .telnet: say("\(count.counted("byte")) of the device not shown")
    case .rfc2217 where isPerson: tell(.missed(UInt32(clamping: count)))
    case .rfc2217:
      server?.report(.overrun)
      flush()
    }
  }

  /// Tells a person at a telnet program. Programs would take it for bytes of the device.
  private func say(_ text: String) {
    guard welcome.speech == .telnet else { return }
    var line = "\r\n[serialterm: \(text)]\r\n"
    line.withUTF8 { bytes in
      withScratch { encoded in
        server?.encode(UnsafeRawBufferPointer(bytes), into: &encoded)
        output.write(message: encoded)
      }
    }
  }

  private func withScratch(_ body: (inout [UInt8]) -> Void) {
    var scratch = scratch
    self.scratch = []
    scratch.removeAll(keepingCapacity: true)
    body(&scratch)
    if scratch.capacity <= 2 * Self.readSize { self.scratch = scratch }
  }

  private var scratch: [UInt8] = []

  /// Sends the answers of the protocol.
  private func flush() {
    guard let message = server?.output, !message.isEmpty else { return }
    server?.output = []
    output.write(message: message)
  }

  // MARK: From the client

  private func take(_ readiness: Readiness) {
    // At the end of a pipe there is only the hang-up.
    if !isWaiting, !readiness.isDisjoint(with: [.readable, .hungUp]) { return read() }
    guard !readiness.isDisjoint(with: [.peerEnded, .hungUp]), !hasPeerEnded else { return }
    hasPeerEnded = true
    updateInterest()
    endIfHopeless()
  }

  /// Nobody gets the output any more. What the client had sent before is sent, or counted.
  private func clientGone() {
    hasPeerEnded = true
    // At the end of the turn: bytes of the client may be on their way right now.
    loop.atEndOfTurn { [weak self] in self?.finish() }
  }

  private func finish() {
    while watch != nil, !isWaiting, input.availableByteCount > 0 { read() }
    end()
  }

  /// A client that has gone while nobody can take its bytes is not waited for.
  private func endIfHopeless() {
    if hasPeerEnded, isWaiting, !session.isOpen { end() }
  }

  private func updateInterest() {
    // Fails only if memory is short; the next event tries again.
    _ = try? watch?.setInterest(
      (isWaiting ? EventLoop.Interest() : .reading).union(hasPeerEnded ? [] : .endOfPeer))
  }

  private func read() {
    withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 16) { buffer in
      switch (try? input.readAvailable(into: buffer)) ?? .endOfFile {
      case .bytes(let count): take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      case .wouldBlock: break
      case .endOfFile: end()
      }
    }
  }

  /// Takes bytes that the client has sent.
  func take(_ bytes: UnsafeRawBufferPointer) {
    guard server != nil else { return send(bytes) }
    // A piece begins with the byte that begins commands, so that the command in it comes before its data: a
    // rate is set before the bytes that follow it are sent.
    var rest = bytes[...]
    while !rest.isEmpty, watch != nil {
      let end = rest.dropFirst().firstIndex(of: TelnetCommand.interpretAsCommand) ?? rest.endIndex
      takePiece(UnsafeRawBufferPointer(rebasing: rest[..<end]))
      rest = rest[end...]
    }
    flush()
  }

  private func takePiece(_ bytes: UnsafeRawBufferPointer) {
    var data: [UInt8] = []
    for event in server?.receive(bytes, into: &data) ?? [] { handle(event) }
    guard !data.isEmpty else { return }
    // What it sends may have an answer.
    if !welcome.isViewer { begin() }
    data.withUnsafeBytes { send($0) }
  }

  /// Sends bytes, keeps them until there is room, or drops them if the client may not write.
  private func send(_ bytes: UnsafeRawBufferPointer) {
    guard pending.isEmpty else { return pending.append(contentsOf: bytes) }
    switch desk.write(bytes, by: id) {
    case .taken(bytes.count): break
    case .taken(let count):
      pending = Array(bytes[count...])
      wait()
    case .wait:
      pending = Array(bytes)
      wait()
    case .refused: refuse(bytes.count)
    }
  }

  private func wait() {
    isWaiting = true
    updateInterest()
    // A line may have ended with what was taken.
    loop.atEndOfTurn { [weak self] in self?.goOn() }
  }

  package func goOn() {
    guard isWaiting, watch != nil else { return }
    isWaiting = false
    let bytes = pending
    pending = []
    bytes.withUnsafeBytes { send($0) }
    if !isWaiting { updateInterest() }
  }

  private func refuse(_ count: Int) {
    if droppedCount == 0 {
      onReport(.mayNotWrite(count))
      say("\(penInWords): what you type goes nowhere")
    }
    droppedCount += count
  }

  private var penInWords: String {
    switch desk.roster.rule {
    case .none: "nobody can type here"
    case .one, .all:
      desk.roster.holder.flatMap { desk.member($0) }.map { "\($0.name) has the pen" }
        ?? "you only watch"
    }
  }

  private func handle(_ event: ComPortServer.Event) {
    switch event {
    case .began, .refused: if !welcome.isViewer { begin() }
    case .sendingPermitted: updateHold()
    case .breakRequested:
      guard desk.maySetLine(id) else { return refuse(0) }
      setBreak(true)
      breakEnd = loop.schedule(after: Self.breakLength) { [unowned self] in setBreak(false) }
    case .asked(let message): perform(message)
    case .shared(let message): perform(message)
    }
  }

  // MARK: The line

  private func perform(_ message: ComPortMessage) {
    if case .control(let control) = message { outputs.note(control) }
    guard !message.changesLine || desk.maySetLine(id) else {
      if case .sequence = message {
        server?.sequenceEnded(because: penInWords)
      } else {
        answer(message)
      }
      return
    }
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
      if buffers & 2 != 0 { pending = [] }
      if buffers & 2 != 0, desk.maySetLine(id) { _ = session.discardUnsent() }
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
    controller.sequences.play(sequence, named: "a sequence of the client") {
      [weak self, program] end in
      let reason =
        switch end {
        case .done: ""
        case .failed(let step, let error): "\(step): \(program.words(error))"
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

  // MARK: The people

  private func perform(_ message: SharingMessage) {
    switch message {
    case .hello(let name, let isViewer):
      if !isPerson { greet(name, isViewer: isViewer) }
    case .ask: desk.ask(id)
    case .give(let other): desk.give(by: id, to: other)
    case .keep: desk.keep(by: id)
    case .take: desk.take(id)
    case .giveBack: desk.giveBack(by: id)
    case .welcome, .history, .member, .left, .pen, .asks, .kept, .missed, .port, .ended: break
    }
    flush()
  }

  /// Tells a serialterm who is there, and a viewer also what was shown before it came.
  private func greet(_ name: String, isViewer: Bool) {
    let shown = String(
      String.UnicodeScalarView(name.harmless.unicodeScalars.prefix(Self.longestName)))
    if welcome.isViewer {
      join(as: shown.isEmpty ? welcome.name : shown, answers: true)
    } else {
      desk.update(id) {
        if !shown.isEmpty { $0.name = "\(shown) (\(welcome.name))" }
        $0.answers = true
      }
    }
    isPerson = true
    server?.tell(.welcome(id, mayTake: welcome.mayTake, desk.roster.rule))
    for member in desk.roster.members where member.id != id {
      server?.tell(.member(member.id, name: member.name, answers: member.answers))
    }
    server?.tell(.pen(desk.roster.holder ?? SharingMessage.nobody, .taken))
    tellPort()
    guard isViewer else { return }
    for piece in desk.history {
      for start in stride(from: 0, to: piece.bytes.count, by: SharingMessage.historyLimit) {
        let part = piece.bytes[start...].prefix(SharingMessage.historyLimit)
        server?.tell(.history(time: piece.time, Array(part)))
      }
    }
    begin()
  }

  private func tell(_ message: SharingMessage) {
    server?.tell(message)
    flush()
  }

  private func tellPort() {
    guard isPerson else { return }
    let state: SharingMessage.PortState =
      switch session.state {
      case .open: .open
      case .waitingForDevice, .opening: .waiting
      case .released: .released
      case .closed: .closed
      }
    tell(.port(state, name: session.state.endpoint.map { "\($0)".harmless } ?? ""))
  }

  package func hear(_ event: Roster.Event) {
    if case .moved = event { droppedCount = 0 }
    guard isPerson else { return }
    switch event {
    case .joined(let member), .changed(_, let member):
      tell(.member(member.id, name: member.name, answers: member.answers))
    case .left(let member): tell(.left(member.id))
    case .moved(_, let member, let handover):
      tell(.pen(member?.id ?? SharingMessage.nobody, handover))
    case .asked(let member): if desk.roster.holder == id { tell(.asks(member.id)) }
    case .kept(_, let refused): if refused.contains(where: { $0.id == id }) { tell(.kept) }
    }
  }

  // MARK: Reports

  /// A port without modem lines has none on: clients wait for a report all the same.
  private func reportLines() {
    server?.report(ComPortModemState(session.modemLines ?? []))
    flush()
  }

  package func session(
    _ session: Session, didChangeModemLinesFrom old: ModemLines, to new: ModemLines
  ) {
    reportLines()
  }

  package func session(
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

  package func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    reportLines()
    if isPerson, case .open(_, let settings) = new { server?.tell(settings.forServer) }
    tellPort()
    switch (old, new) {
    case (.open, .waitingForDevice): say("the device is gone; waiting for it")
    case (.opening, .open): say("the device is back")
    case (.open, .released): say("the port is released for another program")
    default: break
    }
    endIfHopeless()
  }
}

extension ComPortMessage {
  /// Whether it changes something for everybody, rather than asking.
  fileprivate var changesLine: Bool {
    switch self {
    case .baudRate(let rate): rate > 0
    case .dataSize(let value), .parity(let value), .stopSize(let value): value > 0
    case .control(let control):
      ![.askFlow, .askBreak, .askDTR, .askRTS].contains(control)
        && control.subject != .inboundFlow
    case .sequence: true
    case .purge, .signature, .lineState, .modemState, .flowSuspend, .flowResume, .lineStateMask,
      .modemStateMask, .sharing:
      false
    }
  }
}

extension ModemLines {
  /// Notes what a client asks of an output line.
  fileprivate mutating func note(_ control: ComPortControl) {
    switch control {
    case .dtrOn: insert(.dtr)
    case .dtrOff: remove(.dtr)
    case .rtsOn: insert(.rts)
    case .rtsOff: remove(.rts)
    default: break
    }
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
