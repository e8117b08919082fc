import TextTools

/// A program that writes commands in any way, and answers and turns that come at any time. In a
/// turn, the program may be behind with reading its answers, or may not have joined its session.
/// However its lines are cut into reads, each one gets one outcome, in the order of the input. A
/// `cancel` acts when it is taken, and nothing that it stopped begins.
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

/// What is known of a line. Lines that were written are never removed from their list.
private struct Line {
  enum State {
    case written, waiting
    /// A cancel after it was taken before it began.
    case cancelled
    case running
    /// A cancel was taken while it runs. It must be told to stop in the same turn.
    case stopping
    case stopped
    /// It was answered, dropped or confirmed.
    case done
  }

  let isCancel: Bool
  let needsSession: Bool
  let id: String
  /// The number of bytes without the line's end.
  let length: Int
  /// The length of the input with which it is whole; `.max` if only the input's end ends it.
  let end: Int
  var state = State.written
}

private struct Program {
  private static let countLimit = 6
  private static let byteLimit = 250

  private var choices: Choices
  /// All lines that were ever written.
  private var lines: [Line] = []
  /// What was written, and how much of it was read.
  private var input: [UInt8] = []
  private var readCount = 0
  private var hasEnded = false
  private var subject = ProgramLines<ProgramLine>(countLimit: countLimit, byteLimit: byteLimit)
  /// What the subject said last.
  private var mayRead = true
  private var asksForTurn = false
  private var hasFinished = false

  init(choices: Choices) { self.choices = choices }

  mutating func run() {
    while !choices.isEmpty {
      switch choices.next(below: 12) {
      case 0, 1, 2, 3: write()
      case 4: read(choices.next(below: 256))
      case 5: read(.max)
      case 6: answer()
      case 7: turn(isCrowded: true, isJoining: choices.next(below: 2) == 0)
      case 8: turn(isJoining: true)
      case 9 where choices.next(below: 4) == 0: end()
      default: turn()
      }
    }
    // Now the program has joined and reads its answers. Everything gets its outcome in the turns
    // that follow the end and the answers, or that are asked for.
    turn()
    for _ in 0...2 * lines.count + 1 where !hasFinished {
      if mayRead && !hasEnded {
        end()
      } else if running != nil {
        answer()
      } else {
        precondition(asksForTurn, "lines are left, and nothing asks for a turn")
      }
      turn()
    }
    precondition(hasFinished, "the end of the input has no outcome")
    precondition(lines.allSatisfy { $0.state == .done }, "a line has no outcome")
    turn()
  }

  // MARK: The program

  private mutating func write() {
    // Nothing can follow a line without its end.
    guard !hasEnded, lines.last?.end != .max else { return }
    let number = lines.count
    let line =
      switch choices.next(below: 14) {
      case 0, 1, 2: #"{"id":\#(number),"command":"send","text":"x"}"#
      case 3: #"{"id":"\#(number)","command":"expect","regex":"{\"command\":\"cancel\"}"}"#
      case 4, 5: #"{"command":"cancel","id":[\#(number)]}"#
      case 6: #" {"id":\#(number), "command":"c\u0061ncel"} "#
      case 7: #"{"command":["cancel"],"id":{}}"#
      case 8: #"{"id":\#(number),"command":"cancel""#
      case 9: ""
      case 10: #"{"id":\#(number),"command":"\#(number % 2 == 0 ? "watch" : "close")"}"#
      case 11:
        #"{"id":\#(number),"command":"send","text":"\#(String(repeating: "y", count: 240))"}"#
      case 12: choices.text(choices.next(below: 40))
      default: #"{"id":\#(number)}"#
      }
    let choice = choices.next(below: 32)
    let ending = choice == 31 ? "" : choice % 4 == 0 ? "\r\n" : "\n"
    guard line + ending != "" else { return }
    input += Array((line + ending).utf8)
    let json = try? JSON(parsing: line)
    let name = json?["command"]?.string
    lines.append(
      Line(
        isCancel: name == "cancel",
        needsSession: json != nil && name != "watch" && name != "close",
        id: (json?["id"] ?? .null).description, length: line.utf8.count,
        end: ending.isEmpty ? .max : input.count))
  }

  /// Passes a piece of the input, if it may be read.
  private mutating func read(_ count: Int) {
    guard mayRead, !hasEnded else { return }
    let piece = input[readCount...].prefix(count)
    readCount += piece.count
    precondition(subject.handle(.bytes(Array(piece))).isEmpty, "bytes act before their turn")
  }

