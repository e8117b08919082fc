/// An expression compiled to a program. Each instruction is a state of the automaton.
struct PatternProgram: Sendable {
  enum Instruction: Sendable {
    /// Consumes a code point from the set with this index, and continues with the next instruction.
    case consume(Int)
    case assert(PatternAssertion)
    /// Continues at both instructions, with a preference for the first one.
    case split(Int, Int)
    case jump(Int)
    /// Stores the position in a slot.
    case save(Int)
    case match
  }

  /// The maximum number of instructions. `{}` repeats the instructions of its operand.
  static let limit = 1_000

  private(set) var instructions: [Instruction] = []
  private(set) var sets: [ScalarSet] = []
  /// The code points with which a match can begin; nil if a match can be empty.
  private(set) var first: ScalarSet?
  private let captures: Bool

  /// - Parameter captures: whether to store the positions of groups.
  /// - Throws: ``PatternError`` if the program is too large.
  init(_ node: PatternNode, captures: Bool, of text: String) throws(PatternError) {
    self.captures = captures
    guard compile(node), emit(.match) else {
      throw PatternError(
        text: text, place: nil,
        reason: "too large: more than \(Self.limit) states; shorten it, or repeat less")
    }
    first = firstSet()
  }

  /// The number of compiled nodes. It is limited too, because repeated empty nodes
  /// emit no instructions.
  private var work = 0

  private var end: Int { instructions.count }

  // Each of the following methods returns whether the program stayed within its limits.

  private mutating func emit(_ instruction: Instruction) -> Bool {
    instructions.append(instruction)
    return instructions.count <= Self.limit
  }

  private mutating func compile(_ node: PatternNode) -> Bool {
    work += 1
    guard work <= 10 * Self.limit else { return false }
    switch node {
    case .empty: return true
    case .set(let set):
      sets.append(set)
      return emit(.consume(sets.count - 1))
    case .assertion(let assertion): return emit(.assert(assertion))
    case .sequence(let nodes):
      for node in nodes { guard compile(node) else { return false } }
      return true
    case .choice(let branches): return compile(choice: branches)
    case .group(let number, let node):
      guard captures else { return compile(node) }
      return emit(.save(2 * number - 2)) && compile(node) && emit(.save(2 * number - 1))
    case .repeated(let node, let least, let most, let isGreedy):
      for _ in 0..<least { guard compile(node) else { return false } }
      guard let most else { return compileLoop(node, isGreedy) }
      return compile(node, upTo: most - least, isGreedy)
    }
  }

  private mutating func compile(choice branches: [PatternNode]) -> Bool {
    var jumps: [Int] = []
    for branch in branches.dropLast() {
      let split = end
      guard emit(.split(split + 1, 0)), compile(branch) else { return false }
      jumps.append(end)
      guard emit(.jump(0)) else { return false }
      instructions[split] = .split(split + 1, end)
    }
    if let last = branches.last { guard compile(last) else { return false } }
    for jump in jumps { instructions[jump] = .jump(end) }
    return true
  }

  private mutating func compileLoop(_ node: PatternNode, _ isGreedy: Bool) -> Bool {
    let split = end
    guard emit(.split(0, 0)), compile(node), emit(.jump(split)) else { return false }
    instructions[split] = isGreedy ? .split(split + 1, end) : .split(end, split + 1)
    return true
  }

  private mutating func compile(_ node: PatternNode, upTo count: Int, _ isGreedy: Bool) -> Bool {
    var splits: [Int] = []
    for _ in 0..<count {
      splits.append(end)
      guard emit(.split(0, 0)), compile(node) else { return false }
    }
    for split in splits {
      instructions[split] = isGreedy ? .split(split + 1, end) : .split(end, split + 1)
    }
    return true
  }

  private func firstSet() -> ScalarSet? {
    var set = ScalarSet()
    var seen = Set<Int>()
    var rest = [0]
    while let place = rest.popLast() {
      guard seen.insert(place).inserted else { continue }
      switch instructions[place] {
      case .consume(let number): set.insert(sets[number])
      case .assert, .save: rest.append(place + 1)
      case .split(let one, let other): rest += [one, other]
      case .jump(let target): rest.append(target)
      case .match: return nil
      }
    }
    return set
  }
}
