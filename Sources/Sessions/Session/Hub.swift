import Observing
package import SerialCore
package import Time

/// Passes the bytes that a session receives to its subscribers.
///
/// ## Principles of operation
///
/// - Subscribers get each piece in the order of their ``Rank``: a log gets the bytes before any
///   view. Within a rank, the order is that of subscribing.
/// - The clock is read once for each read. All subscribers get that time with the bytes, so that
///   two logs, the scrollback and the screen never disagree.
/// - Each subscriber has its own backlog, and reports when that is full. Its ``WhenFull`` decides
///   whether the device is held back. Each full subscriber holds its own pause: reading resumes
///   when the last pause ends.
/// - A subscriber with ``Rank/owner`` keeps the bytes from the listeners and views while it is
///   subscribed, but not from the logs.
/// - A subscription ends when it is released, even in the middle of a piece.
package final class Hub {
  /// The order in which subscribers are served.
  package enum Rank: Int, Comparable, CaseIterable {
    /// Keeps every byte. The other subscribers never hold it up.
    case log
    /// Communicates with the device alone: only the logs see the bytes too.
    case owner
    /// Searches the bytes for something.
    case listener
    /// Shows the bytes, or passes them to another program.
    case view

    package static func < (one: Rank, other: Rank) -> Bool { one.rawValue < other.rawValue }
  }

  /// What happens while the backlog of a subscriber is full.
  package enum WhenFull {
    /// The device waits: no byte may be missing.
    case wait
    /// The device waits if that loses nothing (``SerialCore/Session/canWait``). Otherwise the
    /// subscriber skips bytes, and counts them.
    case waitOrLeaveOut
    /// Nothing happens: the subscriber takes every piece.
    case keepReceiving
  }

  private let session: Session
  private var received: ObservationToken<SessionEvent>?
  private var slots: [Slot] = []
  /// The subscriber that has the line for itself: the one that subscribed last.
  private var owner: Slot?
  /// The time of the last read, and its number: see ``SerialCore/Session/readCount``.
  private var lastRead = (moment: Moment(wallClock: 0, monotonic: 0), number: 0)

  /// A subscriber's entry in the hub. It outlives the subscription while a piece is passed.
  fileprivate final class Slot {
    let rank: Rank
    let receive: (UnsafeRawBufferPointer, Moment) -> Void
    var isActive = true

    init(_ rank: Rank, _ receive: @escaping (UnsafeRawBufferPointer, Moment) -> Void) {
      self.rank = rank
      self.receive = receive
    }
  }

  /// Creates the hub of a session.
  package init(of session: Session) {
    self.session = session
    // Every received byte comes this way, so nothing is between the session's list and the hub.
    received = session.events.observe(
      rank: Session.ObserverRank.distributor.rawValue, kinds: SessionEvent.Kind.received.bit
    ) { [unowned self] in
      if case .received(let bytes) = $0 { pass(bytes) }
    }
  }

  /// Adds a subscriber.
  ///
  /// - Parameters:
  ///   - rank: its place in the order of the subscribers.
  ///   - whenFull: what happens while its backlog is full.
  ///   - receive: called with each piece of bytes, which are valid during the call, and the time
  ///     of the read.
  /// - Returns: the subscription, which the subscriber keeps.
  package func subscribe(
    as rank: Rank, whenFull: WhenFull = .keepReceiving,
    _ receive: @escaping (UnsafeRawBufferPointer, Moment) -> Void
  ) -> Subscription {
    let slot = Slot(rank, receive)
    slots.insert(slot, at: slots.firstIndex { $0.rank > rank } ?? slots.endIndex)
    if rank == .owner { owner = slot }
    return Subscription(slot, of: self, session, whenFull)
  }

  /// The ranks of the subscribers, in the order in which they get the bytes.
  package var ranks: [Rank] { slots.map(\.rank) }

  private func pass(_ bytes: UnsafeRawBufferPointer) {
    // The pieces between the errors of a read share its time.
    if lastRead.number != session.readCount { lastRead = (.now, session.readCount) }
    let moment = lastRead.moment
    // An owner that subscribes or leaves during this loop counts from the next piece.
    let owner = owner
    // The array is copied only if a subscriber is added or removed during this loop.
    for slot in slots where slot.isActive {
      if let owner, slot.rank != .log, slot !== owner { continue }
      slot.receive(bytes, moment)
    }
  }

  /// Passes bytes that an owner did not use to the listeners and views, with the time of the last
  /// read. The logs have them already.
  package func passUnused(_ bytes: UnsafeRawBufferPointer) {
    let moment = lastRead.moment
    for slot in slots where slot.isActive && slot.rank > .owner { slot.receive(bytes, moment) }
  }

  fileprivate func remove(_ slot: Slot) {
    slot.isActive = false
    slots.removeAll { $0 === slot }
    owner = slots.last { $0.rank == .owner }
  }

  /// A place among the subscribers of a hub, held until it is released.
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

    /// Reports whether the backlog of the subscriber is full.
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
      case .keepReceiving: false
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
  /// back, or the far end waits. A UART without flow control overruns.
  package var canWait: Bool {
    guard case .open(_, let settings) = state else { return false }
    return settings.flowControl != .none || capabilities.contains(.backPressure)
  }
}