  /// Passes the rest of the input and its end, if it may be read.
  private mutating func end() {
    guard mayRead, !hasEnded else { return }
    read(.max)
    hasEnded = true
    precondition(subject.handle(.end).isEmpty, "the end acts before its turn")
  }

  // MARK: serialterm

  private var running: Int? {
    lines.firstIndex { [.running, .stopping, .stopped].contains($0.state) }
  }

  /// The lines that were taken from the input and did not begin.
  private var waiting: [Line] { lines.filter { [.waiting, .cancelled].contains($0.state) } }

  private var hasRoom: Bool {
    waiting.count < Self.countLimit && waiting.reduce(0) { $0 + $1.length } < Self.byteLimit
  }

  /// The line that runs is answered.
  private mutating func answer() {
    guard let running else { return }
    lines[running].state = .done
    let actions = subject.handle(.answered)
    guard actions.count == 1, case .turn = actions[0] else {
      preconditionFailure("an answer does not ask for a turn alone")
    }
    asksForTurn = true
  }

  private mutating func turn(isCrowded: Bool = false, isJoining: Bool = false) {
    let hadFinished = hasFinished
    var answer: Bool?
    asksForTurn = false
    if !isCrowded { take() }
    for action in subject.handle(.turn(isCrowded: isCrowded, isJoining: isJoining)) {
      switch action {
      case .step(let step):
        precondition(!isCrowded, "a step, and the program does not read its answers")
        precondition(!hasFinished, "a step after the last one")
        check(step, isJoining: isJoining)
      case .turn: asksForTurn = true
      case .read(let mayRead): answer = mayRead
      }
    }
    mayRead = answer ?? mayRead
    guard !hadFinished else { return }
    precondition(answer == (!isCrowded && hasRoom), "the limits do not hold")
    precondition(!lines.contains { $0.state == .stopping }, "a cancel did not stop what runs")
    guard !isCrowded, running == nil, let first = waiting.first else { return }
    precondition(
      isJoining && first.needsSession && !first.isCancel && first.state == .waiting,
      "a line waits for nothing")
  }

  /// Takes whole lines while there is room. A cancel acts on those before it.
  private mutating func take() {
    while hasRoom, let index = lines.firstIndex(where: { $0.state == .written }),
      hasEnded || lines[index].end <= readCount
    {
      lines[index].state = .waiting
      guard lines[index].isCancel else { continue }
      for before in 0..<index {
        switch lines[before].state {
        case .waiting where !lines[before].isCancel: lines[before].state = .cancelled
        case .running: lines[before].state = .stopping
        case .written, .waiting, .cancelled, .stopping, .stopped, .done: break
        }
      }
    }
  }

  private mutating func check(_ step: ProgramLines<ProgramLine>.Step, isJoining: Bool) {
    switch step {
    case .perform(let message):
      let line = next(message, then: .running)
      precondition(!line.isCancel, "a cancel was performed")
      precondition(line.state == .waiting, "a line was performed after its cancel")
      precondition(!isJoining || !line.needsSession, "a line was performed without its session")
    case .drop(let message):
      let line = next(message, then: .done)
      precondition(line.state == .cancelled, "a line that waits was dropped")
    case .confirm(let message):
      let line = next(message, then: .done)
      precondition(line.isCancel, "a line that is no cancel was confirmed")
    case .stop:
      guard let running, lines[running].state == .stopping else {
        preconditionFailure("something was stopped without a cancel")
      }
      lines[running].state = .stopped
    case .finish:
      precondition(hasEnded && !isJoining, "the last step came before the end")
      precondition(lines.allSatisfy { $0.state == .done }, "a line is left after the last step")
      hasFinished = true
    }
  }

  /// The first line without an outcome, which is the one that is next; `state` follows.
  private mutating func next(_ message: ProgramLine, then state: Line.State) -> Line {
    precondition(running == nil, "a line has its outcome while another one runs")
    guard let index = lines.firstIndex(where: { $0.state != .done }) else {
      preconditionFailure("nobody wrote this line")
    }
    let line = lines[index]
    precondition(line.state != .written, "a line was taken without room, or is not whole")
    precondition(message.id.description == line.id, "another line's id")
    lines[index].state = state
    return line
  }
}
