import TestSupport
import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct ChoiceListUpdateTests {
  private static func choices(_ titles: String...) -> [Choice<String>] {
    titles.map { Choice(id: $0, title: $0) }
  }

  private static func list(selecting place: Int) -> ChoiceList<String> {
    var list = ChoiceList(choices("a", "b", "c", "d", "e"))
    list.select(place)
    return list
  }

  @Test func update_keepsTheSelection_byIdentity() {
    var list = Self.list(selecting: 2)
    list.update(Self.choices("x", "y", "a", "c", "b"))
    #expect(list.selected?.id == "c")
  }

  @Test(arguments: [
    (2, ["a", "b", "d", "e"], "d"), (4, ["a", "b", "c", "d"], "d"), (2, ["a", "e"], "e"),
    (1, ["a", "d"], "a"), (2, ["x", "y", "z"], "x"),
  ])
  func update_selectsTheNearestThatIsLeft(place: Int, left: [String], selected: String) {
    var list = Self.list(selecting: place)
    list.update(left.map { Choice(id: $0, title: $0) })
    #expect(list.selected?.id == selected)
  }

  @Test func update_keepsTheQuery() {
    var list = ChoiceList(Self.choices("ab", "b"))
    list.type("a")
    list.update(Self.choices("b", "xa", "ab"))
    #expect(list.query == "a")
    #expect(list.matching.map(\.id) == ["ab", "xa"])
    #expect(list.selected?.id == "ab")
  }

  @Test func update_selectsTheBestMatch_ofAQueryThatHasChanged() {
    var list = ChoiceList(Self.choices("115200", "300"))
    for scalar in "11".unicodeScalars { _ = list.edit(.character(scalar)) }
    list.update(Self.choices("11", "115200", "300"))
    #expect(list.selected?.id == "11")
    // An update for another reason keeps the selection.
    list.handle([.named(.down)])
    list.update(Self.choices("1100", "11", "115200"))
    #expect(list.selected?.id == "115200")
  }

  @Test func manyKeys_needOneSearch_andEndWhereEachAloneDoes() {
    var chance = Chance(seed: 6)
    let choices = ["ab", "abe", "b", "be", "eb", "1", "B a"].map { Choice(id: $0, title: $0) }
    for _ in 0..<500 {
      let keys = (0..<chance.number(1...12)).map { _ in chance.key() }
      var (each, once) = (ChoiceList(choices), ChoiceList(choices))
      for key in keys { _ = each.handle(key) }
      for key in keys { _ = once.edit(key) }
      once.settle()
      #expect(each.query == once.query)
      #expect(each.selected == once.selected)
      #expect(each.matching == once.matching)
    }
  }

  @Test func keys_leaveTheSearchToTheEnd_untilEnter() {
    var list = ChoiceList(Self.choices("ab", "b"))
    _ = list.edit(.character("b"))
    _ = list.edit(.named(.down))
    #expect(list.isSearchDue)
    #expect(list.edit(.named(.enter)) == .chosen("ab"))
    #expect(!list.isSearchDue)
  }

  @Test func update_selectsAgain_afterNothingWasLeft() {
    var list = Self.list(selecting: 2)
    list.update([])
    #expect(list.selected == nil)
    list.update(Self.choices("q"))
    #expect(list.selected?.id == "q")
  }

  @Test func anyKeysAndUpdates_keepTheListInOrder() {
    var chance = Chance(seed: 4)
    var list = ChoiceList<Int>([])
    for _ in 0..<repetitions(5_000) {
      switch chance.number(0...9) {
      case 0:
        let ids = (0..<chance.number(0...20)).shuffled(using: &chance)
        list.update(
          ids.map {
            Choice(
              id: $0, title: $0 % 2 == 0 ? "abe \($0)" : "be B", detail: "世",
              refusal: chance.number(0...2) == 0 ? "off" : nil)
          })
      case 1: list.resize(visibleCount: chance.number(-1...9))
      default: Self.check(list.handle(chance.key()), of: list)
      }
      Self.checkInvariants(of: list)
    }
  }

  private static func check(_ outcome: ChoiceList<Int>.Outcome, of list: ChoiceList<Int>) {
    switch outcome {
    case .chosen(let id): #expect(list.selected?.id == id && list.selected?.isEnabled == true)
    case .refused(let id, let reason): #expect(list.selected?.id == id && list.refusal == reason)
    case .unchanged, .changed, .cancelled: break
    }
  }

  private static func checkInvariants(of list: ChoiceList<Int>) {
    #expect((list.selection == nil) == (list.matchCount == 0))
    #expect(list.query.unicodeScalars.count <= ChoiceList<Int>.queryLimit)
    guard let selection = list.selection else { return }
    #expect((0..<list.matchCount).contains(selection))
    #expect((list.firstVisible..<list.firstVisible + list.visibleCount).contains(selection))
    #expect(list.firstVisible <= max(0, list.matchCount - list.visibleCount))
  }
}
