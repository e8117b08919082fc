/// Runs a program over text, following all possible states of a match at once.
///
/// The text is passed position by position, so it need not be in memory. The size of the program
/// limits the memory, and the work for each position.
struct PatternMatcher {
  private let program: PatternProgram
  /// The number of positions that each alternative stores besides its start: two per group.
  private let slotCount: Int
  /// The open alternatives in order of preference, before their closure, with their slots.
  private var pending: [Way] = []
  private var pendingSlots: [Int] = []
  /// The alternatives at the present position, after their closure.
  private var ready: [Way] = []
  private var readySlots: [Int] = []
  /// The slots of the alternative that is being followed.
  private var slots: [Int]
  private var foundSlots: [Int] = []
  private var foundRange: Range<Int>?
  /// The number of the round in which each state was last entered. A state is entered at most
  /// once per round.
  private var entered: [Int]
  private var round = 0
  private var stack: [Task] = []
  /// The number of entered states.
  private(set) var work = 0

  private struct Way {
    let state: Int
    /// The start of the match.
    let start: Int
  }

  /// The next task in the closure of a state.
  private struct Task {
    /// The state to enter; or the slot to restore, as its complement.
    let target: Int
    let value: Int
  }

  /// The value of an empty slot.
  private static let none = -1

  init(_ program: PatternProgram, groupCount: Int) {
    self.program = program
    slotCount = 2 * groupCount
    slots = Array(repeating: Self.none, count: slotCount)
    entered = Array(repeating: 0, count: program.instructions.count)
  }

  /// Whether no match has begun.
  var isIdle: Bool { pending.isEmpty && foundRange == nil }

  /// Whether a match was found that no open alternative can replace.
  var isDecided: Bool { pending.isEmpty && foundRange != nil }

  /// The number of open alternatives.
  var openCount: Int { pending.count }

  /// Whether a match can begin with a code point, or at the end of the text.
  func canBegin(with next: UInt32?) -> Bool {
    guard let first = program.first else { return true }
    return next.map(first.contains) ?? false
  }

  /// Resets to the start of a text.
  mutating func reset() {
    pending.removeAll(keepingCapacity: true)
    pendingSlots.removeAll(keepingCapacity: true)
    foundRange = nil
  }

  /// The best match so far: the whole match, then the groups; nil for a group that
  /// did not participate.
  var found: [Range<Int>?]? {
    guard let foundRange else { return nil }
    return [foundRange]
      + stride(from: 0, to: slotCount, by: 2).map { index in
        let (start, end) = (foundSlots[index], foundSlots[index + 1])
        return start != Self.none && end != Self.none ? start..<end : nil
      }
  }

  /// Advances by one code point.
  ///
  /// - Parameters:
  ///   - place: the position before the code point, in the unit of the caller.
  ///   - previous: the code point before that position; nil at the start of the text.
  ///   - next: the code point after it; nil at the end of the text.
  mutating func step(at place: Int, after previous: UInt32?, before next: UInt32?) {
    round += 1
    ready.removeAll(keepingCapacity: true)
    readySlots.removeAll(keepingCapacity: true)
    let context = PatternContext(previous: previous, next: next)
    for index in pending.indices {
      if slotCount > 0 {
        slots.replaceSubrange(
          0..., with: pendingSlots[(index * slotCount)..<((index + 1) * slotCount)])
      }
      enter(pending[index].state, since: pending[index].start, at: place, context)
    }
    // A match that begins here has the lowest preference, so it is not needed if one was found.
    if foundRange == nil && canBegin(with: next) {
      for slot in slots.indices { slots[slot] = Self.none }
      enter(0, since: place, at: place, context)
    }
    pending.removeAll(keepingCapacity: true)
    pendingSlots.removeAll(keepingCapacity: true)
    for index in ready.indices {
      let way = ready[index]
      switch program.instructions[way.state] {
      case .consume(let set):
        guard let next, program.sets[set].contains(next) else { continue }
        pending.append(Way(state: way.state + 1, start: way.start))
        if slotCount > 0 {
          pendingSlots += readySlots[(index * slotCount)..<((index + 1) * slotCount)]
        }
      case .match:
        foundSlots.removeAll(keepingCapacity: true)
        foundSlots += readySlots[(index * slotCount)..<((index + 1) * slotCount)]
        foundRange = way.start..<place
        // The remaining alternatives have a lower preference.
        return
      case .assert, .split, .jump, .save: break
      }
    }
  }

  /// Adds the epsilon closure of a state to the alternatives at this position.
  private mutating func enter(
    _ state: Int, since start: Int, at place: Int, _ context: PatternContext
  ) {
    stack.append(Task(target: state, value: 0))
    while let task = stack.popLast() {
      guard task.target >= 0 else {
        slots[~task.target] = task.value
        continue
      }
      let state = task.target
      if entered[state] == round { continue }
      entered[state] = round
      work += 1
      switch program.instructions[state] {
      case .consume, .match:
        ready.append(Way(state: state, start: start))
        if slotCount > 0 { readySlots += slots }
      case .assert(let assertion): if context.meets(assertion) { push(state + 1) }
      case .jump(let target): push(target)
      case .split(let one, let other):
        push(other)
        push(one)
      case .save(let slot):
        stack.append(Task(target: ~slot, value: slots[slot]))
        slots[slot] = place
        push(state + 1)
      }
    }
  }

  private mutating func push(_ state: Int) { stack.append(Task(target: state, value: 0)) }
}
