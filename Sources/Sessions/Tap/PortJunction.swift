package import EventLoop
package import Observing
import Reconnecting
package import SerialCore
package import SystemPackage

/// Joins two sessions: bytes, settings, modem lines and breaks of one go to the other.
///
/// ## Principles of operation
///
/// - It sends nothing of its own, and changes nothing before one side does.
/// - New settings wait until the other side has sent what came before them.
/// - A passive junction only looks: nothing goes from one side to the other.
package final class PortJunction {
  /// One of the two sides.
  package enum Side: Int, CaseIterable {
    case first, second

    package var other: Side { self == .first ? .second : .first }
  }

  /// How one side learns that the other one is gone.
  package enum LossRule: String, CaseIterable, Sendable {
    /// As of an unplugged device: a port deasserts DTR and RTS, a pseudo-terminal hangs up.
    case hangUp = "hang-up"
    /// Not at all.
    case keep
    /// The program ends.
    case end
  }

  /// What can be forwarded besides bytes.
  package enum Feature: Hashable {
    case settings, modemLines, breaks
  }

  /// An event for the user.
  package enum News {
    /// A side cannot do what the other one did. Reported once for each side and feature.
    case notForwarded(Feature, to: Side)
    /// The settings of a side were refused at the other one.
    case settingsRefused(SerialError, at: Side)
    /// The settings of a side were set at the other one.
    case settingsForwarded(LineSettings, to: Side)
    /// The bytes of a side that came while the other one was not there.
    case stray(Int, from: Side)
    /// The other side was lost, and the rule is to end.
    case ended(because: Side)
    /// The path of the terminal no longer leads to this node.
    case linkLost(FilePath, node: FilePath)
    /// The terminal could not be made again.
    case terminalFailed(TapTerminalError)
  }

  /// One side of a junction.
  package struct Port {
    let controller: SessionController
    let terminal: TapTerminal?

    /// - Parameter terminal: the terminal for another program; nil for a port.
    package init(_ controller: SessionController, _ terminal: TapTerminal? = nil) {
      (self.controller, self.terminal) = (controller, terminal)
    }
  }

  package let news = Observable<News>()

  private let ports: [Port]
  private let lossRule: LossRule
  private let loop: IOLoop
  /// The relay to each side; none if nothing is sent.
  private var relays: [Relay] = []
  private var observations: [ObservationToken<SessionEvent>] = []
  private var linkLosses: [ObservationToken<FilePath>] = []
  private var lineWatches: [ModemLineWatch] = []
  private var reported: Set<Report> = []
  /// The settings that a side will have when it has sent everything.
  private var waitingSettings: [LineSettings?] = [nil, nil]
  private var drains: [Drain?] = [nil, nil]
  private var drainEnds: [LoopTimer?] = [nil, nil]
  /// Whether a change of a side's settings is the junction's own.
  private var isApplying = [false, false]
  private var breakEnds: [LoopTimer?] = [nil, nil]
  /// The outputs that a side deasserted because the other one is gone.
  private var dropped: [ModemLines] = [[], []]
  private var hangUps: [LoopTimer?] = [nil, nil]
  private var isEnding = false

  private struct Report: Hashable {
    let feature: Feature
    let side: Side
  }

  /// How long a forwarded break lasts: no driver tells how long the received one did.
  private static let breakTime = Duration.milliseconds(50)
  private static let lineInterval = Duration.milliseconds(20)
  private static let drainPatience = Drain.Patience(total: .seconds(5))

  /// Joins two sessions.
  ///
  /// - Parameter isPassive: whether nothing goes from one side to the other.
  package init(_ first: Port, _ second: Port, isPassive: Bool, onLoss: LossRule, on loop: IOLoop) {
    ports = [first, second]
    (lossRule, self.loop) = (onLoss, loop)
    guard !isPassive else { return }
    relays = Side.allCases.map { side in
      Relay(from: self[side.other].controller.hub, to: self[side].controller.session)
    }
    for side in Side.allCases { observe(side) }
    linkLosses = ports.compactMap(\.terminal).map { terminal in
      terminal.linkLosses.observe { [unowned self, unowned terminal] in
        news.notify(.linkLost(terminal.path, node: $0))
      }
    }
  }

  private subscript(side: Side) -> Port { ports[side.rawValue] }
  private func session(_ side: Side) -> Session { self[side].controller.session }

  private func observe(_ side: Side) {
    let session = session(side)
    observations += [
      // After the user was told what has happened.
      session.observe(.stateChange, rank: .controller) { [unowned self] in
        stateDidChange(side, $0)
      },
      session.observe(.modemLinesChange) { [unowned self] in linesDidChange(side, $0) },
      session.observe(.lineError) { [unowned self] in
        if $0 == .breakOrDamagedZero { forwardBreak(from: side) }
      },
    ]
    let watch = ModemLineWatch(session, on: loop, interval: Self.lineInterval)
    watch.isWatched = true
    lineWatches.append(watch)
  }

  // MARK: Settings

  private func stateDidChange(_ side: Side, _ change: Change<SessionState>) {
    switch (change.old, change.new) {
    case (.open(_, let old), .open(_, let new)):
      if old != new, !isApplying[side.rawValue] { settingsDidChange(side, new) }
    case (_, .open(_, let new)):
      sideDidReturn(side)
      // A program may have set the line before the node's opening was noticed.
      if self[side].terminal != nil { settingsDidChange(side, new) }
    case (.open, .waitingForDevice), (.open, .released): sideDidLeave(side)
    default: break
    }
  }

  private func settingsDidChange(_ side: Side, _ actual: LineSettings) {
    let other = side.other
    // The driver may have rounded the rate of a port.
    var wanted = session(side).requestedSettings
    if self[side].terminal != nil {
      // The kernel keeps every pseudo-terminal at 8 data bits without parity: see pty_set_termios.
      wanted = actual
      (wanted.dataBits, wanted.parity) = (
        session(other).requestedSettings.dataBits, session(other).requestedSettings.parity
      )
    }
    // The rate 0 hangs up: see tcsetattr(3).
    guard wanted.baudRate > 0 else { return dropLines(of: other) }
    restoreLines(of: other)
    forward(wanted, to: other)
  }

  private func forward(_ settings: LineSettings, to side: Side) {
    let session = session(side)
    guard (waitingSettings[side.rawValue] ?? session.requestedSettings) != settings else { return }
    if session.isOpen, !session.capabilities.contains(.settings) {
      return reportOnce(.settings, to: side)
    }
    waitingSettings[side.rawValue] = settings
    guard drains[side.rawValue] == nil else { return }
    guard session.isOpen, session.unsentByteCount > 0 else { return applySettings(to: side) }
    relays[side.rawValue].hold()
    drains[side.rawValue] = Drain(session, on: loop, patience: Self.drainPatience) {
      [unowned self] in
      applySettings(to: side)
    }
  }

  private func applySettings(to side: Side) {
    guard let settings = waitingSettings[side.rawValue] else { return }
    waitingSettings[side.rawValue] = nil
    isApplying[side.rawValue] = true
    session(side).apply(settings) { [weak self] result in
      guard let self else { return }
      isApplying[side.rawValue] = false
      relays[side.rawValue].resume()
      switch result {
      case .success(let actual): news.notify(.settingsForwarded(actual, to: side))
      case .failure(let error) where error.code == .lost: break
      case .failure(let error): news.notify(.settingsRefused(error, at: side))
      }
    }
    // The drain that calls this is released in a later turn.
    if drains[side.rawValue] != nil {
      drainEnds[side.rawValue] = loop.schedule(after: .zero) { [unowned self] in
        drains[side.rawValue] = nil
        if let next = waitingSettings[side.rawValue] {
          waitingSettings[side.rawValue] = nil
          forward(next, to: side)
        }
      }
    }
  }

  // MARK: Lines and breaks

  /// The inputs of a port, and the outputs of the other one that stand for them, as a null-modem
  /// cable joins them.
  private static let wiring: [(input: ModemLines, output: ModemLines)] = [
    (.dsr, .dtr), (.cts, .rts),
  ]

  /// Only changes count: an input without a wire must not deassert an output.
  private func linesDidChange(_ side: Side, _ change: Change<ModemLines>) {
    var (asserting, deasserting): (ModemLines, ModemLines) = ([], [])
    for (input, output) in Self.wiring {
      let isOn = change.new.contains(input)
      guard change.old.contains(input) != isOn else { continue }
      if isOn { asserting.insert(output) } else { deasserting.insert(output) }
    }
    if !asserting.isEmpty || !deasserting.isEmpty {
      setLines(of: side.other, asserting: asserting, deasserting: deasserting)
    }
  }

  private func setLines(of side: Side, asserting: ModemLines, deasserting: ModemLines) {
    let session = session(side)
    guard session.isOpen else { return }
    guard session.capabilities.contains(.modemLines) else {
      return reportOnce(.modemLines, to: side)
    }
    var (asserting, deasserting) = (asserting, deasserting)
    // With hardware flow control, the driver sets RTS.
    if session.requestedSettings.flowControl == .hard {
      asserting.remove(.rts)
      deasserting.remove(.rts)
    }
    // A port that has disappeared reports that by itself.
    _ = try? session.setModemLines(asserting: asserting, deasserting: deasserting)
  }

  private func dropLines(of side: Side) {
    let session = session(side)
    guard session.isOpen, session.capabilities.contains(.modemLines) else { return }
    let lines = (session.modemLines ?? []).intersection(.outputs)
    guard !lines.isEmpty else { return }
    dropped[side.rawValue].formUnion(lines)
    setLines(of: side, asserting: [], deasserting: lines)
  }

  private func restoreLines(of side: Side) {
    let lines = dropped[side.rawValue]
    guard !lines.isEmpty else { return }
    dropped[side.rawValue] = []
    setLines(of: side, asserting: lines, deasserting: [])
  }

  private func forwardBreak(from side: Side) {
    let other = session(side.other)
    guard other.isOpen else { return }
    guard other.capabilities.contains(.breaks) else { return reportOnce(.breaks, to: side.other) }
    guard let line = try? other.beginBreak() else { return }
    relays[side.other.rawValue].skipNextByte()
    relays[side.other.rawValue].hold()
    breakEnds[side.other.rawValue] = loop.schedule(after: Self.breakTime) { [unowned self] in
      line.end()
      relays[side.other.rawValue].resume()
    }
  }

  private func reportOnce(_ feature: Feature, to side: Side) {
    guard reported.insert(Report(feature: feature, side: side)).inserted else { return }
    news.notify(.notForwarded(feature, to: side))
  }

  // MARK: Loss and return

  private func sideDidLeave(_ side: Side) {
    drains[side.rawValue] = nil
    guard !isEnding else { return }
    let other = side.other
    switch lossRule {
    case .keep: break
    case .end:
      // A program may open its node again at any time.
      if self[side].terminal == nil { news.notify(.ended(because: side)) }
    case .hangUp:
      dropLines(of: other)
      hangUp(other)
    }
  }

  /// Hangs the terminal up in a later turn: its session is open, and may be notifying.
  private func hangUp(_ side: Side) {
    guard let terminal = self[side].terminal else { return }
    hangUps[side.rawValue] = loop.schedule(after: .zero) { [unowned self] in
      guard !session(side.other).isOpen else { return }
      terminal.hangUp { session(side).deviceDidDisappear() }
    }
  }

  private func sideDidReturn(_ side: Side) {
    dropped[side.rawValue] = []
    reportStrays(to: side)
    let other = side.other
    restoreLines(of: other)
    hangUps[other.rawValue] = nil
    guard let terminal = self[other].terminal else { return }
    do throws(TapTerminalError) {
      try terminal.renew()
    } catch {
      news.notify(.terminalFailed(error))
    }
  }

  private func reportStrays(to side: Side) {
    guard !relays.isEmpty else { return }
    let count = relays[side.rawValue].takeStrayCount()
    if count > 0 { news.notify(.stray(count, from: side.other)) }
  }

  // MARK: The end

  /// Stops to read both sides. What was read is still sent.
  package func stop() {
    guard !isEnding else { return }
    isEnding = true
    for side in Side.allCases { reportStrays(to: side) }
    for relay in relays {
      relay.resume()
      relay.hold()
    }
  }
}
