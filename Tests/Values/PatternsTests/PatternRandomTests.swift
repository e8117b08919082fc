import TestSupport
import Testing

@testable import Patterns

/// Random small patterns have the same matches as in a simple backtracking matcher.
@Suite("Random patterns", .timeLimit(.minutes(30)))
struct PatternRandomTests {
  @Test("the match and its groups are those of backtracking, however the stream is split")
  func random() throws {
    var random = Generator(state: 1)
    var matchCount = 0
    let count = repetitions(6_000)
    for _ in 0..<count {
      let regex = random.pattern(depth: 3)
      guard let pattern = try? Pattern(parsing: regex, capturing: true) else { continue }
      var parser = PatternParser(regex)
      let reference = Backtracker(node: try parser.parse(), groupCount: parser.groupNames.count)
      let text = random.text()
      var search = PatternSearch(for: pattern)
      var end = 0
      var found: [Range<Int>?]?
      var expected: [Range<Int>?]?
      while end < text.count, found == nil, expected == nil {
        let start = end
        end = min(text.count, end + Int.random(in: 1...4, using: &random))
        found = text[start..<end].withUnsafeBytes { search.search($0) }?.ranges
        expected = reference.match(in: text[..<end].map { UInt32($0) })
      }
      if found != expected { Issue.record("\(regex) in \(text), up to \(end)") }
      if found != nil { matchCount += 1 }
    }
    // Otherwise the test would compare nothing.
    #expect(matchCount > count / 4)
  }
}

/// A generator of random numbers that are the same in each run (xorshift64).
private struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  mutating func text() -> [UInt8] {
    (0..<Int.random(in: 1...10, using: &self)).map { _ in
      "aaabbbc \r\n".utf8.randomElement(using: &self)!
    }
  }

  /// A pattern whose repetitions have non-empty operands: the captures of an empty repetition
  /// depend on the algorithm.
  mutating func pattern(depth: Int) -> String {
    (0..<Int.random(in: 1...3, using: &self)).map { _ in piece(depth: depth) }.joined()
  }

  private mutating func piece(depth: Int) -> String {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 5), using: &self) {
    case 0, 1: character()
    case 2: ["^", "$", #"\b"#, #"\B"#].randomElement(using: &self)!
    case 3, 4: character() + repetition()
    case 5, 6: "(\(pattern(depth: depth - 1)))"
    case 7: "(?:\(pattern(depth: depth - 1))|\(pattern(depth: depth - 1)))"
    case 8: "(\(pattern(depth: depth - 1))|\(pattern(depth: depth - 1)))?"
    default: "(\(character())\(pattern(depth: depth - 1)))" + repetition()
    }
  }

  private mutating func character() -> String {
    ["a", "b", "c", ".", "[ab]", "[^a]", #"\w"#, #"\s"#, #"\r"#].randomElement(using: &self)!
  }

  private mutating func repetition() -> String {
    ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{2,}?"].randomElement(using: &self)!
  }
}

private struct Backtracker {
  let node: PatternNode
  let groupCount: Int

  private struct State {
    var place: Int
    var groups: [Range<Int>?]
  }

  func match(in text: [UInt32]) -> [Range<Int>?]? {
    for start in 0...text.count {
      var end: State?
      let state = State(place: start, groups: Array(repeating: nil, count: groupCount))
      if match(
        node, text, state,
        {
          end = $0; return true
        }), let end
      {
        return [start..<end.place] + end.groups
      }
    }
    return nil
  }

  private func match(
    _ node: PatternNode, _ text: [UInt32], _ state: State, _ then: (State) -> Bool
  ) -> Bool {
    switch node {
    case .empty: return then(state)
    case .set(let set):
      guard state.place < text.count, set.contains(text[state.place]) else { return false }
      return then(State(place: state.place + 1, groups: state.groups))
    case .assertion(let assertion): return holds(assertion, text, state.place) && then(state)
    case .sequence(let nodes):
      guard let first = nodes.first else { return then(state) }
      return match(first, text, state) {
        match(.sequence(Array(nodes.dropFirst())), text, $0, then)
      }
    case .choice(let branches): return branches.contains { match($0, text, state, then) }
    case .group(let number, let node):
      return match(node, text, state) { end in
        var end = end
        end.groups[number - 1] = state.place..<end.place
        return then(end)
      }
    case .repeated(let node, let least, let most, let isGreedy):
      func more() -> Bool {
        guard most != 0 else { return false }
        return match(node, text, state) { next in
          guard least > 0 || most != nil || next.place > state.place else { return false }
          let rest = PatternNode.repeated(
            node, max(0, least - 1), most.map { $0 - 1 }, isGreedy: isGreedy)
          return match(rest, text, next, then)
        }
      }
      if least > 0 { return more() }
      return isGreedy ? more() || then(state) : then(state) || more()
    }
  }

  private func holds(_ assertion: PatternAssertion, _ text: [UInt32], _ place: Int) -> Bool {
    let before = place > 0 ? text[place - 1] : nil
    let after = place < text.count ? text[place] : nil
    let (wordBefore, wordAfter) = (
      before.map(ScalarSet.word.contains), after.map(ScalarSet.word.contains)
    )
    switch assertion {
    case .lineStart: return before == nil || before == 10 || before == 13 && after != 10
    case .lineEnd: return after == nil || after == 13 || after == 10 && before != 13
    case .wordBoundary: return (wordBefore ?? false) != (wordAfter ?? false)
    case .noWordBoundary: return (wordBefore ?? false) == (wordAfter ?? false)
    }
  }
}
