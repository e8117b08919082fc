import EventLoop
import Posix
import Scripting
import SerialCore
import SystemPackage

/// Has a dialogue with a device.
final class RunController {
  private let unattended: UnattendedSession
  private let text: ReceivedTextWatch
  private let player: LineSequencePlayer
  private let script: String
  /// How long what is expected may take where the script does not say.
  var timeout: Duration
  /// Whether what the device sends goes to standard output.
  var showsDevice: Bool
  private var dialogue: DialogueRun
  /// The line of the script that is being done.
  private var line = 0
  /// Whether the next step waits until somebody reads standard output.
  private var isHeldUp = false
  private var drain: Drain?
  private var standstill: StandstillWatch?
  private var timer: LoopTimer?

  private var session: Session { unattended.session }
  private var loop: IOLoop { unattended.loop }

  /// - Parameters:
  ///   - dialogue: what to do.
  ///   - script: how its file is called.
  ///   - timeout: how long what is expected may take where the script does not say.
  ///   - showsDevice: whether what the device sends goes to standard output.
  init(
    _ dialogue: Dialogue, from script: String, timeout: Duration, showsDevice: Bool,
    _ unattended: UnattendedSession
  ) {
    self.unattended = unattended
    self.script = script
    self.timeout = timeout
    self.showsDevice = showsDevice
    self.dialogue = DialogueRun(dialogue)
    text = ReceivedTextWatch(on: unattended.loop)
    player = LineSequencePlayer(unattended.session, on: unattended.loop)
  }

  /// Runs the dialogue to its end.
  ///
  /// - Throws: ``Failure``, and what the system says.
  func run() throws -> ExitStatus {
    text.onMatch = { [unowned self] match in
      text.expressions = []
      dialogue.matched(match)
      goOn()
    }
    text.onPassed = { [unowned self] in if showsDevice { unattended.show($0) } }
    player.onEnd = { [unowned self] in goOn() }
    player.onFailure = { [unowned self] in fail(.otherFailure, Failure($0).message) }
    unattended.onReceived = { [unowned self] in text.add($0) }
    unattended.onLost = { [unowned self] in text.flush() }
    unattended.onRoom = { [unowned self] in if isHeldUp { goOn() } }
    unattended.onReady = { [unowned self] in goOn() }
    return try unattended.run()
  }

  /// Does the next step, in a turn of its own: what else is ready must not wait for a script that
  /// only prints.
  private func goOn() {
    standstill = nil
    timer = loop.schedule(after: .zero) { [unowned self] in doNext() }
  }

  private func doNext() {
    // A reader that is slow holds up a script that prints.
    isHeldUp = unattended.isCrowded
    guard !isHeldUp, !unattended.isOver else { return }
    guard let instruction = dialogue.next() else { return unattended.finish(.success(.done)) }
    line = instruction.line
    switch instruction.action {
    case .send(let bytes): send(bytes)
    case .expect(let expressions, let limit): expect(expressions, within: limit ?? timeout)
    case .wait(let duration): timer = loop.schedule(after: duration) { [unowned self] in doNext() }
    case .set(let line, let isOn): player.play(LineSequence([.set(line, isAsserted: isOn)]))
    case .setBaudRate(let rate): setBaudRate(rate)
    case .sendBreak(let duration):
      player.play(LineSequence([.setBreak(true), .wait(duration), .setBreak(false)]))
    case .pulse(let line, let duration): pulse(line, duration)
    case .print(let bytes):
      text.flush()
      (bytes + [0x0A]).withUnsafeBytes { unattended.show($0) }
      goOn()
    case .fail(let reason): fail(.otherFailure, String(decoding: reason, as: UTF8.self).harmless)
    }
  }

  // MARK: Steps

  private func send(_ bytes: [UInt8]) {
    do throws(SerialError) {
      try session.write(bytes.span.bytes)
    } catch {
      return fail(.otherFailure, Failure(error).message)
    }
    standstill = StandstillWatch(session, on: loop, limit: timeout) { [unowned self] in
      fail(.timedOut, unattended.standstill("within \(timeout.inSeconds) s"))
    }
    // What follows may be a break, or other settings: they must not overtake it.
    drain = Drain(session, on: loop, patience: nil) { [unowned self] in goOn() }
  }

  private func expect(_ expressions: [Expression], within limit: Duration) {
    timer = loop.schedule(after: limit) { [unowned self] in
      // What has come may not have been looked at, and is shown in any case.
      text.flush()
      guard !text.expressions.isEmpty else { return }
      let names = expressions.map { "/\($0.text)/" }.joined(separator: " or ")
      fail(.timedOut, "\(names.harmless) did not come within \(limit.inSeconds) s.")
    }
    text.expressions = expressions
  }

  private func setBaudRate(_ rate: UInt32) {
    var settings = session.requestedSettings
    settings.baudRate = rate
    do throws(SerialError) {
      try session.apply(settings)
      unattended.warnOfDifferences()
      goOn()
    } catch {
      fail(.otherFailure, Failure(error).message)
    }
  }

  private func pulse(_ line: OutputLine, _ duration: Duration) {
    let isAsserted = session.modemLines?.contains(line.modemLine) ?? false
    player.play(
      LineSequence([
        .set(line, isAsserted: !isAsserted), .wait(duration), .set(line, isAsserted: isAsserted),
      ]))
  }

  private func fail(_ status: ExitStatus, _ message: String) {
    unattended.finish(.failure(Failure(status, "\(script):\(line): \(message)")))
  }
}

extension OutputLine {
  fileprivate var modemLine: ModemLines {
    switch self {
    case .dtr: .dtr
    case .rts: .rts
    }
  }
}

extension LineSequence.Step {
  fileprivate static func set(_ line: OutputLine, isAsserted: Bool) -> Self {
    isAsserted
      ? .set(asserting: line.modemLine, deasserting: [])
      : .set(asserting: [], deasserting: line.modemLine)
  }
}
