import Testing
import TextTools

@Suite("names that are misspelt", .timeLimit(.minutes(30)))
struct MisspellingTests {
  @Test(
    "a name is found despite a mistake",
    arguments: [
      ("bauds", "baud"), ("buad", "baud"), ("bad", "baud"), ("parityy", "parity"),
      ("pairty", "parity"), ("local-ehco", "local-echo"), ("xyz", nil), ("b", nil), ("", nil),
      ("baudrate", nil),
    ] as [(String, String?)])
  func misspelt(word: String, name: String?) {
    #expect(Misspelling.nearest(to: word, among: ["baud", "parity", "local-echo"]) == name)
  }
}
