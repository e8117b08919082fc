import TextTools

/// Tests quickly which lines match a pattern: after the first lines, it needs one table lookup
/// for each byte.
///
/// The pattern's automaton is made deterministic as far as the text needs it, by the method
/// in https://swtch.com/~rsc/regexp/regexp3.html ("lazy DFA"). The size of the table is
/// limited; a full table is cleared. A pattern that needs a new state for nearly every byte
/// is as slow as ``PatternSearch``.
public struct LineMatcher {
  /// A state: the open alternatives, and the kind of the previous character.
  private struct State: Hashable {
    let open: [UInt16]
    let before: Before
  }

  /// The kind of the character before a position, as far as assertions distinguish it.
  fileprivate enum Before: Hashable {
    case nothing, word, other

    /// A code point of this kind.
    var sample: UInt32? {
      switch self {
      case .nothing: nil
      case .word: 0x61
      case .other: 0x20
      }
    }
  }

  private let program: PatternProgram
  private let hasAssertions: Bool
  private let classes: ScalarClasses
  /// The number of columns of the table: the classes, and the end of the line.
  private let columnCount: Int
  /// The first entry of the next state for each state and class, or one of the marks below.
  private var table: [Int32] = []
  private var states: [State] = []
  private var rows: [State: Int32] = [:]
  /// The total number of alternatives in all states.
  private var openCount = 0

  // Buffers for the closure of a state.
  private var entered: [Int32]
  private var round: Int32 = 0
  private var stack: [Int] = []

  /// The transition has not been computed yet.
  private static let unknown: Int32 = -1
  /// The line matches.
  private static let matched: Int32 = -2

  /// The maximum numbers of entries of the table and of alternatives in its states: about 400
  /// KB in total.
  private static let limits = (entries: 65_536, alternatives: 65_536)

  /// Creates a matcher for a pattern.
  public init(_ pattern: Pattern) {
    program = pattern.program
    hasAssertions = program.instructions.contains { if case .assert = $0 { true } else { false } }
    classes = ScalarClasses(of: Array(Set(program.sets)))
    columnCount = classes.count + 1
    entered = Array(repeating: 0, count: program.instructions.count)
    begin()
  }

  /// Whether a line contains a match, which may be empty.
  ///
  /// - Parameter line: the line in UTF-8, without its line end.
  public mutating func matches(_ line: UnsafeRawBufferPointer) -> Bool {
    var budget = Int.max
    return matches(line, budget: &budget) ?? false
  }

  /// Whether a line contains a match, if that can be found out with a limited number of steps.
  ///
  /// - Parameters:
  ///   - line: the line in UTF-8, without its line end.
  ///   - budget: the maximum number of steps: one for each alternative that is followed because the
  ///     table does not have its result. It is reduced by the number of steps.
  /// - Returns: nil if the budget was used up before.
  package mutating func matches(_ line: UnsafeRawBufferPointer, budget: inout Int) -> Bool? {
    var row: Int32 = 0
    var index = 0
    while true {
      (index, row) = follow(line, from: index, in: row)
      guard index < line.count else { break }
      let byte = line[index]
      let column: Int
      if byte < 0x80 {
        column = Int(classes.ofASCII[Int(byte)])
        index += 1
      } else {
        let (scalar, length) = Self.scalar(in: line, at: index)
        column = classes.number(of: scalar)
        index += length
      }
      var next = table[Int(row) + column]
      if next == Self.unknown {
        guard budget > 0 else { return nil }
        next = transition(from: row, by: column, &budget)
      }
      if next == Self.matched { return true }
      row = next
    }
    var end = table[Int(row) + columnCount - 1]
    if end == Self.unknown { end = transition(from: row, by: columnCount - 1, &budget) }
    return end == Self.matched
  }

  /// Follows the known transitions of ASCII characters, as far as there are any.
  ///
  /// - Returns: the position of the next character, and the row before it.
  private func follow(
    _ line: UnsafeRawBufferPointer, from start: Int, in first: Int32
  ) -> (index: Int, row: Int32) {
    table.withUnsafeBufferPointer { table in
      classes.ofASCII.withUnsafeBufferPointer { columns in
        var (index, row) = (start, first)
        while index < line.count, line[index] < 0x80 {
          let next = table[Int(row) + Int(columns[Int(line[index])])]
          guard next >= 0 else { break }
          (index, row) = (index + 1, next)
        }
        return (index, row)
      }
    }
  }

  // MARK: The table

  /// Clears the table, except for the state at the start of a line.
  private mutating func begin() {
    table.removeAll(keepingCapacity: true)
    states.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    openCount = 0
    _ = add(State(open: [], before: .nothing))
  }

  /// Adds a state without transitions.
  private mutating func add(_ state: State) -> Int32 {
    if let row = rows[state] { return row }
    let row = Int32(table.count)
    states.append(state)
    rows[state] = row
    openCount += state.open.count
    table.append(contentsOf: repeatElement(Self.unknown, count: columnCount))
    return row
  }

  /// The memory of table and states, in bytes.
  var size: Int { 4 * table.capacity + 2 * openCount }

  private func hasRoom(for state: State) -> Bool {
    table.count + columnCount <= Self.limits.entries
      && openCount + state.open.count <= Self.limits.alternatives
  }

  /// Computes a transition, and stores it if there is room.
  private mutating func transition(
    from row: Int32, by column: Int, _ budget: inout Int
  ) -> Int32 {
    let next: Int32
    if let state = successor(of: states[Int(row) / columnCount], by: column, &budget) {
      guard rows[state] != nil || hasRoom(for: state) else {
        begin()
        return add(state)
      }
      next = add(state)
    } else {
      next = Self.matched
    }
    table[Int(row) + column] = next
    return next
  }

  // MARK: The automaton

  /// Computes the state after a character of a class, or after the end of the line.
  ///
  /// - Returns: nil if a match ends before the character.
  private mutating func successor(
    of state: State, by column: Int, _ budget: inout Int
  ) -> State? {
    let next = column < classes.count ? classes.samples[column] : nil
    let context = PatternContext(previous: state.before.sample, next: next)
    round += 1
    var open: [UInt16] = []
    // A match can begin at every position.
    for first in state.open + [0] {
      stack.append(Int(first))
      while let place = stack.popLast() {
        if entered[place] == round { continue }
        entered[place] = round
        budget -= 1
        switch program.instructions[place] {
        case .match:
          stack.removeAll(keepingCapacity: true)
          return nil
        case .consume(let set):
          if let next, program.sets[set].contains(next) { open.append(UInt16(place + 1)) }
        case .assert(let assertion): if context.meets(assertion) { stack.append(place + 1) }
        case .jump(let target): stack.append(target)
        case .split(let one, let other): stack += [one, other]
        case .save: stack.append(place + 1)
        }
      }
    }
    // Sorted, because equal states must be equal. The order of preference is not needed here.
    return State(open: open.sorted(), before: hasAssertions ? Before(next) : .other)
  }

  // MARK: Characters

  /// Decodes a character above ASCII. A byte that does not begin one counts as U+FFFD.
  static func scalar(
    in line: UnsafeRawBufferPointer, at index: Int
  ) -> (scalar: UInt32, length: Int) {
    guard let scalar = UTF8Character.scalar(in: line, at: index) else { return (0xFFFD, 1) }
    return (scalar.value, UTF8.width(scalar))
  }
}

extension LineMatcher.Before {
  fileprivate init(_ scalar: UInt32?) {
    self = scalar.map { ScalarSet.word.contains($0) ? .word : .other } ?? .nothing
  }
}
