import SerialCore
import SystemPackage

/// Decides what the user is told about other programs that have the session's port open. A value.
struct SharingReport {
  private var reported: Set<PortHolder> = []
  private var hasReportedUnknown = false

  /// A message for the user.
  enum Message: Hashable {
    /// A program has the port open too.
    case shared(PortHolder)
    /// A program that this user cannot see has opened the port.
    case opened
    /// No other program has it open any more.
    case ended
  }

  /// Updates the report.
  ///
  /// - Parameters:
  ///   - uses: the processes that have the port open.
  ///   - pid: this process.
  ///   - isOpenElsewhere: whether the kernel has reported an open, and no close since.
  mutating func update(
    _ uses: [PortHolders.Use], besides pid: Int32, isOpenElsewhere: Bool
  ) -> [Message] {
    let visible = uses.filter { $0.holder.pid != pid }
    let others = Set(visible.filter { !$0.isFarEnd }.map(\.holder))
    // As root, or for the user's own programs, the one that opened the port is in the list.
    let isUnknown = isOpenElsewhere && visible.isEmpty
    let wasShared = !reported.isEmpty || hasReportedUnknown
    var messages = others.subtracting(reported).sorted { $0.pid < $1.pid }.map(Message.shared)
    if isUnknown && !hasReportedUnknown { messages.append(.opened) }
    reported = others
    hasReportedUnknown = isUnknown
    if wasShared && others.isEmpty && !isUnknown { messages.append(.ended) }
    return messages
  }
}

extension SharingReport {
  /// The consequence of sharing a port.
  static let loss = "What the device sends is split between the programs: each misses a part."
}

extension SharingReport.Message {
  /// What is the case, without the path: `doctor` finds the same.
  var fact: String {
    switch self {
    case .shared(let holder): "also open in \(holder.command.harmless) (pid \(holder.pid))"
    case .opened: "also open in another program"
    case .ended: "no longer open in another program"
    }
  }

  /// The message in words.
  func text(at path: FilePath) -> String {
    switch self {
    case .shared: "warning: \(path) is \(fact). \(SharingReport.loss)"
    case .opened:
      "warning: another program has opened \(path) too. \(SharingReport.loss) 'sudo serialterm "
        + "doctor \(path.string.shellWord)' names it."
    case .ended: "no other program has \(path) open any more."
    }
  }
}
