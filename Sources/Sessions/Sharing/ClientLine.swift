import EventLoop
import NetworkLinks
import Observing
import SerialCore
import Telnet

/// Performs what a client of RFC 2217 asks of the line, while it may, and reports the state of the
/// line to it.
final class ClientLine {
  private unowned let controller: SessionController
  private let session: Session
  private let member: ClientMember
  private let channel: ClientChannel
  private let loop: IOLoop
  private let words: (SerialError) -> String
  /// Whether the client has requested a break. A port without breaks reports it as requested.
  private var isBreaking = false
  private var lineBreak: Session.Break?
  private var breakEnd: LoopTimer?
  /// Reports what the client has set. A client sets each setting by itself.
  private var settingsReport: LoopTimer?
  /// Whether a sequence of the client is being played, or was while it had the pen.
  private var sequenceState = SequenceState.none {
    didSet { member.playsSequence = sequenceState == .playing }
  }
  /// The output lines that the client has requested. A port without modem lines, such as a
  /// pseudo-terminal, reports them as requested, even to a viewer: many clients give up if a server
  /// refuses to set a line.
  private var outputs: ModemLines = []

  private enum SequenceState {
    case none, playing, played
  }

  /// The length of a break if the client specifies none.
  private static let breakLength = Duration.milliseconds(250)
  private static let sequenceName = "a sequence of the client"

  private var sharing: SharingController { controller.sharing }

  /// - Parameter words: puts an error in words.
  init(
    of controller: SessionController, for member: ClientMember, through channel: ClientChannel,
    on loop: IOLoop, words: @escaping (SerialError) -> String
  ) {
    self.controller = controller
    session = controller.session
    self.member = member
    self.channel = channel
    self.loop = loop
    self.words = words
  }

  // MARK: Requests

  /// Performs a request, if the client may set the line and the owner does not refuse it, and
  /// answers it. The caller flushes the channel.
  func perform(_ message: ComPortMessage) {
    if case .control(let control) = message { outputs.note(control) }
    if message.changesLine {
      if let refusal = refusal(of: message) { return refuse(message, because: refusal.text) }
      guard sharing.maySetLine(member.id) else {
        return refuse(message, because: member.penInWords)
      }
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
    default: answer(message)
    }
  }

  private func refuse(_ message: ComPortMessage, because reason: String) {
    if case .sequence = message { return channel.update { $0.sequenceEnded(because: reason) } }
    // As from a port without breaks: many clients give up if a server refuses one.
    if case .control(let control) = message, control.subject == .break,
      member.refusal(.breaks) != nil
    {
      isBreaking = control == .breakOn
    }
    answer(message)
  }

  /// Why the owner refuses a request; nil if not. A member's program has checked that already.
  /// This is for requests that were on their way, and for other programs.
  private func refusal(of message: ComPortMessage) -> Sharing.Refusal? {
    let subjects: [SharingMessage.Subject] =
      switch message {
      // The session keeps the settings for a port that is not open.
      case .baudRate, .dataSize, .parity, .stopSize:
        session.isOpen ? [.sending, .settings] : [.sending]
      case .control(let control):
        switch control.subject {
        case .flow: session.isOpen ? [.sending, .settings] : [.sending]
        case .break: [.sending, .breaks]
        case .dtr, .rts: [.sending, .modemLines]
        case .inboundFlow, nil: []
        }
      case .sequence: [.openPort, .sending, .noExchange, .noSequence]
      default: []
      }
    return subjects.lazy.compactMap { [member] in member.refusal($0) }.first
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

  /// Sends a break of the default length.
  ///
  /// - Returns: whether the client may do that.
  func sendBreak() -> Bool {
    guard sharing.maySetLine(member.id) else { return false }
    setBreak(true)
    breakEnd = loop.schedule(after: Self.breakLength) { [unowned self] in setBreak(false) }
    return true
  }

  private func setBreak(_ isOn: Bool) {
    breakEnd = nil
    isBreaking = isOn
    if !isOn { return lineBreak = nil }
    // A port that cannot send a break, such as a pseudo-terminal, ignores it.
    if lineBreak == nil { lineBreak = try? session.beginBreak() }
  }

  /// Ends a break, because the port is not open any more.
  func endBreak() { setBreak(false) }

  /// Plays a sequence on this computer, where a network does not change its timing.
  private func play(_ text: String) {
    let sequence: LineSequence
    do {
      sequence = try LineSequence(parsing: text)
    } catch {
      return channel.update { $0.sequenceEnded(because: "\(error)") }
    }
    let sequences = controller.sequences
    if sequenceState == .playing { sequences.stop() }
    guard sequences.playing != Self.sequenceName else {
      return channel.update {
        $0.sequenceEnded(because: "another client's sequence is being played")
      }
    }
    sequenceState = .playing
    sequences.play(sequence, named: Self.sequenceName) { [weak self, words] end in
      self?.sequenceState = .played
      let reason =
        switch end {
        case .done: ""
        case .failed(let step, let error): "\(step): \(words(error))"
        case .stopped: "stopped"
        case .portClosed: "the port was closed"
        }
      self?.channel.update { $0.sequenceEnded(because: reason) }
      self?.channel.flush()
    }
  }

  /// Ends what the client has switched on, because it may not write any more.
  func revoke() {
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
    session.apply(LineSettings(wanted)) { [weak self] result in
      if case .success = result { self?.reportSettings() }
      self?.answer(message)
      self?.channel.flush()
    }
  }

  private func reportSettings() {
    guard session.isOpen else { return }
    settingsReport = loop.schedule(after: SettingsWatch.pause) { [unowned self] in
      controller.news.notify(.settings(settings, by: member.name))
    }
  }

  private func answer(_ message: ComPortMessage) {
    let lines = session.modemLines ?? outputs
    let port = ComPortServer.Port(
      settings: settings.forServer, isDTROn: lines.contains(.dtr), isRTSOn: lines.contains(.rts),
      isBreaking: isBreaking)
    channel.update { $0.answer(message, with: port) }
  }

  // MARK: Reports

  /// Reports the modem lines. A port without modem lines reports none as asserted, because clients
  /// wait for a report.
  func reportModemLines() {
    let lines = (session.modemLines ?? []).forClient
    channel.update { $0.report(lines) }
    channel.flush()
  }

  /// Reports the errors that were counted.
  func reportErrors(from old: LineCounters, to new: LineCounters) {
    var errors = ComPortLineState()
    if new.framingErrors != old.framingErrors { errors.insert(.framingError) }
    if new.parityErrors != old.parityErrors { errors.insert(.parityError) }
    if new.overruns != old.overruns { errors.insert(.overrun) }
    if new.breaks != old.breaks { errors.insert(.breakDetected) }
    reportErrors(errors)
  }

  /// Reports that the client has missed bytes of the device.
  func reportOverrun() { reportErrors(.overrun) }

  private func reportErrors(_ errors: ComPortLineState) {
    channel.update { $0.report(errors) }
    channel.flush()
  }
}

extension ComPortMessage {
  /// Whether the message changes the line for everyone, instead of querying it.
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
