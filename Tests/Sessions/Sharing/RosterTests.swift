import Telnet
import Testing

@testable import Sessions

@Suite struct RosterTests {
  private static let home = Roster.Member(
    id: 0, name: MemberName(given: "home"), answers: true, mayTake: true)
  private static let anna = Roster.Member(
    id: 1, name: MemberName(given: "anna"), answers: true, mayTake: true)
  private static let bert = Roster.Member(id: 2, name: MemberName(given: "bert"), answers: true)
  private static let tool = Roster.Member(
    id: 3, name: MemberName(given: "tool"), answers: false, takesFreePen: true)

  private func roster(_ rule: Roster.Rule = .one, hasHome: Bool = true) -> Roster {
    var roster = Roster(rule)
    if hasHome { _ = roster.join(Self.home, isHome: true) }
    for member in [Self.anna, Self.bert, Self.tool] { _ = roster.join(member) }
    return roster
  }

  @Test func whoSitsAtTheSession_hasThePen_andViewersHaveNot() {
    let roster = roster()
    #expect(roster.holder == 0)
    #expect(roster.mayWrite(0) && !roster.mayWrite(1) && !roster.mayWrite(3))
  }

  @Test func whoAsks_hasItWhenItIsGiven_andNotBefore() {
    var roster = roster()
    #expect(roster.ask(1) == [.asked(Self.anna, toWrite: nil)])
    #expect(roster.ask(1).isEmpty)
    #expect(!roster.mayWrite(1))
    #expect(roster.give(by: 2, to: 1).isEmpty)
    #expect(roster.give(by: 0, to: 1) == [.moved(from: Self.home, to: Self.anna, .given)])
    #expect(roster.mayWrite(1) && !roster.mayWrite(0))
    #expect(roster.applicants.isEmpty)
  }

  @Test func whoAsksToWrite_hasThePenOnlyWhenItIsGiven() {
    var roster = roster()
    #expect(roster.ask(1, toWrite: "help") == [.asked(Self.anna, toWrite: "help")])
    #expect(roster.ask(1, toWrite: "help").isEmpty)
    // Another text is another question.
    #expect(roster.ask(1, toWrite: "erase") == [.asked(Self.anna, toWrite: "erase")])
    #expect(roster.applicants == [.init(id: 1, text: "erase")])
    #expect(roster.returnPen(by: 0).isEmpty)
    _ = roster.give(by: 0, to: 2)
    #expect(roster.returnPen(by: 2) == [.moved(from: Self.bert, to: Self.home, .given)])
    #expect(roster.give(by: 0, to: 1) == [.moved(from: Self.home, to: Self.anna, .given)])
    #expect(roster.leave(0) == [.left(Self.home)])
    #expect(roster.leave(1) == [.moved(from: Self.anna, to: nil, .inherited), .left(Self.anna)])
    // Nobody is there to answer.
    #expect(roster.ask(2, toWrite: "help").isEmpty)
    #expect(roster.holder == nil && roster.applicants.isEmpty)
  }

  @Test func keeping_answersThoseWhoAsk() {
    var roster = roster()
    _ = roster.ask(1)
    _ = roster.ask(2)
    #expect(roster.keep(by: 1).isEmpty)
    #expect(roster.keep(by: 0) == [.kept(by: Self.home, from: [Self.anna, Self.bert])])
    #expect(roster.applicants.isEmpty && roster.holder == 0)
  }

