import Testing
import TextTools

@testable import serialterm

@Suite struct AgentPageTests {
  /// An answer of two lists.
  private struct Answer {
    let members: JSON
    let text: String
    /// The bytes of JSON.
    let size: Int

    init(_ entries: [AgentPage.Entry], from first: Int? = nil) {
      let page = AgentPage(of: entries, from: first)
      members = .object(page.members("others", "own"))
      text = page.texts.joined(separator: "\n")
      size = "\(members)".utf8.count + "\(JSON.string(text))".utf8.count
    }

    var counts: [Int] { [count("others"), count("own")] }
    var advice: String? { members["how_to_go_on"]?.string }

    private func count(_ list: String) -> Int {
      guard case .array(let values) = members[list] else { return -1 }
      return values.count
    }
  }

  private func entries(_ count: Int, of list: String, length: Int = 3) -> [AgentPage.Entry] {
    let name = String(repeating: "\"", count: length)
    return (0..<count).map { AgentPage.Entry(of: list, .string("\($0)\(name)"), "\($0)\(name)") }
  }

  @Test func whatFitsIsOnePage() {
    let answer = Answer(entries(3, of: "others") + entries(2, of: "own"))
    #expect(answer.counts == [3, 2])
    #expect(answer.advice == nil)
    #expect(answer.text.split(separator: "\n").count == 5)
    #expect(Answer([]).counts == [0, 0])
    #expect(Answer([], from: 7).text == "")
  }

  @Test func anAnswerOfLongEntriesIsBoundedAndTheNextOneHasTheRest() {
    let all = entries(24, of: "others", length: 2_000) + entries(16, of: "own", length: 1_700)
    var (first, found) = (0, [0, 0])
    while true {
      let answer = Answer(all, from: first)
      #expect(answer.size < 37_000)
      found = zip(found, answer.counts).map(+)
      first += answer.counts.reduce(0, +)
      #expect(answer.text.hasSuffix(answer.advice ?? " 40 of 40."))
      guard let advice = answer.advice else { break }
      #expect(advice.hasSuffix(" to \(first) of 40. Go on with first \(first)."))
    }
    #expect(found == [24, 16])
    #expect(Answer(all).advice == "Entries 1 to 4 of 40. Go on with first 4.")
  }

  @Test func anEntryIsThereHoweverLongItIs() {
    let answer = Answer(entries(2, of: "own", length: 50_000))
    #expect(answer.counts == [0, 1])
    #expect(answer.advice == "Entry 1 of 2. Go on with first 1.")
  }

  @Test func theLastPageHasNothingToGoOnWith() {
    let answer = Answer(entries(3, of: "own"), from: 2)
    #expect(answer.advice == nil)
    #expect(answer.text == "2\"\"\"\nEntry 3 of 3.")
  }

  @Test(arguments: [3, 99]) func whoAsksForEntriesAfterTheEndHearsOfTheEnd(first: Int) {
    let answer = Answer(entries(3, of: "own"), from: first)
    #expect(answer.counts == [0, 0])
    #expect(
      answer.text
        == "first \(first) is after the end of this list of 3. Begin again with first 0.")
    #expect(answer.advice == answer.text)
  }
}
