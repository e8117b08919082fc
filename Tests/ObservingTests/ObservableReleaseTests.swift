import Testing

@testable import Observing

/// Does something at its end.
private final class Farewell {
  private let say: () -> Void
  init(_ say: @escaping () -> Void) { self.say = say }
  deinit { say() }
}

/// What is released with an observer's place, at the end of a round.
@Suite struct ObservableReleaseTests {
  private let observable = Observable<Int>()
  private let first = Recorder()
  private let second = Recorder()

  /// Has the second observer removed by event 1, and something done when its closure goes.
  private func prepare(atTheEnd action: @escaping () -> Void) {
    let farewell = Farewell(action)
    observable.add(first) { $0.hear($1) }
    observable.add(second) { [farewell] _, _ in withExtendedLifetime(farewell) {} }
    first.onEvent = { [observable, second] in if $0 == 1 { observable.remove(second) } }
  }

  @Test func notification_madeThere_isDelivered_andTheRoundEnds() {
    prepare { [observable] in observable.notify(2) }
    observable.notify(1)
    #expect(first.heard == [1, 2])
    #expect(!observable.isNotifying)
    observable.notify(3)
    #expect(first.heard == [1, 2, 3])
  }

  @Test func observer_addedThere_hearsTheNextRound() {
    let third = Recorder()
    prepare { [observable] in observable.add(third) { $0.hear($1) } }
    observable.notify(1)
    observable.notify(2)
    #expect(third.heard == [2])
  }
}
