import Framing
package import TextTools

/// A program that pipelines commands in any way, and answers that come at any time. However its lines are cut into
/// reads, each command is answered once and in the order of the input, a `cancel` acts when its line is complete, and
/// nothing that it stopped begins.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var program = Program(choices: Choices(UnsafeBufferPointer(start: start, count: count)))
  program.run()
  return 0
}

/// The bytes of the fuzzer, as decisions.
private struct Choices {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var isEmpty: Bool { position == bytes.count }

  mutating func next(below limit: Int) -> Int {
    guard !isEmpty else { return 0 }
    defer { position += 1 }
    return Int(bytes[position]) % limit
  }

  mutating func text(_ count: Int) -> String {
    let end = min(position + count, bytes.count)
    defer { position = end }
    let text = bytes[position..<end].filter { $0 != 0x0A && $0 != 0x0D }
    return String(decoding: text, as: UTF8.self)
  }
}

/// What is said of commands, as a list of all that were ever written: nothing is removed from it.
private struct Command {
  enum Kind { case plain, cancel, close }
  enum Fate { case written, waiting, cancelled, running, stopped, answered }

  let kind: Kind
  let id: JSON
  /// The bytes of the line without and with its end.
  let length: Int
  let wholeLength: Int
  var fate = Fate.written
}

private struct Program {
  private static let countLimit = 6
  private static let byteLimit = 250

  var choices: Choices
  private var commands: [Command] = []
  /// What was written, and how much of it was read.
  private var input: [UInt8] = []
  private var readCount = 0
  private var hasClosed = false
  private var buffer = FrameBuffer(.lines(limit: 4_096))
  private var queue = CommandQueue(countLimit: countLimit, byteLimit: byteLimit)

  init(choices: Choices) { self.choices = choices }

  mutating func run() {
    while !choices.isEmpty, !hasClosed {
      switch choices.next(below: 8) {
      case 0, 1, 2: write()
      case 3: read(choices.next(below: 256))
      case 4: read(.max)
      case 5: answer()
      case 6: turn(canBegin: true)
      default: turn(canBegin: choices.next(below: 2) == 0)
      }
    }
    // Everything that was written is answered in the end.
    for _ in 0...2 * commands.count where !hasClosed {
      read(.max)
      answer()
      turn(canBegin: true)
    }
    answer()
    let unanswered = commands.drop { $0.fate == .answered }
    precondition(unanswered.isEmpty || hasClosed, "a command has no answer")
    precondition(
      unanswered.allSatisfy { $0.fate != .answered && $0.fate != .running },
      "an answer is not in its order")
    precondition(hasClosed || queue.isIdle, "an empty queue is not idle")
  }

  // MARK: The program

  private mutating func write() {
    let number = commands.count
    let line =
      switch choices.next(below: 12) {
      case 0, 1, 2: #"{"id":\#(number),"command":"send","text":"x"}"#
      case 3: #"{"id":"\#(number)","command":"expect","regex":"{\"command\":\"cancel\"}"}"#
      case 4: #"{"command":"cancel","id":[\#(number)]}"#
      case 5: #" {"id":\#(number), "command":"c\u0061ncel"} "#
      case 6: #"{"command":["cancel"],"id":{}}"#
      case 7: #"{"id":\#(number),"command":"cancel""#
      case 8: ""
      case 9 where choices.next(below: 8) == 0: #"{"id":\#(number),"command":"close"}"#
      case 9: #"{"id":\#(number),"command":"send","text":"\#(String(repeating: "y", count: 240))"}"#
      case 10: choices.text(choices.next(below: 40))
      default: #"{"id":\#(number)}"#
      }
    let json = try? JSON(parsing: line)
    let kind: Command.Kind =
      switch json?["command"]?.string {
      case "cancel": .cancel
      case "close": .close
      default: .plain
      }
    let end = choices.next(below: 4) == 0 ? "\r\n" : "\n"
    let bytes = Array((line + end).utf8)
    commands.append(
      Command(
        kind: kind, id: json?["id"] ?? .null, length: line.utf8.count, wholeLength: bytes.count))
    input += bytes
  }

