import Testing

@testable import Observing

@Suite(.timeLimit(.minutes(30))) struct ObservedTests {
  /// A thing that knows something, as others see it.
  private final class Recorder {
    @Observed private(set) var file: String?
    func write(to file: String?) { self.file = file }
  }

  /// A state that is made of what others know.
  private struct State: Equatable {
    var file: String?
    var count = 0
    var isOpen = false
  }

  private let recorder = Recorder()

  @Test func change_isReportedWithOldAndNew_whenItHasHappened() {
    var changes: [Change<String?>] = []
    var seen: [String?] = []
    let token = recorder.$file.observe { [recorder] in
      changes.append($0)
      seen.append(recorder.file)
    }
    recorder.write(to: "a")
    recorder.write(to: nil)
    #expect(changes == [Change(from: nil, to: "a"), Change(from: "a", to: nil)])
    #expect(seen == ["a", nil])
    token.cancel()
    recorder.write(to: "b")
    #expect(changes.count == 2)
    #expect(recorder.$file.value == "b")
  }

  @Test func equalValue_isNoChange() {
    var count = 0
    let token = recorder.$file.observe { _ in count += 1 }
    recorder.write(to: "a")
    recorder.write(to: "a")
    #expect(count == 1)
    token.cancel()
  }

  @Test func valueThatCannotBeCompared_changesWithEachAssignment() {
    struct Opaque { let number: Int }
    let opaque = Observed(wrappedValue: Opaque(number: 1))
    var numbers: [Int] = []
    let token = opaque.projectedValue.observe { numbers.append($0.new.number) }
    opaque.wrappedValue = Opaque(number: 1)
    opaque.wrappedValue = Opaque(number: 2)
    #expect(numbers == [1, 2])
    token.cancel()
  }

  @Test func update_isOneChangeOfSeveralParts() {
    let state = Observed(wrappedValue: State())
    var changes: [Change<State>] = []
    let token = state.projectedValue.observe { changes.append($0) }
    let result = state.update {
      $0.count = 2
      $0.isOpen = true
      return $0.count
    }
    #expect(result == 2)
    #expect(changes == [Change(from: State(), to: State(count: 2, isOpen: true))])
    state.update { $0.count = 2 }
    #expect(changes.count == 1)
    token.cancel()
  }

  @Test func partOfAValue_isReportedOnlyWhenItDiffers() {
    let state = Observed(wrappedValue: State())
    var counts: [Change<Int>] = []
    let token = state.projectedValue.observe(\.count) { counts.append($0) }
    state.update { $0.isOpen = true }
    state.update { $0.count = 3 }
    #expect(counts == [Change(from: 0, to: 3)])
    token.cancel()
  }

  @Test func changeMadeByAnObserver_isReportedToAllAfterThePresentOne() {
    let number = Observed(wrappedValue: 0)
    var first: [Change<Int>] = []
    var second: [Change<Int>] = []
    let tokens = [
      number.projectedValue.observe {
        first.append($0)
        if $0.new == 1 { number.wrappedValue = 2 }
      },
      number.projectedValue.observe { second.append($0) },
    ]
    number.wrappedValue = 1
    #expect(first == [Change(from: 0, to: 1), Change(from: 1, to: 2)])
    #expect(second == first)
    tokens.forEach { $0.cancel() }
  }

  @Test func ranks_decideWhoIsToldFirst() {
    let number = Observed(wrappedValue: 0)
    var order: [String] = []
    let tokens = [
      number.projectedValue.observe(rank: 2) { _ in order.append("view") },
      number.projectedValue.observe(rank: 1) { _ in order.append("model") },
    ]
    number.wrappedValue = 1
    #expect(order == ["model", "view"])
    tokens.forEach { $0.cancel() }
  }

  // MARK: Bindings

  @Test func boundPart_followsNowAndWithEveryChange() {
    recorder.write(to: "a")
    let state = Observed(wrappedValue: State())
    var changes: [Change<State>] = []
    let token = state.projectedValue.observe { changes.append($0) }
    state.bind(\.file, to: recorder.$file)
    state.bind(\.isOpen, to: recorder.$file) { $0 != nil }
    #expect(state.wrappedValue == State(file: "a", isOpen: true))
    recorder.write(to: nil)
    #expect(state.wrappedValue == State())
    // One change for each part: what each of them follows is not known to the others.
    #expect(changes.count == 4)
    token.cancel()
  }

  @Test func binding_endsWithTheValueThatIsBound() {
    var state: Observed<State>? = Observed(wrappedValue: State())
    state?.bind(\.file, to: recorder.$file)
    weak let watched = state
    state = nil
    #expect(watched == nil)
    recorder.write(to: "a")
  }

  @Test func boundValue_mayOutliveItsSource() {
    var source: Recorder? = Recorder()
    let state = Observed(wrappedValue: State())
    state.bind(\.file, to: source!.$file)
    source?.write(to: "a")
    source = nil
    #expect(state.wrappedValue.file == "a")
  }
}
