import Testing

@testable import Observing

/// Calls a closure when it is released.
private final class Farewell {
  private let say: () -> Void
  init(_ say: @escaping () -> Void) { self.say = say }
  deinit { say() }
}

/// Closures that are released together with an observer's slot, at the end of a round.
@Suite(.timeLimit(.minutes(30))) struct ObservableReleaseTests {
  private let list = Observable<Int>()
  private let first = Recorder()
  private let second = Recorder()

  /// Removes the second observer at event 1, and calls a closure when the observer's
  /// closure is released.
  private func prepare(atTheEnd action: @escaping () -> Void) {
    let farewell = Farewell(action)
    list.add(first) { $0.hear($1) }
    list.add(second) { [farewell] _, _ in withExtendedLifetime(farewell) {} }
    first.onEvent = { [list, second] in if $0 == 1 { list.remove(second) } }
  }

  @Test func notification_madeThere_isDelivered_andTheRoundEnds() {
    prepare { [list] in list.notify(2) }
    list.notify(1)
    #expect(first.heard == [1, 2])
    #expect(!list.isNotifying)
    list.notify(3)
    #expect(first.heard == [1, 2, 3])
  }

  @Test func observer_addedThere_getsTheNextRound() {
    let third = Recorder()
    prepare { [list] in list.add(third) { $0.hear($1) } }
    list.notify(1)
    list.notify(2)
    #expect(third.heard == [2])
  }

  @Test func deadObserversOfASilentList_mayCallBackWhenTheyAreRemoved() {
    var released = 0
    for _ in 0..<1_000 {
      let farewell = Farewell { [list, second] in
        released += 1
        list.remove(second)
      }
      list.add(second) { $0.hear($1) }
      list.add(Recorder()) { [farewell] _, _ in withExtendedLifetime(farewell) {} }
    }
    list.add(first) { $0.hear($1) }
    list.notify(1)
    #expect(first.heard == [1])
    #expect(released == 1_000)
    #expect(list.slotCount == 1)
  }
}
