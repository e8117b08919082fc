import Testing

@testable import Observing

extension Observable where Event == Int {
  fileprivate func add(_ recorder: Recorder) {
    add(recorder) { $0.hear($1) }
  }
}

@Suite struct ObservableTests {
  private let observable = Observable<Int>()
  private let first = Recorder()
  private let second = Recorder()

  // MARK: The list

  @Test func observersAreCalled_inTheOrderOfAdding() {
    var order: [Int] = []
    let recorders = (0..<1_000).map { index in
      let recorder = Recorder()
      recorder.onEvent = { _ in order.append(index) }
      observable.add(recorder)
      return recorder
    }
    observable.notify(7)
    #expect(order == Array(0..<1_000))
    #expect(recorders.allSatisfy { $0.heard == [7] })
  }

  @Test func add_doesNothing_whenTheObserverIsInTheListAlready() {
    observable.add(first)
    observable.add(first)
    observable.notify(1)
    #expect(first.heard == [1])
  }

  @Test func remove_silences_andIsHarmlessWhenRepeated() {
    observable.add(first)
    observable.remove(first)
    observable.remove(first)
    observable.remove(second)
    observable.notify(1)
    #expect(first.heard.isEmpty)
  }

  @Test func observer_isNotRetained_andSweptWhenItDied() {
    var mortal: Recorder? = Recorder()
    observable.add(mortal!)
    observable.add(first)
    weak let watched = mortal
    mortal = nil
    #expect(watched == nil)
    observable.notify(1)
    #expect(first.heard == [1])
    #expect(observable.slotCount == 1)
  }

  @Test func isObserved_isTrue_onlyWhileSomebodyWouldHear() {
    #expect(!observable.isObserved)
    observable.add(first)
    #expect(observable.isObserved)
    observable.remove(first)
    #expect(!observable.isObserved)
    var mortal: Recorder? = Recorder()
    observable.add(mortal!)
    mortal = nil
    #expect(!observable.isObserved)
  }

  // MARK: Changes within a round

  @Test func add_waitsForTheEndOfTheRound() {
    first.onEvent = { _ in observable.add(second) }
    observable.add(first)
    observable.notify(1)
    #expect(second.heard.isEmpty)
    observable.notify(2)
    #expect(second.heard == [2])
  }

  @Test func remove_silencesAtOnce_inTheRoundThatIsRunning() {
    first.onEvent = { _ in observable.remove(second) }
    observable.add(first)
    observable.add(second)
    observable.notify(1)
    #expect(second.heard.isEmpty)
    observable.notify(2)
    #expect(second.heard.isEmpty)
  }

  @Test func selfRemove_inARound_leavesTheOthersAlone() {
    first.onEvent = { _ in observable.remove(first) }
    observable.add(first)
    observable.add(second)
    observable.notify(1)
    observable.notify(2)
    #expect(first.heard == [1])
    #expect(second.heard == [1, 2])
  }

  @Test func removeThenAdd_inARound_theAddWins_atTheEndOfTheList() {
    var order: [String] = []
    let changer = Recorder()
    changer.onEvent = { event in
      guard event == 1 else { return }
      observable.remove(first)
      observable.add(first)
    }
    first.onEvent = { _ in order.append("first") }
    second.onEvent = { _ in order.append("second") }
    observable.add(changer)
    observable.add(first)
    observable.add(second)
    observable.notify(1)
    #expect(order == ["second"], "silenced at once, back only when the round is over")
    order = []
    observable.notify(2)
    #expect(order == ["second", "first"])
  }

  @Test func addThenRemove_inARound_theRemoveWins() {
    first.onEvent = { _ in
      observable.add(second)
      observable.remove(second)
    }
    observable.add(first)
    observable.notify(1)
    first.onEvent = { _ in }
    observable.notify(2)
    #expect(second.heard.isEmpty)
  }

  @Test func removeAddRemove_inARound_theLastCallWins() {
    first.onEvent = { event in
      guard event == 1 else { return }
      observable.remove(second)
      observable.add(second)
      observable.remove(second)
    }
    observable.add(first)
    observable.add(second)
    observable.notify(1)
    observable.notify(2)
    #expect(second.heard.isEmpty)
    #expect(observable.slotCount == 1)
  }

