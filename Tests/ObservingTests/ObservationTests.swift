import Testing

@testable import Observing

@Suite struct ObservationTests {
  private enum Event {
    case opened
    case renamed(Change<String>)

    var rename: Change<String>? {
      if case .renamed(let change) = self { change } else { nil }
    }
  }

  private let observable = Observable<Event>()

  @Test func closureHearsEveryEvent_whileTheTokenIsKept() {
    var count = 0
    var token: Observation<Event>? = observable.observe { _ in count += 1 }
    observable.notify(.opened)
    #expect(count == 1)
    #expect(token != nil)
    token = nil
    observable.notify(.opened)
    #expect(count == 1)
  }

  @Test func oneKindOfEvent_isHeardWithoutTheOthers_withOldAndNewValue() {
    var changes: [Change<String>] = []
    let token = observable.observe(\.rename) { changes.append($0) }
    observable.notify(.opened)
    observable.notify(.renamed(Change(from: "a", to: "b")))
    #expect(changes == [Change(from: "a", to: "b")])
    token.cancel()
  }

  @Test func cancel_silencesAtOnce_fromInsideItsOwnClosure() {
    var count = 0
    var token: Observation<Event>?
    token = observable.observe { _ in
      count += 1
      token?.cancel()
      token?.cancel()
    }
    observable.notify(.opened)
    observable.notify(.opened)
    #expect(count == 1)
  }

  @Test func tokenDroppedInARound_isNotCalledInIt() {
    var calls = 0
    var token: Observation<Event>?
    let dropper = observable.observe { _ in token = nil }
    token = observable.observe { _ in calls += 1 }
    observable.notify(.opened)
    #expect(calls == 0)
    #expect(token == nil)
    dropper.cancel()
  }

  @Test func tokenMayOutliveItsObservable() {
    var owned: Observable<Event>? = Observable<Event>()
    let token = owned!.observe { _ in }
    owned = nil
    token.cancel()
  }
}
