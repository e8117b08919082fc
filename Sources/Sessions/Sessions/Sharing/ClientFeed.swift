import EventLoop
import Time

/// Passes the device's bytes to a client, and decides what happens while the client takes nothing: bytes are left out,
/// or the device waits.
///
/// The device waits only for the client with the pen: without a limit if that is the only member and nothing is logged,
/// otherwise within the ``HoldBudget``.
final class ClientFeed {
  /// The time of the device's last bytes since ``linger()``.
  private(set) var lastTime: MonotonicTime?

  private unowned let controller: SessionController
  private let sharing: SharingController
  private let member: ClientMember
  private let channel: ClientChannel
  private let loop: IOLoop
  private let stalled: () -> Void
  private var subscription: Hub.Subscription?
  /// The present wait of the device for the client; nil if it does not wait.
  private var hold: Hold?
  /// The time of the last report that the device waits no longer.
  private var lastOverstay: MonotonicTime?
  private var isStopped = false

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

  /// The time after which a wait without a limit looks whether others have come.
  private static let holdInterval = Duration.seconds(1)

  /// - Parameter stalled: called when the client takes nothing, and its protocol cannot report missing bytes.
  init(
    of controller: SessionController, to member: ClientMember, through channel: ClientChannel,
    on loop: IOLoop, stalled: @escaping () -> Void
  ) {
    self.controller = controller
    sharing = controller.sharing
    self.member = member
    self.channel = channel
    self.loop = loop
    self.stalled = stalled
  }

  /// Whether the client gets the device's bytes.
  var hasBegun: Bool { subscription != nil }

  func begin() {
    subscription = controller.hub.subscribe(as: .view, whenFull: .wait) {
      [unowned self] bytes, _ in pass(bytes)
    }
  }

  /// Handles the end of the client's stream: it has no pen any more, but must get the answer.
  func linger() { lastTime = loop.now }

  /// Passes nothing any more.
  func stop() {
    isStopped = true
    recordHold()
    (subscription, hold) = (nil, nil)
  }

  private func pass(_ bytes: UnsafeRawBufferPointer) {
    if lastTime != nil { lastTime = loop.now }
    let output = channel.output
    // Otherwise nothing is left out anyway.
    if !output.isDrained || output.isSuspended { output.leavesOut = !isWaitedFor }
    channel.write(bytes)
    if channel.speech == .raw, output.leftOut > 0 {
      // A plain byte stream cannot report a gap.
      member.report(.stalled)
      return stalled()
    }
    update()
  }

  /// Whether the device waits for the client, instead of skipping bytes.
  private var isWaitedFor: Bool {
    guard mayBeWaitedFor else { return false }
    return patience.map { $0 >= (hold == nil ? HoldBudget.least : .nanoseconds(1)) } ?? true
  }

  /// Whether the device would wait for the client, if there is time left.
  private var mayBeWaitedFor: Bool {
    sharing.mayHoldDevice(member.id) || (lastTime != nil && sharing.roster.holder == nil)
  }

  /// How long the device may still wait; nil for no limit: no member and no log waits too.
  private var patience: Duration? {
    sharing.hasOthers(than: member.id) || controller.log.isOn
      ? sharing.holdBudget.rest(at: loop.now) : nil
  }

  /// Updates the pause of the device while the client takes nothing.
  func update() {
    guard !isStopped else { return }
    let output = channel.output
    output.isSuspended = !channel.maySend
    let isFull = output.isCrowded || output.isSuspended
    recordHold()
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
      timer: loop.schedule(after: patience ?? Self.holdInterval) { [unowned self] in update() })
  }

  /// Records the wait so far, if others waited too.
  private func recordHold() {
    guard let hold, hold.isLimited else { return }
    let (now, takenCount) = (loop.now, channel.output.takenCount)
    sharing.holdBudget.spend(now - hold.start, taking: takenCount - hold.takenCount, until: now)
    self.hold?.start = now
    self.hold?.takenCount = takenCount
  }

  /// Reports that the device waits no longer: once in the time of the budget, however often that happens.
  private func reportOverstay() {
    let now = loop.now
    if let lastOverstay, now - lastOverstay < HoldBudget.window { return }
    lastOverstay = now
    member.report(.overstayed)
  }
}
