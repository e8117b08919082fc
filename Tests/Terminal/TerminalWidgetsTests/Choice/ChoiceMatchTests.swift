import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct ChoiceMatchTests {
  private static func choice(
    _ name: String, _ summary: String = "", label: String = "", or synonyms: [String] = [],
    detail: String = ""
  ) -> Choice<String> {
    Choice(
      id: name, label: label, title: summary.isEmpty ? name : "\(name): \(summary)", name: name,
      synonyms: synonyms, detail: detail)
  }

  private static func found(_ query: String, in choices: [Choice<String>]) -> [String] {
    ChoiceMatch.ranking(of: choices.map { SearchableChoice($0) }, for: SearchQuery(query))
      .map { choices[$0.index].id }
  }

  private var typed: Choice<String> { Choice(id: "yes", title: "any", isTyped: true) }
  private var refused: Choice<String> {
    Choice(id: "no", title: "stop", refusal: "not so", isTyped: true)
  }

  @Test func ranks_goFromTheTypedTextToPartsOfWords() {
    let choices = [
      refused, choice("ends in nonstop"), choice("say the other part"),
      choice("the word stopping"), choice("to stop it"), choice("cancel", or: ["stop all"]),
      choice("halt", or: ["stop"]),
      choice("stop-sending"), choice("stop"), choice("end", label: "stop"), typed,
    ]
    #expect(Self.found("stop", in: choices) == choices.reversed().map(\.id))
    func choice(_ name: String, label: String = "", or synonyms: [String] = []) -> Choice<String> {
      Self.choice(name, label: label, or: synonyms)
    }
  }

  @Test func abbreviations_countIfNothingElseMatches_exceptTheTypedText() {
    let choices = [
      typed, Self.choice("configuration"), Self.choice("a", or: ["cfg file"]), refused,
    ]
    #expect(Self.found("cfg", in: choices) == ["yes", "a", "no"])
    #expect(Self.found("cfg", in: [typed, choices[1], refused]) == ["yes", "configuration", "no"])
  }

  @Test func descriptions_areNotFoundInPieces() {
    let command = Self.choice("run-command", "run a shell command", label: "R")
    let port = Self.choice("ttyS1, a primary port", label: "/dev/ttyS1")
    for word in ["crash", "esp", "rs"] { #expect(Self.found(word, in: [command, port]) == []) }
    #expect(Self.found("rc", in: [command, port]) == ["run-command"])
  }

  @Test func key_countsWithItsCase_andBeforeAllElse() {
    let choices = [
      Self.choice("B"), Self.choice("baud", label: "B"), Self.choice("break", label: "b"),
    ]
    #expect(Self.found("b", in: choices).first == "break")
    #expect(Self.found("B", in: choices).first == "baud")
  }

  @Test(arguments: ["send file", "Send-File", "send_file", " send file "])
  func name_isFound_howeverItsWordsAreJoinedAndWritten(query: String) {
    let choices = [Self.choice("file", "to send: send a file"), Self.choice("send-file")]
    #expect(Self.found(query, in: choices).first == "send-file")
  }

  @Test func words_mayStandInAnyOrder_andInAnyText() {
    let choices = [Self.choice("line", "show lines", label: "x", or: ["modem"], detail: "DTR on")]
    for query in ["show modem", "dtr show", "modem dtr line", "x lines on"] {
      #expect(Self.found(query, in: choices) == ["line"], "\(query)")
    }
    #expect(Self.found("show parity", in: choices).isEmpty)
  }

  @Test func synonymsAndDetails_areNotFoundInPieces() {
    let choices = [Self.choice("a", or: ["upload"], detail: "9600")]
    #expect(Self.found("uld", in: choices).isEmpty)
    #expect(Self.found("96", in: choices) == ["a"])
    #expect(Self.found("90", in: choices).isEmpty)
  }

  @Test func betweenEquals_titlesComeBeforeSynonyms_andThoseBeforeDetails() {
    let choices = [
      Self.choice("a", detail: "in one"), Self.choice("b", or: ["of one"]), Self.choice("at one"),
    ]
    #expect(Self.found("one", in: choices) == ["at one", "b", "a"])
  }

  @Test func fewerGaps_fitBetter_andEqualsKeepTheirOrder() {
    let choices = ["axxxb", "axb", "axxb", "axc", "ayb"].map { Self.choice($0) }
    #expect(Self.found("ab", in: choices) == ["axb", "ayb", "axxb", "axxxb"])
  }

  @Test func foundCharacters_areThoseOfTheText_thatFitsMostClosely() throws {
    let choice = SearchableChoice(Self.choice("flow", "set it", label: "F", detail: "soft"))
    let match = try #require(ChoiceMatch(SearchQuery("so set"), in: choice))
    #expect(match.detail == [0, 1])
    #expect(match.title == [6, 7, 8])
    #expect(match.label == [])
  }

  @Test func emptyQuery_findsAllInTheirOrder() {
    let choices = ["c", "a", "b"].map { Self.choice($0) }
    #expect(Self.found("", in: choices) == ["c", "a", "b"])
    #expect(Self.found("  ", in: choices) == ["c", "a", "b"])
  }

  @Test func moreWordsThanTheLimit_areLookedForAsOne() {
    let text = (0..<20).map { "w\($0)" }.joined(separator: " ")
    #expect(SearchQuery(text).words.count == 8)
    #expect(Self.found(text, in: [Self.choice(text)]) == [text])
  }
}
