import EventLoop
import Telnet
import Time

/// Passes the device's bytes to a client, and decides what happens while the client takes nothing:
/// bytes are left out, or the device waits.
///
/// The device waits only for the client with the pen: without a limit if that is the only member
/// and nothing is logged, otherwise within the ``HoldBudget``.
///
/// Where there is a ``ReceivedBacklog``, the client first gets that, as fast as it takes it. The
/// device does not wait meanwhile, because new bytes are in the backlog too. A client that later
/// has no room, and for which the device does not wait, reads the backlog again from there.
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
  private let backlog: ReceivedBacklog?
  /// Where the client is in the backlog; nil while it gets bytes live.
  private var place: BacklogPlace?

  /// The place of a client in the backlog.
  private struct BacklogPlace {
    /// The position of the next byte.
    var position: Int
    /// Whether the client has the backlog for itself.
    let isOwn: Bool
    /// Continues in the next turn of the loop.
    var turn: LoopTimer?
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

  /// The time after which a wait without a limit looks whether others have come.
  private static let holdInterval = Duration.seconds(1)
  /// The number of bytes of the backlog that are passed in one turn of the loop.
  private static let backlogBudget = 262_144
  private static let backlogPiece = 16_384

  /// - Parameters:
  ///   - backlog: what the device sent before; nil for nothing.
  ///   - stalled: called when the client takes nothing, and its protocol cannot report
  ///     missing bytes.
  init(
    of controller: SessionController, to member: ClientMember, through channel: ClientChannel,
    after backlog: ReceivedBacklog?, on loop: IOLoop, stalled: @escaping () -> Void
  ) {
    self.backlog = backlog
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
    guard let (position, isOwn) = backlog?.begin() else { return }
    place = BacklogPlace(position: position, isOwn: isOwn)
    continueSoon()
  }

  /// Handles the end of the client's stream: it has no pen any more, but must get the answer.
  func linger() { lastTime = loop.now }

  /// Passes nothing any more.
  func stop() {
    isStopped = true
    recordHold()
    (subscription, hold) = (nil, nil)
    if let place, place.isOwn { backlog?.finish(at: place.position) }
    place = nil
  }

  // MARK: The backlog

  /// Continues with the backlog in the next turn of the loop.
  private func continueSoon() {
    place?.turn = loop.schedule(after: .zero) { [unowned self] in
      place?.turn = nil
      passBacklog()
    }
  }

  /// Passes what the client has room for. At the end of the backlog, the client gets bytes live.
  private func passBacklog() {
    guard let backlog, var position = place?.position, !isStopped else { return }
    let output = channel.output
    output.isSuspended = !channel.maySend
    output.leavesOut = false
    if position < backlog.start {
      // The client was slower than the device for longer than the backlog.
      if channel.clientProtocol == .raw { return giveUp() }
      place?.position = backlog.start
      // The report of the gap continues the backlog.
      return output.skip(backlog.start - position)
    }
    var budget = Self.backlogBudget
    while position < backlog.end, budget > 0, hasRoom {
      let bytes = backlog.bytes(from: position, atMost: Self.backlogPiece)
      position += bytes.count
      budget -= bytes.count
      // What ends the client needs it.
      place?.position = position
      bytes.withUnsafeBytes { channel.write($0) }
    }
    guard place != nil, hasRoom else { return }
    if position < backlog.end { return continueSoon() }
    if place?.isOwn == true { backlog.finish(at: position) }
    place = nil
  }

  /// Passes the last bytes later, from the backlog, because the client has no room for them.
  ///
  /// - Parameter count: the number of the last bytes.
  /// - Returns: false if they are not in a backlog for this client.
  private func returnToBacklog(at count: Int) -> Bool {
    guard let backlog, !backlog.isForOne else { return false }
    place = BacklogPlace(position: backlog.end - count, isOwn: false)
    hold = nil
    subscription?.update(isFull: false)
    return true
  }

  private var hasRoom: Bool {
    let output = channel.output
    return !output.isCrowded && !output.isSuspended && !output.isGone && output.leftOut == 0
  }

  // MARK: Live bytes

  private func pass(_ bytes: UnsafeRawBufferPointer) {
    if lastTime != nil { lastTime = loop.now }
    if place != nil {
      // They are in the backlog.
      if place?.turn == nil { passBacklog() }
      return
    }
    backlog?.passedLive()
    let output = channel.output
    // Otherwise nothing is left out anyway.
    if !output.isDrained || output.isSuspended {
      output.leavesOut = !isWaitedFor
      if output.leavesOut, !hasRoom, returnToBacklog(at: bytes.count) { return }
    }
    channel.write(bytes)
    if channel.clientProtocol == .raw, output.leftOut > 0 { return giveUp() }
    update()
  }

  /// Gives a client up that has not taken some bytes: a plain byte stream cannot report a gap.
  private func giveUp() {
    member.report(.stalled)
    stalled()
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
    if let place {
      if place.turn == nil { passBacklog() }
      return
    }
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

  /// Reports that the device waits no longer: once in the time of the budget, however
  /// often that happens.
  private func reportOverstay() {
    let now = loop.now
    if let lastOverstay, now - lastOverstay < HoldBudget.window { return }
    lastOverstay = now
    member.report(.overstayed)
  }
}
