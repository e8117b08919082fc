import Time

/// What a device sent before a client connects, for clients that want it: a program that connects
/// after a board was switched on still gets the board's first words.
///
/// The backlog is a subscriber of the hub with the rank of logs, so a piece is here before any
/// client gets it. A client reads from its position until it is at the end, and gets bytes live
/// from then on: no byte is missing or doubled.
package final class ReceivedBacklog {
  private var history: ReceivedHistory
  private let rule: PortServer.Backlog
  private var recording: Hub.Subscription?
  /// Whether a client has the backlog for itself; see ``PortServer/Backlog/isForOne``.
  private var isTaken = false
  /// The length of time that is kept, in nanoseconds; nil for no limit.
  private let window: UInt64?
  private let resolution: UInt64

  init(_ rule: PortServer.Backlog, of hub: Hub) {
    self.rule = rule
    let capacity: Int
    switch rule.limit {
    case .bytes(let count): (capacity, window, resolution) = (count, nil, .max)
    case .time(let time):
      let window = UInt64(max(0, time / .nanoseconds(1)))
      // A run holds what arrived within a five-hundredth of the time.
      (capacity, self.window, resolution) = (Self.timedCapacity, window, window / 500 + 1)
    }
    history = ReceivedHistory(capacity: max(1, capacity), resolution: resolution)
    recording = hub.subscribe(as: .log) { [unowned self] in
      forgetOld(at: $1.monotonic)
      history.add($0, at: $1.monotonic)
    }
  }

  /// The maximum number of bytes that are kept where a length of time is the limit: what
  /// 1 Mbit/s brings in more than two minutes.
  static let timedCapacity = 16 << 20

  /// Whether only the first client gets it.
  var isForOne: Bool { rule.isForOne }
  /// The position of the oldest byte that is kept.
  var start: Int { history.start }
  /// The position of the byte that the device sends next.
  var end: Int { history.end }

  /// Begins to read.
  ///
  /// - Returns: the position of the first byte for the client, and whether the client has the
  ///   backlog for itself until ``finish(at:)``; nil if another client has it.
  func begin() -> (position: Int, isOwn: Bool)? {
    forgetOld(at: Moment.now.monotonic)
    guard rule.isForOne else { return (start, false) }
    guard !isTaken else { return nil }
    isTaken = true
    return (start, true)
  }

  /// Some bytes, from a position on; none at the end.
  func bytes(from position: Int, atMost limit: Int) -> [UInt8] {
    history.bytes(from: position, atMost: limit)
  }

  /// Handles the end of a client that had the backlog for itself. What it did not get is for the
  /// next client.
  func finish(at position: Int) {
    history.forget(before: position)
    isTaken = false
  }

  /// Notes that a client without the backlog gets bytes live: they are not for a later client.
  func passedLive() {
    if rule.isForOne, !isTaken { history.forget(before: end) }
  }

  private func forgetOld(at time: UInt64) {
    guard let window else { return }
    let (oldest, isEarly) = time.subtractingReportingOverflow(window)
    let (limit, isTooEarly) = oldest.subtractingReportingOverflow(resolution)
    if !isEarly, !isTooEarly { history.forget(before: limit) }
  }
}

extension PortServer {
  /// How much of what the device sent before is kept for clients that connect later.
  package struct Backlog: Hashable, Sendable {
    /// The limit of what is kept.
    package enum Limit: Hashable, Sendable {
      /// A number of bytes, from 1.
      case bytes(Int)
      /// What arrived within this time.
      case time(Duration)
    }

    package let limit: Limit
    /// Whether only the first client gets it.
    package let isForOne: Bool

    package init(_ limit: Limit, isForOne: Bool) {
      (self.limit, self.isForOne) = (limit, isForOne)
    }
  }
}
