import Testing

@testable import Observing

@Suite(.timeLimit(.minutes(30))) struct ObservationTokenTests {
  private enum Event {
    case opened
    case renamed(Change<String>)

    var rename: Change<String>? {
      if case .renamed(let change) = self { change } else { nil }
    }
  }

  private let list = Observable<Event>()

  @Test func closureGetsEveryEvent_whileTheTokenIsKept() {
    var count = 0
    var token: ObservationToken<Event>? = list.observe { _ in count += 1 }
    list.notify(.opened)
    #expect(count == 1)
    #expect(token != nil)
    token = nil
    list.notify(.opened)
    #expect(count == 1)
  }

  @Test func oneKindOfEvent_isReportedWithoutTheOthers_withOldAndNewValue() {
    var changes: [Change<String>] = []
    let token = list.observe(\.rename) { changes.append($0) }
    list.notify(.opened)
    list.notify(.renamed(Change(from: "a", to: "b")))
    #expect(changes == [Change(from: "a", to: "b")])
    token.cancel()
  }

  @Test func cancel_silencesAtOnce_fromInsideItsOwnClosure() {
    var count = 0
    var token: ObservationToken<Event>?
    token = list.observe { _ in
      count += 1
      token?.cancel()
      token?.cancel()
    }
    list.notify(.opened)
    list.notify(.opened)
    #expect(count == 1)
  }

  @Test func tokenDroppedInARound_isNotCalledInIt() {
    var calls = 0
    var token: ObservationToken<Event>?
    let dropper = list.observe { _ in token = nil }
    token = list.observe { _ in calls += 1 }
    list.notify(.opened)
    #expect(calls == 0)
    #expect(token == nil)
    dropper.cancel()
  }

  @Test func droppedTokens_leaveASilentListAtOnce() {
    var tokens = (0..<8_000).map { _ in list.observe { _ in } }
    #expect(list.slotCount == 8_000)
    tokens.removeAll()
    #expect(list.slotCount == 0)
    #expect(!list.isObserved)
  }

  @Test func closureOfADroppedToken_isReleasedAtOnce() {
    final class Held {}
    weak var held: Held?
    var token: ObservationToken<Event>?
    do {
      let object = Held()
      held = object
      token = list.observe { _ in withExtendedLifetime(object) {} }
    }
    #expect(held != nil && token != nil)
    token = nil
    #expect(held == nil)
  }

  @Test func tokenMayOutliveItsList() {
    var owned: Observable<Event>? = Observable<Event>()
    let token = owned!.observe { _ in }
    owned = nil
    token.cancel()
  }
}
