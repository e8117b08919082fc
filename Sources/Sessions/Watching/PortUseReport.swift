package import SerialCore
import SystemPackage
package import Time

/// Decides which programs to report that also have the session's port open. A value.
package struct PortUseReport {
  private var reported: Set<PortHolder> = []
  private var hasReportedUnknown = false
  /// The programs that are not reported yet, with the times when they were first seen.
  private var candidates: [Candidate: MonotonicTime] = [:]
  private var isFirstUpdate = true

  /// The time that a program must have the port open before it is reported. A short-lived program,
  /// such as `stty -F PORT`, takes no data.
  package static let moment = Duration.milliseconds(500)

  private enum Candidate: Hashable {
    case known(PortHolder)
    case unknown
  }

  /// A message for the user.
  package enum Message: Hashable {
    /// A program has the port open too.
    case shared(PortHolder)
    /// The port is the terminal at which somebody uses this program.
    case terminal(of: PortHolder)
    /// A program whose processes this user cannot see has opened the port.
    case opened
    /// No other program has it open any more.
    case ended
  }

  /// Whether the report must be updated again after ``moment``, to see which programs still have
  /// the port open.
  package var isUndecided: Bool { !candidates.isEmpty }

  /// Updates the report. The first update reports all programs, because they had the port open
  /// before the session.
  ///
  /// - Parameters:
  ///   - uses: the processes that have the port open.
  ///   - pid: this process.
  ///   - isOpenElsewhere: whether the kernel has reported an open, and no close since.
  ///   - now: the time of the search for the processes.
  package mutating func update(
    _ uses: [PortHolders.Use], besides pid: Int32, isOpenElsewhere: Bool, at now: MonotonicTime
  ) -> [Message] {
    let visible = uses.filter { $0.holder.pid != pid }
    // One stands for all programs of a terminal: a shell and what it runs.
    let users = visible.filter(\.isTerminal).map(\.holder)
    let others = Set(
      visible.filter { !$0.isFarEnd && !$0.isTerminal }.map(\.holder) + users.prefix(1))
    // For root, and for the user's own programs, the list includes the program that
    // opened the port.
    let isUnknown = isOpenElsewhere && visible.isEmpty
    let wasShared = !reported.isEmpty || hasReportedUnknown
    reported.formIntersection(others)
    hasReportedUnknown = hasReportedUnknown && isUnknown
    var present = Set(others.subtracting(reported).map(Candidate.known))
    if isUnknown && !hasReportedUnknown { present.insert(.unknown) }
    var messages: [Message] = []
    var left: [Candidate: MonotonicTime] = [:]
    for candidate in present {
      let start = candidates[candidate] ?? now
      if isFirstUpdate || now - start >= Self.moment {
        messages.append(report(candidate, isTerminal: candidate == users.first.map { .known($0) }))
      } else {
        left[candidate] = start
      }
    }
    candidates = left
    isFirstUpdate = false
    if wasShared && reported.isEmpty && !hasReportedUnknown { messages.append(.ended) }
    return messages.sorted { $0.order < $1.order }
  }

  private mutating func report(_ candidate: Candidate, isTerminal: Bool) -> Message {
    switch candidate {
    case .known(let holder):
      reported.insert(holder)
      return isTerminal ? .terminal(of: holder) : .shared(holder)
    case .unknown:
      hasReportedUnknown = true
      return .opened
    }
  }
}

extension PortUseReport.Message {
  /// The sort order: known programs come first, by their process ID.
  fileprivate var order: Int32 {
    switch self {
    case .shared(let holder), .terminal(let holder): holder.pid
    case .opened, .ended: .max
    }
  }
}
