package import EventLoop
import Glibc
import NetworkLinks
import Observing
import Posix
package import SerialCore
package import SystemPackage
import Telnet
import TextTools
import Time

/// A client of a shared port. It gets the device's bytes; the device gets its bytes, if it may write.
///
/// A client of RFC 2217 can also change the line settings, if it may write, and gets reports of modem lines and
/// errors. A serialterm also gets the members of the session, and a viewer the bytes that were received before it
/// joined.
///
/// A client that takes nothing holds nobody up: bytes that do not fit are skipped, and the client learns how many.
/// The device waits only for the client with the pen: without a limit if that is the only member and nothing is logged,
/// otherwise within the ``HoldBudget``.
///
/// A client that has ended its stream, and does not use RFC 2217, still gets the device's answer.
package final class ServedClient: Participant {
  /// Called once, when the client has ended its stream or disconnected. It is called during one of the client's
  /// events.
  package var onEnd: () -> Void = {}
  /// Called with reports for the owner.
  package var onReport: (Report) -> Void = { _ in }

  /// A report for the owner of a client.
  package enum Report: Hashable {
    /// The client has sent bytes without the right to write. They were dropped. Reported once for each holder of the
    /// pen.
    case mayNotWrite(Int)
    /// The client did not take this number of the device's bytes.
    case leftOut(Int)
    /// The client has disconnected, and this number of its bytes was not sent.
    case unsent(Int)
    /// The client has discarded this number of its own bytes, which were not sent.
    case discarded(Int)
    /// The client has the pen and takes nothing. The device has waited for it long enough, and waits no longer.
    case overstayed
    /// The client takes nothing, and its protocol cannot report missing bytes. It was disconnected.
    case stalled
    /// The client asks and does not read the answers. It was disconnected.
    case answersUnread
  }

  /// How a client has connected.
  package struct Welcome {
    package let speech: ServedProtocol
    /// Its name until it sends a better one; safe to show.
    package let name: String
    /// Whether it has joined the session as a viewer. It then identifies itself before it gets anything.
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

  /// How the program identifies itself to clients.
  package struct Program {
    /// Its name and version.
    let signature: String
    /// Puts an error in words.
    let words: (SerialError) -> String

    package init(signature: String, words: @escaping (SerialError) -> String) {
      (self.signature, self.words) = (signature, words)
    }
  }

  /// Its number among the members; ``SharingMessage/nobody`` until it has joined.
  package private(set) var id: Roster.ID = SharingMessage.nobody
  private let input: FileDescriptor
  private let output: ClientOutput
  private unowned let controller: SessionController
  private let session: Session
  private var observations: [ObservationToken<SessionEvent>] = []
  private let sharing: SharingController
  private let loop: IOLoop
  private let welcome: Welcome
  private let program: Program
  private var watch: DescriptorWatch?
  private var subscription: Hub.Subscription?
  /// The protocol; nil for plain bytes.
  private var server: ComPortServer?
  /// Whether the client is a person's serialterm, which gets news of the other members.
  private var isPerson = false
  /// Bytes that may be sent but have no room yet.
  private var pending: [UInt8] = []
  /// Bytes that were read and are left for the next turn, because the client asks for much.
  private var unhandled: [UInt8] = []
  private var nextTurn: LoopTimer?
  /// The number of bytes that are still read from a client that is gone.
  private var readableRest = Int.max
  private var isWaiting = false
  private var hasPeerEnded = false
  /// The number of bytes that were dropped since the pen moved.
  private var droppedCount = 0
  private var hasEnded = false
  /// Whether the client has requested a break. A port without breaks reports it as requested.
  private var isBreaking = false
  private var lineBreak: Session.Break?
  /// Whether a sequence of the client is being played, or was while it had the pen.
  private var sequenceState = SequenceState.none
  /// The output lines that the client has requested. A port without modem lines, such as a pseudo-terminal, reports
  /// them as requested, even to a viewer: many clients give up if a server refuses to set a line.
  private var outputs: ModemLines = []
  private var breakEnd: LoopTimer?
  /// Begins without an answer, because the client may not use telnet.
  private var beginning: LoopTimer?
  /// The present wait of the device for the client; nil if it does not wait.
  private var hold: Hold?
  /// The time of the last report that the device waits no longer.
  private var lastOverstay: MonotonicTime?
  /// What is known since the client has ended its stream; nil before that.
  private var linger: Linger?

  private enum SequenceState {
    case none, playing, played
  }

  /// A wait of the device for the client.
  private struct Hold {
    /// The time from which the wait is not recorded yet.
    var start: MonotonicTime
    /// The number of bytes that the client had taken by then.
    var takenCount: Int
    /// Whether others wait too.
    let isLimited: Bool
    /// Looks again: at the end of the budget, or whether others have come meanwhile.
    var timer: LoopTimer
  }

  /// A client that has ended its stream, and still gets the answer.
  private struct Linger {
    /// The number of its bytes that were not sent at the last look.
    var unsent: Int
    /// When that number has changed last.
    var changed: MonotonicTime
    /// When the device has sent something last.
    var heard: MonotonicTime
    var timer: LoopTimer?
  }

  /// The length of a break if the client specifies none.
  private static let breakLength = Duration.milliseconds(250)
  /// The time to wait for the first answer of a telnet client.
  private static let negotiationTime = Duration.milliseconds(500)
  /// The time that a viewer has to identify itself.
  private static let helloTime = Duration.seconds(5)
  /// The time after which a wait without a limit looks whether others have come.
  private static let holdInterval = Duration.seconds(1)
  /// The silence of the device after which a client that has ended its stream is disconnected.
  private static let lingerSilence = Duration.seconds(1)
  /// The maximum time that such a client stays after its last byte was sent, where the device is never silent.
  private static let lingerLimit = Duration.seconds(60)
  private static let lingerInterval = Duration.milliseconds(200)
  private static let sequenceName = "a sequence of the client"
  private static let readSize = 16_384
  /// The maximum number of requests that are performed in a turn of the loop. Each can be a call of the driver.
  private static let requestLimit = 64
  /// The number of bytes of answers that are collected before they are written.
  private static let answerSize = 4_096
  private static let longestName = 60

  /// Starts the communication with a client.
  ///
  /// - Parameters:
  ///   - input: a descriptor for the bytes of the client; borrowed.
  ///   - output: a descriptor for the bytes to the client; borrowed. It differs from `input`.
  ///   - program: how the program identifies itself.
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
    sharing = controller.sharing
    self.output = try ClientOutput(output, on: loop)
    watch = try loop.watch(input, for: [.reading, .endOfPeer]) { [unowned self] in take($0) }
    self.output.onRoom = { [unowned self] in updateHold() }
    self.output.onGap = { [unowned self] in tellGap($0) }
    self.output.onGone = { [unowned self] in clientGone() }
    observations = [
      session.observe(.stateChange) { [unowned self] in stateDidChange(from: $0.old, to: $0.new) },
      session.observe(.modemLinesChange) { [unowned self] _ in reportLines() },
      session.observe(.countersChange) { [unowned self] in reportErrors(from: $0.old, to: $0.new) },
    ]
    if !welcome.isViewer { join(as: welcome.name, answers: false) }
    if welcome.speech == .raw { begin() } else { negotiate() }
  }

  private func join(as name: String, answers: Bool) {
    id = sharing.join(self) {
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
    guard subscription == nil, !hasEnded else { return }
    subscription = controller.hub.subscribe(as: .view, whenFull: .wait) {
      [unowned self] bytes, _ in pass(bytes)
    }
    if !welcome.isViewer { sharing.useFreePen(id) }
    reportLines()
  }

  /// Ends the connection. The owner then releases it.
  package func end() {
    guard !hasEnded else { return }
    hasEnded = true
    watch?.cancel()
    output.end()
    spendHold()
    (watch, subscription, beginning, hold, linger, nextTurn) = (nil, nil, nil, nil, nil, nil)
    let unsent = pending.count + unhandled.count + (hasPeerEnded ? input.availableByteCount : 0)
    if unsent > 0, sharing.roster.mayWrite(id) { onReport(.unsent(unsent)) }
    revoke()
    observations = []
    sharing.leave(id)
    onEnd()
  }

  /// Ends the connection with the session, and sends the reason if the protocol has a message for it.
  package func end(because reason: String) {
    if isPerson { tell(.ended(reason)) } else { say(reason) }
    end()
  }

  // MARK: Bytes from the device

  private func pass(_ bytes: UnsafeRawBufferPointer) {
    linger?.heard = loop.now
    // Otherwise nothing is left out anyway.
    if !output.isDrained || output.isSuspended { output.leavesOut = !isWaitedFor }
    if server == nil {
      output.write(bytes, of: bytes.count)
    } else {
      withScratch { encoded in
        server?.encode(bytes, into: &encoded)
        encoded.withUnsafeBytes { output.write($0, of: bytes.count) }
      }
    }
    if welcome.speech == .raw, output.leftOut > 0 {
      // A plain byte stream cannot report a gap.
      onReport(.stalled)
      return end()
    }
    updateHold()
  }

  /// Whether the device waits for the client, instead of skipping bytes.
  private var isWaitedFor: Bool {
    guard mayBeWaitedFor else { return false }
    return patience.map { $0 >= (hold == nil ? HoldBudget.least : .nanoseconds(1)) } ?? true
  }

  /// Whether the device would wait for the client, if there is time left. A client that has ended its stream has no pen
  /// any more, but must get the answer.
  private var mayBeWaitedFor: Bool {
    sharing.mayHoldDevice(id) || (linger != nil && sharing.roster.holder == nil)
  }

  /// How long the device may still wait; nil for no limit: no member and no log waits too.
  private var patience: Duration? {
    sharing.hasOthers(than: id) || controller.log.isOn
      ? sharing.holdBudget.rest(at: loop.now) : nil
  }

  /// Updates the pause of the device while the client takes nothing.
  private func updateHold() {
    guard !hasEnded else { return }
    output.isSuspended = server?.maySend == false
    let isFull = output.isCrowded || output.isSuspended
    spendHold()
    let holds = isFull && isWaitedFor
    if isFull, !holds, mayBeWaitedFor { reportOverstay() }
    guard holds else {
      hold = nil
      subscription?.update(isFull: false)
      return
    }
    subscription?.update(isFull: true)
    let patience = patience
    hold = Hold(
      start: loop.now, takenCount: output.takenCount, isLimited: patience != nil,
      timer: loop.schedule(after: patience ?? Self.holdInterval) { [unowned self] in updateHold() })
  }

  /// Records the wait so far, if others waited too.
  private func spendHold() {
    guard let hold, hold.isLimited else { return }
    let now = loop.now
    sharing.holdBudget.spend(
      now - hold.start, taking: output.takenCount - hold.takenCount, until: now)
    self.hold?.start = now
    self.hold?.takenCount = output.takenCount
  }

  /// Reports that the device waits no longer: once in the time of the budget, however often that happens.
  private func reportOverstay() {
    let now = loop.now
    if let lastOverstay, now - lastOverstay < HoldBudget.window { return }
    lastOverstay = now
    onReport(.overstayed)
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

  /// Sends text to a person at a telnet program. A program would read it as bytes of the device.
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

  /// Sends the protocol's answers.
  private func flush() {
    guard let message = server?.output, !message.isEmpty else { return }
    server?.output = []
    output.write(message: message)
  }

  // MARK: Bytes from the client

  private func take(_ readiness: Readiness) {
    // At the end of a pipe, epoll reports only the hang-up.
    if takesBytes, !readiness.isDisjoint(with: [.readable, .hungUp]) { return read() }
    guard !readiness.isDisjoint(with: [.peerEnded, .hungUp]), !hasPeerEnded else { return }
    hasPeerEnded = true
    updateInterest()
    endIfHopeless()
  }

  /// Handles a client that no longer takes output. Bytes that it has sent are still sent, or counted as unsent.
  private func clientGone() {
    if output.isOverfull { onReport(.answersUnread) }
    hasPeerEnded = true
    // A client that only takes nothing any more may send without end.
    readableRest = output.isOverfull ? 0 : input.availableByteCount
    // At the end of the turn, because bytes of the client may be in use now.
    loop.atEndOfTurn { [weak self] in self?.finish() }
  }

  /// Reads what is left, in as many turns as that takes.
  private func finish() {
    guard !hasEnded else { return }
    let isReadable = watch != nil && min(readableRest, input.availableByteCount) > 0
    guard isReadable || !unhandled.isEmpty, !isWaiting, !output.isOverfull else { return end() }
    if takesBytes { read() }
    loop.atEndOfTurn { [weak self] in self?.finish() }
  }

  /// Whether everything that was read is handled.
  private var takesBytes: Bool { !isWaiting && unhandled.isEmpty }

  /// Ends a client that has disconnected, if its bytes can no longer be sent.
  private func endIfHopeless() {
    if hasPeerEnded, isWaiting || linger != nil, !session.isOpen { end() }
  }

  private func updateInterest() {
    // Fails only if memory is exhausted. The next event tries again.
    _ = try? watch?.setInterest(
      (takesBytes ? .reading : Interest()).union(hasPeerEnded ? [] : .endOfPeer))
  }

  private func read() {
    withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 16) { buffer in
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(readableRest))
      switch (try? input.readAvailable(into: room)) ?? .endOfFile {
      case .bytes(let count):
        if hasPeerEnded, readableRest != .max { readableRest -= count }
        take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      case .wouldBlock: break
      case .endOfFile: inputEnded()
      }
    }
  }

  /// Handles the end of the client's stream. What the device answers is still sent.
  private func inputEnded() {
    // A client of RFC 2217 talks to the port in both directions: without one of them it is gone.
    guard welcome.speech != .rfc2217, session.isOpen, !output.isGone else { return end() }
    hasPeerEnded = true
    watch?.cancel()
    watch = nil
    let now = loop.now
    linger = Linger(unsent: sharing.unsentByteCount(by: id), changed: now, heard: now)
    begin()
    sharing.endStream(of: id)
    lookWhetherAnswered()
  }

  /// Disconnects a client that has ended its stream when the device is silent.
  private func lookWhetherAnswered() {
    guard var linger, !hasEnded else { return }
    let now = loop.now
    let unsent = sharing.unsentByteCount(by: id)
    if unsent != linger.unsent { (linger.unsent, linger.changed) = (unsent, now) }
    let silence = now - max(linger.heard, linger.changed)
    let isAnswered = unsent == 0 && output.isDrained && silence >= Self.lingerSilence
    guard session.isOpen, !isAnswered, now - linger.changed < Self.lingerLimit else { return end() }
    linger.timer = loop.schedule(after: Self.lingerInterval) { [unowned self] in
      lookWhetherAnswered()
    }
    self.linger = linger
  }

  /// Takes bytes that the client has sent.
  func take(_ bytes: UnsafeRawBufferPointer) {
    guard server != nil else { return send(bytes) }
    // Each piece begins with the byte that starts commands, so that a command comes before the data that follow it: a
    // rate is set before the bytes after it are sent.
    var rest = bytes[...]
    var budget = Self.requestLimit
    while !rest.isEmpty, budget > 0, !hasEnded {
      let end = rest.dropFirst().firstIndex(of: TelnetCommand.interpretAsCommand) ?? rest.endIndex
      budget -= takePiece(UnsafeRawBufferPointer(rebasing: rest[..<end]))
      rest = rest[end...]
      if let answers = server?.output.count, answers > Self.answerSize { flush() }
    }
    flush()
    if !rest.isEmpty, !hasEnded { leave(rest) }
  }

  /// Leaves bytes for the next turn, so that keys and other clients do not wait for this one.
  private func leave(_ rest: Slice<UnsafeRawBufferPointer>) {
    unhandled = Array(rest)
    updateInterest()
    nextTurn = loop.schedule(after: .zero) { [unowned self] in
      let bytes = unhandled
      (unhandled, nextTurn) = ([], nil)
      bytes.withUnsafeBytes { take($0) }
      if !hasEnded, unhandled.isEmpty { updateInterest() }
    }
  }

  /// - Returns: the number of requests.
  private func takePiece(_ bytes: UnsafeRawBufferPointer) -> Int {
    var data: [UInt8] = []
    let events = server?.receive(bytes, into: &data) ?? []
    for event in events { handle(event) }
    guard !data.isEmpty else { return events.count }
    // An answer may follow the bytes.
    if !welcome.isViewer { begin() }
    data.withUnsafeBytes { send($0) }
    return events.count
  }

  /// Sends bytes, keeps them until there is room, or drops them if the client may not write.
  private func send(_ bytes: UnsafeRawBufferPointer) {
    guard pending.isEmpty else { return pending.append(contentsOf: bytes) }
    switch sharing.write(bytes, by: id) {
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
    // The bytes that were taken may have ended a line.
    loop.atEndOfTurn { [weak self] in self?.goOn() }
  }

  package func goOn() {
    guard isWaiting, !hasEnded else { return }
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
    switch sharing.roster.rule {
    case .none: sharing.isReadOnly ? "the session is read-only" : "nobody can type here"
    case .one, .all:
      sharing.roster.holder.flatMap { sharing.member($0) }.map { "\($0.name) has the pen" }
        ?? "you only watch"
    }
  }

  private func handle(_ event: ComPortServer.Event) {
    switch event {
    case .began, .refused: if !welcome.isViewer { begin() }
    case .sendingPermitted: updateHold()
    case .breakRequested:
      guard sharing.maySetLine(id) else { return refuse(0) }
      setBreak(true)
      breakEnd = loop.schedule(after: Self.breakLength) { [unowned self] in setBreak(false) }
    case .asked(let message): perform(message)
    case .shared(let message): perform(message)
    }
  }

  // MARK: Line operations

  private func perform(_ message: ComPortMessage) {
    if case .control(let control) = message { outputs.note(control) }
    guard !message.changesLine || sharing.maySetLine(id) else {
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
      if buffers & 2 != 0 { discardUnsent() }
      answer(message)
    default: answer(message)
    }
  }

  /// Discards the client's bytes that were not sent. Those of others are not its to discard.
  private func discardUnsent() {
    let count = pending.count + sharing.discardUnsent(by: id)
    pending = []
    if isWaiting {
      isWaiting = false
      updateInterest()
    }
    guard count > 0 else { return }
    controller.log.append(discarded: count, by: sharing.member(id)?.name ?? welcome.name)
    onReport(.discarded(count))
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
    // If the port refuses, its lines stay as they are, and the answer reports them.
    _ = try? session.setModemLines(asserting: isOn ? line : [], deasserting: isOn ? [] : line)
  }

  /// Plays a sequence on this computer, where a network does not change its timing.
  private func play(_ text: String) {
    let sequence: LineSequence
    do {
      sequence = try LineSequence(parsing: text)
    } catch {
      server?.sequenceEnded(because: "\(error)")
      return
    }
    let sequences = controller.sequences
    if sequenceState == .playing { sequences.stop() }
    guard sequences.playing != Self.sequenceName else {
      server?.sequenceEnded(because: "another client's sequence is being played")
      return
    }
    sequenceState = .playing
    sequences.play(sequence, named: Self.sequenceName) { [weak self, program] end in
      self?.sequenceState = .played
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
    isBreaking = isOn
    if !isOn { return lineBreak = nil }
    // A port that cannot send a break, such as a pseudo-terminal, ignores it.
    if lineBreak == nil { lineBreak = try? session.beginBreak() }
  }

  package func revoke() {
    setBreak(false)
    switch sequenceState {
    case .none: break
    case .playing: controller.sequences.revoke()
    // It may have left the line in break.
    case .played: if !controller.sequences.isPlaying { controller.sequences.revoke() }
    }
    sequenceState = .none
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

  // MARK: Members

  private func perform(_ message: SharingMessage) {
    switch message {
    case .hello(let name, let isViewer):
      if !isPerson { greet(name, isViewer: isViewer) }
    case .ask: sharing.ask(id)
    case .give(let other): sharing.give(by: id, to: other)
    case .keep: sharing.keep(by: id)
    case .take: sharing.take(id)
    case .giveBack: sharing.giveBack(by: id)
    case .welcome, .history, .member, .left, .pen, .asks, .kept, .missed, .port, .ended: break
    }
    flush()
  }

  /// Sends the members to a serialterm, and to a viewer also the bytes that were received before it joined.
  private func greet(_ name: String, isViewer: Bool) {
    let shown = String(
      String.UnicodeScalarView(name.harmless.unicodeScalars.prefix(Self.longestName)))
    if welcome.isViewer {
      join(as: shown.isEmpty ? welcome.name : shown, answers: true)
    } else {
      sharing.update(id) {
        if !shown.isEmpty { $0.name = "\(shown) (\(welcome.name))" }
        $0.answers = true
      }
    }
    isPerson = true
    server?.tell(.welcome(id, mayTake: welcome.mayTake, sharing.roster.rule))
    for member in sharing.roster.members where member.id != id {
      server?.tell(.member(member.id, name: member.name, answers: member.answers))
    }
    server?.tell(.pen(sharing.roster.holder ?? SharingMessage.nobody, .taken))
    tellPort()
    guard isViewer else { return }
    for message in ReceivedHistory.messages(of: sharing.history) { server?.tell(message) }
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
    switch event {
    case .moved, .ruled: droppedCount = 0
    case .joined, .left, .changed, .asked, .kept: break
    }
    // Others may wait too now, or the pen, and with it the right to hold the device, is gone.
    updateHold()
    guard isPerson else { return }
    switch event {
    case .joined(let member), .changed(_, let member):
      tell(.member(member.id, name: member.name, answers: member.answers))
    case .left(let member): tell(.left(member.id))
    case .moved(_, let member, let handover):
      tell(.pen(member?.id ?? SharingMessage.nobody, handover))
    case .asked(let member): if sharing.roster.holder == id { tell(.asks(member.id)) }
    case .kept(_, let refused): if refused.contains(where: { $0.id == id }) { tell(.kept) }
    case .ruled(let rule):
      tell(.welcome(id, mayTake: welcome.mayTake, rule))
      tell(.pen(sharing.roster.holder ?? SharingMessage.nobody, .taken))
    }
  }

  // MARK: Reports

  /// Reports the modem lines. A port without modem lines reports none as asserted, because clients wait for a report.
  private func reportLines() {
    server?.report(ComPortModemState(session.modemLines ?? []))
    flush()
  }

  private func reportErrors(from old: LineCounters, to new: LineCounters) {
    var errors = ComPortLineState()
    if new.framingErrors != old.framingErrors { errors.insert(.framingError) }
    if new.parityErrors != old.parityErrors { errors.insert(.parityError) }
    if new.overruns != old.overruns { errors.insert(.overrun) }
    if new.breaks != old.breaks { errors.insert(.breakDetected) }
    server?.report(errors)
    flush()
  }

  private func stateDidChange(from old: SessionState, to new: SessionState) {
    if !new.isOpen { setBreak(false) }
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
  /// Whether the message changes the line for everybody, instead of querying it.
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
  /// Records which state a client requests for an output line.
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
  /// The input lines of a port, in the form of RFC 2217.
  fileprivate init(_ lines: ModemLines) {
    self = []
    if lines.contains(.cts) { insert(.cts) }
    if lines.contains(.dsr) { insert(.dsr) }
    if lines.contains(.dcd) { insert(.dcd) }
    if lines.contains(.ri) { insert(.ri) }
  }
}
