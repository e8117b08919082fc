import TestSupport
import Testing

@testable import SerialCore

/// Compares run lengths with the same bytes one by one.
@Suite(.timeLimit(.minutes(30))) struct AuthorRunsTests {
  private static let authors = [Author.keyboard, .pipe, .file("a"), .file("b")]

  private func counts(_ bytes: some Sequence<Author>) -> UnsentBytes {
    var counts = UnsentBytes()
    for author in bytes { counts.add(1, by: author) }
    return counts
  }

  @Test(arguments: 0..<8) func theyAreTheAuthorsOfTheBytes(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var runs = AuthorRuns()
    var bytes: [Author] = []
    for _ in 0..<repetitions(4_000) {
      let author = Self.authors[Int.random(in: 0..<4, using: &random)]
      let number = Int.random(in: 0...6, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<4:
        runs.append(number, by: author)
        bytes += Array(repeating: author, count: number)
      case 4, 5:
        guard number > 0, !bytes.isEmpty else { continue }
        let run = runs.removeFirst(atMost: number)
        #expect((1...number).contains(run.count))
        #expect(bytes.prefix(run.count).allSatisfy { $0 == run.author })
        bytes.removeFirst(run.count)
      case 6:
        let count = min(number, bytes.count)
        #expect(runs.removeLast(count) == counts(bytes.suffix(count)))
        bytes.removeLast(count)
      default:
        guard Int.random(in: 0..<20, using: &random) == 0 else { continue }
        let ranges = runs.removeAll(by: author)
        #expect(Set(ranges.joined()) == Set(bytes.indices.filter { bytes[$0] == author }))
        bytes.removeAll { $0 == author }
      }
      #expect(runs.count == bytes.count)
      #expect(runs.count(by: author) == bytes.count { $0 == author })
    }
    #expect(runs.runs.flatMap { Array(repeating: $0.author, count: $0.count) } == bytes)
  }

  @Test func bytesOfOneAuthor_areOneRun() {
    var runs = AuthorRuns()
    for _ in 0..<1_000 { runs.append(1, by: .file(String("image.bin"))) }
    #expect(runs.runs.count == 1)
  }

  @Test func forgettingTheOldest_keepsTheNewest() {
    var runs = AuthorRuns()
    runs.append(3, by: .keyboard)
    runs.append(4, by: .pipe)
    runs.keepLast(5)
    #expect(
      Array(runs.runs) == [.init(author: .keyboard, count: 1), .init(author: .pipe, count: 4)])
    runs.keepLast(9)
    #expect(runs.count == 5)
    runs.keepLast(-1)
    #expect(runs.count == 0)
  }
}