  @Test func observerThatDiesInARound_isSkippedAndSwept() {
    var mortal: Recorder? = Recorder()
    first.onEvent = { _ in mortal = nil }
    observable.add(first)
    observable.add(mortal!)
    observable.add(second)
    observable.notify(1)
    #expect(second.heard == [1])
    #expect(observable.slotCount == 2)
  }

  @Test func addedObserverThatDiesBeforeTheRoundEnds_leavesNothingBehind() {
    first.onEvent = { event in
      if event == 1 { observable.add(Recorder()) }
    }
    observable.add(first)
    observable.notify(1)
    observable.notify(2)
    #expect(first.heard == [1, 2])
    #expect(observable.slotCount == 1)
  }

  @Test func observerAtTheAddressOfADeadOne_isNotTakenForIt() {
    // Allocators like to hand the same address out again; try until they do.
    observable.add(first)
    for _ in 0..<1_000 {
      var mortal: Recorder? = Recorder()
      observable.add(mortal!)
      mortal = nil
      let successor = Recorder()
      observable.add(successor)
      observable.notify(1)
      #expect(successor.heard == [1])
      observable.remove(successor)
    }
  }

  // MARK: Nested rounds

  @Test func nestedNotification_isQueued_soThatAllHearTheSameOrder() {
    first.onEvent = { event in
      if event == 1 {
        observable.notify(2)
        observable.notify(3)
      }
      if event == 2 { observable.notify(4) }
    }
    observable.add(first)
    observable.add(second)
    observable.notify(1)
    #expect(first.heard == [1, 2, 3, 4])
    #expect(second.heard == [1, 2, 3, 4])
  }

  @Test func nestedRound_doesNotCommitEarly() {
    let late = Recorder()
    first.onEvent = { event in
      guard event == 1 else { return }
      observable.add(late)
      observable.remove(second)
      observable.notify(2)
    }
    second.onEvent = { _ in Issue.record("removed, and called all the same") }
    observable.add(first)
    observable.add(second)
    observable.notify(1)
    #expect(late.heard.isEmpty, "the nested round belongs to the outermost one")
    #expect(!observable.isNotifying)
    observable.notify(3)
    #expect(late.heard == [3])
  }

  @Test func deepNesting_needsNoStack() {
    first.onEvent = { event in
      if event < 100_000 { observable.notify(event + 1) }
    }
    observable.add(first)
    observable.notify(0)
    #expect(first.heard.count == 100_001)
  }

  // MARK: Lifetimes

  @Test func observerMayDropTheLastReference_toTheObservableItself() {
    var owned: Observable<Int>? = Observable<Int>()
    weak let watched = owned
    first.onEvent = { _ in owned = nil }
    owned!.add(first)
    owned!.add(second)
    owned!.notify(1)
    #expect(second.heard == [1], "the round that was running ends for everybody")
    #expect(watched == nil)
  }

  @Test func closureThatCallsBackWhenItIsReleased_findsTheListWhole() {
    final class CallsBack {
      let observable: Observable<Int>
      let other: Recorder
      init(_ observable: Observable<Int>, _ other: Recorder) {
        self.observable = observable
        self.other = other
      }
      deinit { observable.remove(other) }
    }
    observable.add(second)
    do {
      let held = CallsBack(observable, second)
      observable.add(first) { recorder, event in
        withExtendedLifetime(held) { recorder.hear(event) }
      }
    }
    observable.remove(first)
    observable.notify(1)
    #expect(second.heard.isEmpty)
  }

  @Test func pendingClosureThatCallsBackWhenItIsReleased_findsTheListWhole() {
    final class CallsBack {
      let onEnd: () -> Void
      init(onEnd: @escaping () -> Void) { self.onEnd = onEnd }
      deinit { onEnd() }
    }
    let added = Recorder()
    first.onEvent = { _ in
      do {
        let held = CallsBack { observable.remove(second) }
        observable.add(added) { recorder, event in
          withExtendedLifetime(held) { recorder.hear(event) }
        }
      }
      observable.remove(added)
    }
    observable.add(first)
    observable.add(second)
    observable.notify(1)
    #expect(second.heard.isEmpty)
    #expect(added.heard.isEmpty)
  }
}
