import Testing
import TextTools

@Suite struct TextSearchTests {
  @Test(arguments: [
    ("", "", true), ("a", "", true), ("", "a", false), ("a", "a", true), ("a", "ab", false),
    ("banana", "nan", true), ("banana", "nab", false), ("aab", "ab", true), ("ana", "na", true),
    ("串口 COM3", "口 C", true), ("a😀b", "😀", true), ("a😀b", "😁", false),
    // The same character for the standard library, but different bytes.
    ("cafe\u{301}", "\u{E9}", false), ("caf\u{E9}", "e", false),
    // One character together with the following one, for the standard library.
    ("'\u{301}", "'", true), ("a\r\nb", "\n", true),
  ])
  func contains_comparesBytes(text: String, part: String, isPart: Bool) {
    #expect(text.contains(text: part) == isPart)
    #expect(text[...].contains(text: part) == isPart)
  }

  @Test func firstRange_isTheFirst_inTheIndicesOfTheText() throws {
    let text = "ä # b # c"
    let place = try #require(text.firstRange(ofText: " # "))
    #expect(text[..<place.lowerBound] == "ä")
    #expect(text[place.upperBound...] == "b # c")
    let start = try #require(text.firstRange(ofText: ""))
    #expect(start == text.startIndex..<text.startIndex)
    let rest = text[place.upperBound...]
    #expect(try #require(rest.firstRange(ofText: " # ")).lowerBound > place.upperBound)
  }

  @Test(arguments: [
    ("", "-", [""]), ("a", "", ["a"]), ("", "", [""]), ("a", "-", ["a"]), ("a-b", "-", ["a", "b"]),
    ("-a--b-", "-", ["", "a", "", "b", ""]), ("--", "--", ["", ""]),
    // Occurrences do not overlap.
    ("a---b", "--", ["a", "-b"]), ("ananas", "ana", ["", "nas"]),
    ("é、ü、é", "、", ["é", "ü", "é"]),
  ])
  func split_keepsEmptyPieces(text: String, separator: String, pieces: [Substring]) {
    #expect(text.split(atText: separator) == pieces)
    #expect(text[...].split(atText: separator) == pieces)
  }

  @Test(arguments: [
    ("{}/{}", "{}", "/dev/x", "/dev/x//dev/x"), ("a%b", "%", "%%", "a%%b"),
    ("aaa", "aa", "b", "ba"),
    ("aaa", "a", "", ""), ("abc", "", "-", "abc"), ("", "a", "b", ""), ("x", "a", "b", "x"),
    ("a\u{A0}\u{301}", "\u{A0}", " ", "a \u{301}"),
  ])
  func replacing_replacesEveryPlace_once(
    text: String, part: String, replacement: String, result: String
  ) {
    // Compared as scalars, because "==" of two texts would also accept different ones.
    let replaced = text.replacing(text: part, with: replacement)
    #expect(Array(replaced.unicodeScalars) == Array(result.unicodeScalars))
  }
}
