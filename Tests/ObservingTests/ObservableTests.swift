import Testing

@testable import Observing

extension Observable where Event == Int {
  fileprivate func add(_ recorder: Recorder) {
    add(recorder) { $0.hear($1) }
  }
}

@Suite(.timeLimit(.minutes(30))) struct ObservableTests {
  private let list = Observable<Int>()
  private let first = Recorder()
  private let second = Recorder()

  // MARK: The list

  @Test func observersAreCalled_inTheOrderOfAdding() {
    var order: [Int] = []
    let recorders = (0..<1_000).map { index in
      let recorder = Recorder()
      recorder.onEvent = { _ in order.append(index) }
      list.add(recorder)
      return recorder
    }
    list.notify(7)
    #expect(order == Array(0..<1_000))
    #expect(recorders.allSatisfy { $0.heard == [7] })
  }

  @Test func ranks_comeBeforeTheOrderOfAdding() {
    var order: [Int] = []
    // Within each rank, in the order of adding; some leave, so that there are gaps.
    let tokens = (0..<60).map { index in
      list.observe(rank: index % 3) { _ in order.append(index) }
    }
    for index in stride(from: 0, to: 60, by: 4) { tokens[index].cancel() }
    let late = list.observe(rank: 1) { _ in order.append(100) }
    list.notify(1)
    let left = (0..<60).filter { $0 % 4 != 0 }
    #expect(
      order == left.filter { $0 % 3 == 0 } + left.filter { $0 % 3 == 1 } + [100]
        + left.filter { $0 % 3 == 2 })
    late.cancel()
  }

  @Test func observerAddedInARound_getsThePlaceOfItsRank() {
    var order: [String] = []
    var early: ObservationToken<Int>?
    let late = list.observe(rank: 9) { [list] _ in
      order.append("late")
      if early == nil { early = list.observe(rank: 1) { _ in order.append("early") } }
    }
    list.notify(1)
    list.notify(2)
    #expect(order == ["late", "early", "late"])
    late.cancel()
  }

  @Test func lowerRank_removedAndAddedAgain_keepsTheOrder() {
    var order: [Int] = []
    for rank in [5, 3, 4] {
      list.add(first, rank: rank) { _, _ in order.append(-1) }
      list.remove(first)
    }
    let tokens = [2, 1, 3].map { rank in list.observe(rank: rank) { _ in order.append(rank) } }
    list.notify(1)
    #expect(order == [1, 2, 3])
    tokens.forEach { $0.cancel() }
  }

  @Test func add_doesNothing_whenTheObserverIsInTheListAlready() {
    list.add(first)
    list.add(first)
    list.notify(1)
    #expect(first.heard == [1])
  }

  @Test func remove_silences_andIsHarmlessWhenRepeated() {
    list.add(first)
    list.remove(first)
    list.remove(first)
    list.remove(second)
    list.notify(1)
    #expect(first.heard.isEmpty)
  }

  @Test func observerOfSomeKinds_isNotCalledForOthers() {
    list.add(first, kinds: 0b011) { $0.hear($1) }
    list.add(second)
    // A nested notification keeps its kind while it is queued.
    second.onEvent = { [list] in if $0 == 1 { list.notify(10, kind: 0b100) } }
    list.notify(1, kind: 0b001)
    list.notify(2, kind: 0b010)
    list.notify(3, kind: 0b100)
    list.notify(4)
    #expect(first.heard == [1, 2, 4])
    #expect(second.heard == [1, 10, 2, 3, 4])
    withExtendedLifetime(list.observe(kinds: 0b100, { [first] in first.hear($0) })) {
      list.notify(5, kind: 0b100)
      list.notify(6, kind: 0b001)
    }
    #expect(first.heard == [1, 2, 4, 5, 6])
    list.remove(first)
    list.notify(7, kind: 0b001)
    #expect(first.heard == [1, 2, 4, 5, 6])
  }

  @Test func observer_isNotRetained_andSweptWhenItDied() {
    var mortal: Recorder? = Recorder()
    list.add(mortal!)
    list.add(first)
    weak let watched = mortal
    mortal = nil
    #expect(watched == nil)
    list.notify(1)
    #expect(first.heard == [1])
    #expect(list.slotCount == 1)
  }

  @Test func isObserved_isTrue_onlyWhileThereIsAnObserver() {
    #expect(!list.isObserved)
    list.add(first)
    #expect(list.isObserved)
    list.remove(first)
    #expect(!list.isObserved)
    var mortal: Recorder? = Recorder()
    list.add(mortal!)
    mortal = nil
    #expect(!list.isObserved)
  }

  @Test func aHundredThousandObservers_areAddedAndRemoved_inLinearTime() {
    // With quadratic time this would take minutes, and the suite has a limit. `Benchmarks/`
    // measures the time.
    let recorders = (0..<100_000).map { _ in Recorder() }
    for recorder in recorders { list.add(recorder) }
    #expect(list.slotCount == 100_000)
    for recorder in recorders.dropFirst().reversed() { list.remove(recorder) }
    list.notify(1)
    #expect(recorders[0].heard == [1])
    #expect(list.slotCount == 1)
  }

  @Test func aHundredThousandChangesWithinARound_takeLinearTime() {
    let recorders = (0..<100_000).map { _ in Recorder() }
    first.onEvent = { event in
      for recorder in recorders {
        if event == 1 { list.add(recorder) } else { list.remove(recorder) }
      }
    }
    list.add(first)
    list.notify(1)
    #expect(list.slotCount == 100_001)
    list.notify(2)
    #expect(list.slotCount == 1)
    #expect(recorders.allSatisfy { $0.heard.isEmpty })
  }

  @Test func removals_keepTheOrderOfTheOthers() {
    var order: [Int] = []
    let recorders = (0..<100).map { index in
      let recorder = Recorder()
      recorder.onEvent = { _ in order.append(index) }
      list.add(recorder)
      return recorder
    }
    for index in recorders.indices where index % 10 != 3 { list.remove(recorders[index]) }
    list.add(recorders[0])
    list.notify(1)
    #expect(order == [3, 13, 23, 33, 43, 53, 63, 73, 83, 93, 0])
  }

  @Test func deadObserversOfASilentList_areRemovedWhenTheListWouldGrow() {
    for _ in 0..<10_000 { list.add(Recorder()) }
    #expect(list.slotCount < 100)
  }

  // MARK: Changes within a round

  @Test func add_waitsForTheEndOfTheRound() {
    first.onEvent = { _ in list.add(second) }
    list.add(first)
    list.notify(1)
    #expect(second.heard.isEmpty)
    list.notify(2)
    #expect(second.heard == [2])
  }

  @Test func remove_silencesAtOnce_inTheRoundThatIsRunning() {
    first.onEvent = { _ in list.remove(second) }
    list.add(first)
    list.add(second)
    list.notify(1)
    #expect(second.heard.isEmpty)
    list.notify(2)
    #expect(second.heard.isEmpty)
  }

  @Test func selfRemove_inARound_leavesTheOthersAlone() {
    first.onEvent = { _ in list.remove(first) }
    list.add(first)
    list.add(second)
    list.notify(1)
    list.notify(2)
    #expect(first.heard == [1])
    #expect(second.heard == [1, 2])
  }

  @Test func removeThenAdd_inARound_theAddWins_atTheEndOfTheList() {
    var order: [String] = []
    let changer = Recorder()
    changer.onEvent = { event in
      guard event == 1 else { return }
      list.remove(first)
      list.add(first)
    }
    first.onEvent = { _ in order.append("first") }
    second.onEvent = { _ in order.append("second") }
    list.add(changer)
    list.add(first)
    list.add(second)
    list.notify(1)
    #expect(order == ["second"], "silenced at once, back only when the round is over")
    order = []
    list.notify(2)
    #expect(order == ["second", "first"])
  }

  @Test func removeThenAdd_inARound_takesTheNewClosure() {
    var calls: [String] = []
    let changer = Recorder()
    changer.onEvent = { event in
      guard event == 1 else { return }
      list.remove(first)
      list.add(first) { _, _ in calls.append("new") }
    }
    list.add(changer)
    list.add(first) { _, _ in calls.append("old") }
    list.notify(1)
    list.notify(2)
    #expect(calls == ["new"])
  }

  @Test func addThenRemove_inARound_theRemoveWins() {
    first.onEvent = { _ in
      list.add(second)
      list.remove(second)
    }
    list.add(first)
    list.notify(1)
    first.onEvent = { _ in }
    list.notify(2)
    #expect(second.heard.isEmpty)
  }

  @Test func removeAddRemove_inARound_theLastCallWins() {
    first.onEvent = { event in
      guard event == 1 else { return }
      list.remove(second)
      list.add(second)
      list.remove(second)
    }
    list.add(first)
    list.add(second)
    list.notify(1)
    list.notify(2)
    #expect(second.heard.isEmpty)
    #expect(list.slotCount == 1)
  }

  @Test func observerThatDiesInARound_isSkippedAndSwept() {
    var mortal: Recorder? = Recorder()
    first.onEvent = { _ in mortal = nil }
    list.add(first)
    list.add(mortal!)
    list.add(second)
    list.notify(1)
    #expect(second.heard == [1])
    #expect(list.slotCount == 2)
  }

  @Test func addedObserverThatDiesBeforeTheRoundEnds_leavesNothingBehind() {
    first.onEvent = { event in
      if event == 1 { list.add(Recorder()) }
    }
    list.add(first)
    list.notify(1)
    list.notify(2)
    #expect(first.heard == [1, 2])
    #expect(list.slotCount == 1)
  }

  @Test func observerAtTheAddressOfADeadOne_isNotTakenForIt() {
    // Allocators often return the same address again. A thousand attempts make this certain.
    list.add(first)
    for _ in 0..<1_000 {
      var mortal: Recorder? = Recorder()
      list.add(mortal!)
      mortal = nil
      let successor = Recorder()
      list.add(successor)
      list.notify(1)
      #expect(successor.heard == [1])
      list.remove(successor)
    }
  }

  // MARK: Nested rounds

  @Test func nestedNotification_isQueued_soThatAllGetTheSameOrder() {
    first.onEvent = { event in
      if event == 1 {
        list.notify(2)
        list.notify(3)
      }
      if event == 2 { list.notify(4) }
    }
    list.add(first)
    list.add(second)
    list.notify(1)
    #expect(first.heard == [1, 2, 3, 4])
    #expect(second.heard == [1, 2, 3, 4])
  }

  @Test func nestedRound_doesNotCommitEarly() {
    let late = Recorder()
    first.onEvent = { event in
      guard event == 1 else { return }
      list.add(late)
      list.remove(second)
      list.notify(2)
    }
    second.onEvent = { _ in Issue.record("removed, and called all the same") }
    list.add(first)
    list.add(second)
    list.notify(1)
    #expect(late.heard.isEmpty, "the nested round belongs to the outermost one")
    #expect(!list.isNotifying)
    list.notify(3)
    #expect(late.heard == [3])
  }

  @Test func deepNesting_needsNoStack() {
    first.onEvent = { event in
      if event < 100_000 { list.notify(event + 1) }
    }
    list.add(first)
    list.notify(0)
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
    #expect(second.heard == [1], "the round that was running ends for everyone")
    #expect(watched == nil)
  }

  @Test func closureThatCallsBackWhenItIsReleased_findsTheListWhole() {
    final class CallsBack {
      let list: Observable<Int>
      let other: Recorder
      init(_ list: Observable<Int>, _ other: Recorder) {
        self.list = list
        self.other = other
      }
      deinit { list.remove(other) }
    }
    list.add(second)
    do {
      let held = CallsBack(list, second)
      list.add(first) { recorder, event in
        withExtendedLifetime(held) { recorder.hear(event) }
      }
    }
    list.remove(first)
    list.notify(1)
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
        let held = CallsBack { list.remove(second) }
        list.add(added) { recorder, event in
          withExtendedLifetime(held) { recorder.hear(event) }
        }
      }
      list.remove(added)
    }
    list.add(first)
    list.add(second)
    list.notify(1)
    #expect(second.heard.isEmpty)
    #expect(added.heard.isEmpty)
  }
}
