import Observing
package import SerialCore

/// Passes the bytes that a session receives to subscribers.
///
/// ## Principles of operation
///
/// - Subscribers get every piece in the order of their ``Rank``, not of subscribing: a log has the bytes
///   before any view. Within a rank, the order is that of subscribing.
/// - Each subscriber has a backlog of its own, and says when it is full. Its ``WhenFull`` decides whether
///   the device is held back meanwhile. Each holds its own pause: reading goes on when the last one ends.
/// - A subscriber that takes the line for itself (``subscribe(as:whenFull:_:)`` with ``Rank/owner``) keeps
///   the bytes from the views while it is subscribed, but not from the logs.
/// - A subscription ends when it is released, also in the middle of a piece.
package final class Hub {
  /// The order in which subscribers are served.
  package enum Rank: Int, Comparable, CaseIterable {
    /// Keeps every byte. It is never held up by the others.
    case log
    /// Has a conversation with the device that nobody else sees.
    case owner
    /// Waits for something in the bytes.
    case listener
    /// Shows them, or passes them to another program.
    case view

    package static func < (one: Rank, other: Rank) -> Bool { one.rawValue < other.rawValue }
  }

  /// What happens while the backlog of a subscriber is full.
  package enum WhenFull {
    /// The device waits: nothing may be missing.
    case wait
    /// The device waits if that loses nothing (``SerialCore/Session/canWait``). Otherwise the
    /// subscriber leaves bytes out, and counts them.
    case waitOrLeaveOut
    /// Nothing: the subscriber takes every piece.
    case goOn
  }

  private let session: Session
  private var slots: [Slot] = []
  /// The subscriber that has the line for itself: the last one that came.
  private var owner: Slot?

  /// What the hub keeps of a subscriber. It outlives the subscription during a piece.
  fileprivate final class Slot {
    let rank: Rank
    let take: (UnsafeRawBufferPointer) -> Void
    var isActive = true

    init(_ rank: Rank, _ take: @escaping (UnsafeRawBufferPointer) -> Void) {
      self.rank = rank
      self.take = take
    }
  }

  /// Creates the hub of a session.
  package init(of session: Session) {
    self.session = session
    // Every received byte comes this way: the hub is in the session's list itself, without a token between.
    session.events.add(self, kinds: SessionEvent.Kinds.received.rawValue) { hub, event in
      if case .received(let bytes) = event { hub.pass(bytes) }
    }
  }

  /// Adds a subscriber.
  ///
  /// - Parameters:
  ///   - rank: its place among the others.
  ///   - whenFull: what happens while its backlog is full.
  ///   - take: called with each piece of bytes, which are valid during the call.
  /// - Returns: the subscription, which the subscriber keeps.
  package func subscribe(
    as rank: Rank, whenFull: WhenFull = .goOn, _ take: @escaping (UnsafeRawBufferPointer) -> Void
  ) -> Subscription {
    let slot = Slot(rank, take)
    slots.insert(slot, at: slots.firstIndex { $0.rank > rank } ?? slots.endIndex)
    if rank == .owner { owner = slot }
    return Subscription(slot, of: self, session, whenFull)
  }

  /// The ranks of the subscribers, in the order in which they are served.
  package var ranks: [Rank] { slots.map(\.rank) }

  private func pass(_ bytes: UnsafeRawBufferPointer) {
    // An owner that comes or goes meanwhile counts from the next piece on.
    let owner = owner
    // The array is not copied, unless a subscriber comes or goes meanwhile.
    for slot in slots where slot.isActive {
      if let owner, slot.rank != .log, slot !== owner { continue }
      slot.take(bytes)
    }
  }

  /// Passes bytes to the listeners and views that an owner got and did not use. The logs have them.
  package func giveBack(_ bytes: UnsafeRawBufferPointer) {
    for slot in slots where slot.isActive && slot.rank > .owner { slot.take(bytes) }
  }

  fileprivate func remove(_ slot: Slot) {
    slot.isActive = false
    slots.removeAll { $0 === slot }
    owner = slots.last { $0.rank == .owner }
  }

  /// A place among the subscribers of a hub, until it is released.
  package final class Subscription {
    private let slot: Slot
    private weak var hub: Hub?
    private weak var session: Session?
    private let whenFull: WhenFull
    private var pause: Session.Pause?

    fileprivate init(_ slot: Slot, of hub: Hub, _ session: Session, _ whenFull: WhenFull) {
      (self.slot, self.hub, self.session, self.whenFull) = (slot, hub, session, whenFull)
    }

    deinit { end() }

    /// Says whether the backlog of the subscriber is full.
    package func update(isFull: Bool) {
      if !isFull {
        pause = nil
      } else if pause == nil && holdsBack {
        pause = session?.pauseReading()
      }
    }

    private var holdsBack: Bool {
      switch whenFull {
      case .wait: true
      case .waitOrLeaveOut: session?.canWait ?? false
      case .goOn: false
      }
    }

    /// Ends the subscription, and the pause that it holds. Calling it again does nothing.
    package func end() {
      pause = nil
      hub?.remove(slot)
      hub = nil
    }
  }
}

extension Session {
  /// Whether nothing is lost while the port is not read for a moment: flow control holds the device
  /// back, or the far end waits by itself. A UART without flow control overruns.
  package var canWait: Bool {
    guard case .open(_, let settings) = state else { return false }
    return settings.flowControl != .none || capabilities.contains(.backPressure)
  }
}
