/// The commands of a program, in the order of its input. They run one after the other. Only a
/// `cancel` acts before its turn: it stops the command that runs, and those that wait before it
/// do not begin.
///
/// Each command is taken once by ``next(where:)``, and answered before the next one is taken.
package struct CommandQueue {
  /// What to do with the next command.
  package enum Step {
    case perform(ProgramLine)
    /// It was cancelled before it has begun.
    case drop(ProgramLine)
  }

  private enum Present {
    case none, running
    /// A `cancel` has stopped the command. It is not answered yet.
    case stopping
  }

  private let countLimit: Int
  private let byteLimit: Int
  private var present = Present.none
  /// The commands that wait, the first one first.
  private var waiting: [ProgramLine] = []
  private var waitingBytes = 0
  /// The number of commands up to the last `cancel`, at the start of those that wait.
  private var cancelledCount = 0

  /// - Parameters:
  ///   - countLimit: the number of waiting commands that makes the queue full.
  ///   - byteLimit: the number of their bytes that makes it full.
  package init(countLimit: Int = 1_024, byteLimit: Int = 1_048_576) {
    (self.countLimit, self.byteLimit) = (countLimit, byteLimit)
  }

  /// Whether a command can be added. The last one that is added may be of any length.
  package var hasRoom: Bool { waiting.count < countLimit && waitingBytes < byteLimit }

  /// Whether no command runs, and none waits.
  package var isIdle: Bool { present == .none && waiting.isEmpty }

  /// Adds a command.
  ///
  /// - Returns: whether to stop the running command.
  /// - Precondition: the queue has room.
  package mutating func add(_ line: ProgramLine) -> Bool {
    precondition(hasRoom, "a queue is full")
    waiting.append(line)
    waitingBytes += line.length
    guard line.isCancel else { return false }
    cancelledCount = waiting.count
    guard present == .running else { return false }
    present = .stopping
    return true
  }

  /// Removes the next command, which runs until ``answered()``.
  ///
  /// - Parameter canBegin: whether a command can be performed now. Otherwise it waits, and all
  ///   others behind it. A `cancel`, and a command that was cancelled, need not wait.
  /// - Returns: nil while a command runs, or if none can begin.
  package mutating func next(where canBegin: (ProgramLine) -> Bool) -> Step? {
    guard present == .none, let line = waiting.first else { return nil }
    let isDropped = cancelledCount > 0 && !line.isCancel
    guard isDropped || line.isCancel || canBegin(line) else { return nil }
    waiting.removeFirst()
    waitingBytes -= line.length
    cancelledCount = max(0, cancelledCount - 1)
    present = .running
    return isDropped ? .drop(line) : .perform(line)
  }

  /// Notes that the command that runs was answered.
  package mutating func answered() {
    precondition(present != .none, "an answer to no command")
    present = .none
  }
}