  /// The commands that were taken from the input and did not begin.
  private var waiting: [Command] {
    commands.filter { $0.fate == .waiting || $0.fate == .cancelled }
  }

  private var hasRoom: Bool {
    waiting.count < Self.countLimit && waiting.reduce(0) { $0 + $1.length } < Self.byteLimit
  }

  // MARK: serialterm

  private mutating func read(_ count: Int) {
    guard hasRoom else { return }
    let piece = input[readCount...].prefix(count)
    buffer.append(piece)
    readCount += piece.count
    takeLines()
  }

  private mutating func takeLines() {
    while queue.hasRoom, let line = buffer.next() {
      guard case .success(let text) = line, let index = commands.firstIndex(where: isWritten)
      else { preconditionFailure("a line is damaged, or nobody wrote it") }
      commands[index].fate = .waiting
      let running = commands.firstIndex { $0.fate == .running }
      let mustStop = commands[index].kind == .cancel && running != nil
      precondition(
        queue.add(ProgramLine(text)) == mustStop, "a cancel did not stop the command that runs")
      if commands[index].kind == .cancel { cancel(before: index) }
    }
    precondition(queue.hasRoom == hasRoom, "the limits do not hold")
    precondition(waiting.count <= Self.countLimit)
    precondition(waiting.dropLast().reduce(0) { $0 + $1.length } < Self.byteLimit)
    // A whole line is only left if there is no room.
    var end = 0
    let whole = commands.prefix {
      end += $0.wholeLength
      return end <= readCount
    }
    precondition(!hasRoom || !whole.contains(where: isWritten), "a whole line was not taken")
  }

  private func isWritten(_ command: Command) -> Bool { command.fate == .written }

  private mutating func cancel(before end: Int) {
    for index in 0..<end {
      switch commands[index].fate {
      case .waiting where commands[index].kind != .cancel: commands[index].fate = .cancelled
      case .running: commands[index].fate = .stopped
      case .written, .waiting, .cancelled, .stopped, .answered: break
      }
    }
  }

  private var running: Int? { commands.firstIndex { $0.fate == .running || $0.fate == .stopped } }

  /// The command that runs is answered.
  private mutating func answer() {
    guard let running else { return }
    precondition(
      commands[..<running].allSatisfy { $0.fate == .answered }, "an answer is not in its order")
    commands[running].fate = .answered
    queue.answered()
    if commands[running].kind == .close { hasClosed = true }
  }

  /// A turn of the loop: what was cancelled is answered at once.
  private mutating func turn(canBegin: Bool) {
    while !hasClosed {
      let index = commands.firstIndex { $0.fate != .answered }
      let expected = index.flatMap { mayBegin(commands[$0], canBegin) ? $0 : nil }
      let step = queue.next { _ in canBegin }
      switch (step, expected) {
      case (nil, nil): return takeLines()
      case (.drop(let line)?, let index?):
        precondition(commands[index].fate == .cancelled, "a command that waits was dropped")
        begin(line, index)
        answer()
      case (.perform(let line)?, let index?):
        precondition(commands[index].fate == .waiting, "a command was performed after its cancel")
        begin(line, index)
        guard commands[index].kind == .cancel else { return takeLines() }
        answer()
      case (nil, _?), (_?, nil): preconditionFailure("another command begins")
      }
      takeLines()
    }
  }

  private func mayBegin(_ command: Command, _ canBegin: Bool) -> Bool {
    switch command.fate {
    case .cancelled: true
    case .waiting: canBegin || command.kind == .cancel
    case .written, .running, .stopped, .answered: false
    }
  }

  private mutating func begin(_ line: ProgramLine, _ index: Int) {
    precondition(line.id.description == commands[index].id.description, "another line's id")
    precondition(line.length == commands[index].length, "another line's length")
    commands[index].fate = .running
  }
}
