/// Runs a program over a line, in all states at once that a match can be in.
struct PatternMatcher {
  private let program: PatternProgram
  private let line: [UInt32]
  /// The open alternatives, in order of preference.
  private var ways: [Way] = []
  private var nextWays: [Way] = []
  /// The round in which each state was last entered. No state is entered twice in a round.
  private var entered: [Int]
  private var round = 0
  private var stack: [Int] = []

  private struct Way {
    let state: Int
    /// Where the match starts.
    let start: Int
  }

  init(_ program: PatternProgram, _ line: [UInt32]) {
    self.program = program
    self.line = line
    entered = Array(repeating: 0, count: program.instructions.count)
  }

  /// Finds the leftmost match; of several, the one that the expression prefers.
  ///
  /// - Returns: nil if there is none, or the budget was used up first.
  mutating func next(from start: Int, _ budget: inout Int) -> Range<Int>? {
    var found: Range<Int>?
    ways.removeAll(keepingCapacity: true)
    round += 1
    for place in start...line.count {
      budget -= 1 + ways.count
      if budget <= 0 { return nil }
      // A new alternative is the least preferred, so a match makes it superfluous.
      if found == nil, canBegin(at: place) { begin(at: place, &budget) }
      if ways.isEmpty {
        if found != nil { break }
        // States that were rejected here may be entered at the next place.
        round += 1
        continue
      }
      round += 1
      nextWays.removeAll(keepingCapacity: true)
      ways: for way in ways {
        switch program.instructions[way.state] {
        case .take(let set):
          if place < line.count, program.sets[set].contains(line[place]) {
            enter(way.state + 1, at: place + 1, since: way.start, &budget)
          }
        case .match:
          found = way.start..<place
          // The remaining alternatives are less preferred.
          break ways
        case .assert, .split, .jump: break
        }
      }
      swap(&ways, &nextWays)
    }
    return found
  }

  private func canBegin(at place: Int) -> Bool {
    guard let first = program.first else { return true }
    return place < line.count && first.contains(line[place])
  }

  private mutating func begin(at place: Int, _ budget: inout Int) {
    swap(&ways, &nextWays)
    enter(0, at: place, since: place, &budget)
    swap(&ways, &nextWays)
  }

  /// Adds the epsilon closure of a state to the next alternatives.
  private mutating func enter(
    _ state: Int, at place: Int, since start: Int, _ budget: inout Int
  ) {
    stack.append(state)
    while let state = stack.popLast() {
      if entered[state] == round { continue }
      entered[state] = round
      budget -= 1
      switch program.instructions[state] {
      case .take, .match: nextWays.append(Way(state: state, start: start))
      case .assert(let assertion): if holds(assertion, at: place) { stack.append(state + 1) }
      case .jump(let target): stack.append(target)
      case .split(let one, let other):
        stack.append(other)
        stack.append(one)
      }
    }
  }

  private func holds(_ assertion: PatternAssertion, at place: Int) -> Bool {
    switch assertion {
    case .lineStart: place == 0
    case .lineEnd: place == line.count
    case .wordBoundary: isWord(place - 1) != isWord(place)
    case .noWordBoundary: isWord(place - 1) == isWord(place)
    }
  }

  private func isWord(_ place: Int) -> Bool {
    line.indices.contains(place) && ScalarSet.word.contains(line[place])
  }
}