  @Test func leaving_passesThePen_toWhoHasAskedFirst_elseHome() {
    var roster = roster()
    _ = roster.give(by: 0, to: 1)
    _ = roster.ask(2)
    #expect(
      roster.leave(1) == [.moved(from: Self.anna, to: Self.bert, .inherited), .left(Self.anna)])
    #expect(
      roster.leave(2) == [.moved(from: Self.bert, to: Self.home, .inherited), .left(Self.bert)])
    #expect(roster.members == [Self.home, Self.tool])
  }

  @Test func withoutHome_thePenIsFree_forAProgramThatWrites_andForWhoAsks() {
    var roster = roster(hasHome: false)
    #expect(roster.holder == nil)
    #expect(roster.useFreePen(1).isEmpty)
    #expect(roster.useFreePen(3) == [.moved(from: nil, to: Self.tool, .taken)])
    #expect(roster.ask(1) == [.asked(Self.anna, toWrite: nil)])
    #expect(roster.leave(3).first == .moved(from: Self.tool, to: Self.anna, .inherited))
    #expect(roster.returnPen(by: 1) == [.moved(from: Self.anna, to: nil, .given)])
    #expect(roster.ask(2) == [.moved(from: nil, to: Self.bert, .taken)])
  }

  @Test func taking_isForThoseWhoMay() {
    var roster = roster()
    #expect(roster.takePen(2).isEmpty)
    #expect(roster.takePen(1) == [.moved(from: Self.home, to: Self.anna, .forced)])
    #expect(roster.takePen(1).isEmpty)
    // The local user may take it back.
    #expect(roster.takePen(0) == [.moved(from: Self.anna, to: Self.home, .forced)])
  }

  @Test func givingBack_isNothing_forHomeWithoutApplicants() {
    var roster = roster()
    #expect(roster.returnPen(by: 0).isEmpty)
    _ = roster.ask(2)
    #expect(roster.returnPen(by: 0) == [.moved(from: Self.home, to: Self.bert, .given)])
    #expect(roster.returnPen(by: 2) == [.moved(from: Self.bert, to: Self.home, .given)])
  }

  @Test(arguments: [Roster.Rule.all, .none]) func otherRules_haveNoPen(_ rule: Roster.Rule) {
    var roster = roster(rule)
    for id in Roster.ID(0)...3 {
      #expect(roster.mayWrite(id) == (rule == .all))
      #expect(roster.ask(id).isEmpty && roster.takePen(id).isEmpty && roster.useFreePen(id).isEmpty)
    }
    #expect(roster.holder == nil)
  }

  @Test func whileReadOnly_nobodyWrites_andThePenIsKept() {
    var roster = roster()
    _ = roster.give(by: 0, to: 1)
    _ = roster.ask(2)
    #expect(roster.setReadOnly(true) == [.ruled(.none)])
    #expect(roster.setReadOnly(true).isEmpty)
    for id in Roster.ID(0)...3 {
      #expect(!roster.mayWrite(id))
      #expect(roster.ask(id).isEmpty && roster.takePen(id).isEmpty && roster.useFreePen(id).isEmpty)
      #expect(roster.returnPen(by: id).isEmpty && roster.give(by: id, to: 3).isEmpty)
    }
    #expect(roster.holder == nil && roster.applicants.isEmpty)
    #expect(roster.setReadOnly(false) == [.ruled(.one)])
    #expect(roster.holder == 1)
    // Who leaves meanwhile has it no more.
    _ = roster.setReadOnly(true)
    #expect(roster.leave(1) == [.left(Self.anna)])
    _ = roster.setReadOnly(false)
    #expect(roster.holder == 0)
  }

  @Test func anySequenceOfEvents_keepsOneHolder_whoIsThere() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var roster = roster(hasHome: Bool.random(using: &generator))
      var next: Roster.ID = 4
      for _ in 0..<60 {
        let id = roster.members.randomElement(using: &generator)?.id ?? 0
        let other = roster.members.randomElement(using: &generator)?.id ?? 9
        switch Int.random(in: 0...8, using: &generator) {
        case 0:
          _ = roster.join(
            Roster.Member(
              id: next, name: MemberName(given: "\(next)"), answers: true,
              takesFreePen: next % 2 == 0))
          next += 1
        case 1: _ = roster.leave(id)
        case 2: _ = roster.ask(id, toWrite: Bool.random(using: &generator) ? "help" : nil)
        case 3: _ = roster.give(by: id, to: other)
        case 4: _ = roster.keep(by: id)
        case 5: _ = roster.returnPen(by: id)
        case 6: _ = roster.takePen(id)
        case 7: _ = roster.useFreePen(id)
        default: _ = roster.give(by: id, to: 1_000)
        }
        if let holder = roster.holder { #expect(roster[holder] != nil) }
        #expect(roster.members.count { roster.mayWrite($0.id) } <= 1)
        #expect(roster.applicants.allSatisfy { roster[$0.id] != nil && $0.id != roster.holder })
        // The pen is never free while there is a local user.
        if roster.home != nil { #expect(roster.holder != nil) }
      }
    }
  }
}
