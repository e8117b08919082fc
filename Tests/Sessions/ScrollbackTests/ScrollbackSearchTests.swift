import Patterns
import TestSupport
import Testing

@testable import Scrollback

@Suite(.timeLimit(.minutes(30))) struct ScrollbackSearchTests {
  private let scrollback = Scrollback(capacity: 300_000)

  @Test func search_findsLines() throws {
    scrollback.add("boot\nerror 1\nok\nerror 2\n")
    let search = try ScrollbackSearch("error", in: scrollback)
    #expect(search.search())
    #expect(search.found == [1, 3])
    #expect(search.matchCount == 2)
    #expect(search.match(before: 3) == 1)
    #expect(search.match(from: 2) == 3)
    #expect(search.rank(of: 3) == 1)
    #expect(search.isMatch(1) && !search.isMatch(2))
  }

  @Test func search_looksAtTextWithoutSequences() throws {
    scrollback.add("\u{1B}[0;32mI (17) wifi: ready\u{1B}[0m\r\nx\u{1B}[0m\ty\r\n")
    for (regex, lines) in [(#"^I \(17\)"#, [0]), ("ready$", [0]), ("32m", []), (#"x\ty$"#, [1])] {
      let search = try ScrollbackSearch(regex, in: scrollback)
      search.search()
      #expect(search.found == lines, "/\(regex)/")
    }
  }

  @Test func theOpenLine_isSearchedAsItIs() throws {
    scrollback.add("one\nlog")
    let search = try ScrollbackSearch("login:", in: scrollback)
    search.search()
    #expect(search.found == [])
    scrollback.add("in:")
    search.search()
    #expect(search.found == [1])
    #expect(search.matchCount == 1)
    scrollback.add(" root\nlogin: \n")
    search.search()
    #expect(search.found == [1, 2])
  }

  @Test func withoutAPattern_everyLineIsFound() {
    scrollback.add("one\n\ntwo")
    let search = ScrollbackSearch(of: scrollback, for: nil)
    search.search()
    #expect(search.found == [0, 1, 2])
  }

  /// The first step finds the newest lines; all steps together find all lines.
  @Test func search_goesInSteps_newestFirst() throws {
    for number in 0..<20_000 { scrollback.add("line \(number)\n") }
    let search = try ScrollbackSearch("line", in: scrollback)
    #expect(!search.search(until: { true }))
    let newest = scrollback.lines.upperBound
    #expect(search.matchCount < 1_000)
    #expect((search.match(before: newest) ?? 0) > newest - 20_000 / 4)
    var count = 1
    while !search.search(until: { true }) { count += 1 }
    #expect(count > 20)
    #expect(search.found == Array(scrollback.lines))
    #expect(search.foundBackwards == Array(scrollback.lines))
  }

  /// Steps of any size between additions of any size: in the end the matches equal those of
  /// a new search.
  @Test(arguments: 0..<repetitions(20))
  func search_followsAGrowingScrollback(_ seed: Int) throws {
    var random = Generator(state: UInt64(seed) &+ 77)
    let search = try ScrollbackSearch("7|9$", in: scrollback)
    for _ in 0..<1_200 {
      var digits: [UInt8] = []
      for _ in 0..<random.below(900) {
        let number = random.below(11)
        digits.append(number == 10 ? 0x0A : 0x30 + UInt8(number))
      }
      scrollback.add(digits)
      if random.below(100) == 0 { scrollback.addMark("mark 7", at: 0) }
      var steps = random.below(3)
      search.search {
        steps -= 1
        return steps < 0
      }
      if random.below(50) == 0 {
        #expect(search.found == search.foundBackwards)
        #expect(search.found.count == search.matchCount)
      }
    }
    search.search()
    let expected = scrollback.lines.filter { number in
      let bytes = scrollback.withLine(number) { Array($0.bytes) } ?? []
      let line = bytes.last == 0x0A ? bytes.dropLast() : bytes[...]
      return line.contains(0x37) || line.last == 0x39
    }
    #expect(search.found == expected)
    #expect(search.foundBackwards == expected)
    #expect(search.matchCount == expected.count)
    for (rank, number) in expected.enumerated() where rank % 100 == 0 {
      #expect(search.rank(of: number) == rank)
    }
    #expect(scrollback.droppedByteCount > 0)
  }
}
