package import Framing

/// What a program asks for in the lines of its input.
package protocol ProgramMessage {
  /// Whether a message waits until the one before it is answered. Otherwise it begins, and is
  /// answered when that is possible.
  static var beginsInTurn: Bool { get }
  /// The messages of a line, or of one that could not be read.
  static func messages(of line: Result<String, FrameDamage>) -> [Self]
  /// Whether it stops the messages before it: the one that runs, and those that have not begun.
  var isCancel: Bool { get }
  /// Whether it is performed only when the program has joined its session.
  var needsSession: Bool { get }
}

extension ProgramMessage {
  package var isCancel: Bool { false }
  package var needsSession: Bool { false }
}

/// The lines of a program that takes part in sessions: the bytes of its input become messages, and
/// each one is performed when its turn has come.
///
/// Each event gives the actions that follow from it, in their order. In a turn of the loop, one
/// message begins, so that a program with many of them delays nothing else. While the program does
/// not read its answers, or many of its messages wait, no more input is read.
package struct ProgramLines<Message: ProgramMessage> {
  package enum Event {
    /// Bytes of the input. A turn shall follow.
    case bytes([UInt8])
    /// The input has ended. A turn shall follow.
    case end
    /// A turn of the loop.
    ///
    /// - Parameters:
    ///   - isCrowded: whether the program must read its answers first.
    ///   - isJoining: whether the program has not joined its session yet.
    case turn(isCrowded: Bool, isJoining: Bool = false)
    /// The message that runs was answered, if messages begin in turn.
    case answered
  }

  package enum Action {
    case step(Step)
    /// Give another ``Event/turn(isCrowded:isJoining:)``, in a turn of its own.
    case turn
    /// Whether to read the input.
    case read(Bool)
  }

  package enum Step {
    case perform(Message)
    /// Answer a message that was cancelled before it has begun.
    case drop(Message)
    /// Answer a message that has cancelled the others.
    case confirm(Message)
    /// Stop the message that runs. Its answer is awaited.
    case stop
    /// The input has ended, and what was in it has begun and, in turn, was answered.
    case finish
  }

  private enum Present {
    case none, running
    /// A cancel has stopped the message. It is not answered yet.
    case stopping
  }

  /// A message that has not begun.
  private struct Waiting {
    let message: Message
    /// The number of bytes of its line; 0 if another message of the line follows.
    let length: Int
  }

  /// The maximum length of a line in bytes.
  package static var longestLine: Int { 1_048_576 }

  private let countLimit: Int
  private let byteLimit: Int
  private var buffer = FrameBuffer(ByteLines(limit: longestLine))
  private var hasEnded = false
  private var hasFinished = false
  private var present = Present.none
  private var waiting: [Waiting] = []
  private var waitingBytes = 0
  /// The number of messages up to the last cancel, at the start of those that wait.
  private var cancelledCount = 0

  /// - Parameters:
  ///   - countLimit: the number of waiting messages with which no more lines are taken.
  ///   - byteLimit: the number of their bytes with which no more lines are taken.
  package init(countLimit: Int = 1_024, byteLimit: Int = 1_048_576) {
    (self.countLimit, self.byteLimit) = (countLimit, byteLimit)
  }

  package mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .bytes(let bytes): buffer.append(bytes)
    case .end: hasEnded = true
    case .answered:
      precondition(present != .none, "an answer to no message")
      present = .none
      return [.turn]
    case .turn(let isCrowded, let isJoining):
      if isCrowded { return [.read(false)] }
      guard !hasFinished else { break }
      var steps = takeLines()
      let wasFull = !hasRoom
      steps += nextSteps(isJoining: isJoining)
      let begins = steps.contains { if case .perform = $0 { true } else { false } }
      // A full queue has room now: lines may be left, and one of them may be a cancel.
      let mayHaveMore = wasFull && hasRoom
      let needsTurn = mayHaveMore || begins && !Message.beginsInTurn
      if !mayHaveMore, finishes(isJoining: isJoining) { steps.append(.finish) }
      return steps.map(Action.step) + (needsTurn ? [.turn] : []) + [.read(hasRoom)]
    }
    return []
  }

  private var hasRoom: Bool { waiting.count < countLimit && waitingBytes < byteLimit }

  /// Takes the messages of complete lines, in search of a cancel, while there is room. The last
  /// line may have any length and number of messages.
  private mutating func takeLines() -> [Step] {
    var steps: [Step] = []
    while hasRoom, let bytes = buffer.next(isEnd: hasEnded) {
      let length = (try? bytes.get().count) ?? 0
      let line = bytes.flatMap { bytes in
        // JSON is UTF-8 (RFC 8259, 8.1). A text with replaced bytes would be another one.
        String(validating: bytes, as: UTF8.self).map { .success($0) } ?? .failure(.notUTF8)
      }
      let messages = Message.messages(of: line)
      for (index, message) in messages.enumerated() {
        waiting.append(
          Waiting(message: message, length: index == messages.count - 1 ? length : 0))
        guard message.isCancel else { continue }
        cancelledCount = waiting.count
        guard present == .running else { continue }
        present = .stopping
        steps.append(.stop)
      }
      if !messages.isEmpty { waitingBytes += length }
    }
    return steps
  }

  /// Removes the messages that were cancelled, the cancels, and one that can begin.
  private mutating func nextSteps(isJoining: Bool) -> [Step] {
    var steps: [Step] = []
    while present == .none, let message = waiting.first?.message {
      let isDropped = cancelledCount > 0 && !message.isCancel
      let begins = !isDropped && !message.isCancel
      if begins && isJoining && message.needsSession { break }
      waitingBytes -= waiting.removeFirst().length
      cancelledCount = max(0, cancelledCount - 1)
      steps.append(
        isDropped ? .drop(message) : message.isCancel ? .confirm(message) : .perform(message))
      guard begins else { continue }
      if Message.beginsInTurn { present = .running }
      break
    }
    return steps
  }

  private mutating func finishes(isJoining: Bool) -> Bool {
    let isIdle = present == .none && waiting.isEmpty
    hasFinished = hasEnded && isIdle && !isJoining
    return hasFinished
  }
}

extension FrameDamage {
  /// A line of a program is not text.
  package static let notUTF8 = custom("the line is not UTF-8")
}

/// Lines that end with LF, as bytes. The last one needs no end; a CR before it is a blank of JSON.
private struct ByteLines: Framing {
  private var lines: DelimitedSearch

  init(limit: Int) { lines = DelimitedSearch(for: .byte(UInt8(ascii: "\n")), limit: limit) }

  var silence: Duration? { nil }

  mutating func search(_ bytes: RawSpan, searched: Int, isEnd: Bool) -> FrameSearch<[UInt8]> {
    bytes.withUnsafeBytes { bytes in
      switch lines.search(bytes, searched: searched, isEnd: isEnd) {
      case .damaged(.unfinished, let length): .frame(Array(bytes), length: length)
      case let found: found.map { count, length in .frame(Array(bytes[..<count]), length: length) }
      }
    }
  }
}
