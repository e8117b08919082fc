import TestSupport
import Testing

@testable import Observing

/// Random scripts of adding, removing, nested notifications and releases, performed by an
/// `Observable` and by a simple model of its principles. Both must make the same calls.
@Suite(.timeLimit(.minutes(30))) struct ObservableModelTests {
  @Test func randomScripts_makeTheSameCalls_asANaiveModel() {
    var wrong: [UInt64] = []
    var calls = 0
    var nested = 0
    let count = repetitions(20_000)
    for seed in 0..<UInt64(count) {
      let script = Script(seed: seed)
      let actual = Performance(of: script, on: RealList())
      let expected = Performance(of: script, on: NaiveList())
      if !actual.agrees(with: expected) { wrong.append(seed) }
      calls += expected.calls.count
      nested += expected.nestedNotifications
    }
    #expect(
      wrong.isEmpty, "\(wrong.count) of \(count) scripts differ, first seeds \(wrong.prefix(3))")
    #expect(
      calls > 25 * count && nested > 5 * count / 2,
      "the scripts exercise little: \(calls), \(nested)")
  }
}

/// An action of a script on a list.
private enum Action {
  case add(seat: Int)
  case remove(seat: Int)
  case kill(seat: Int)
  case notify(Int)
}

/// Actions outside of rounds, and the actions of each call of an observer, in the order
/// of the calls.
private struct Script {
  static let seats = 6
  let actions: [Action]
  let reactions: [[Action]]

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func action() -> Action {
      let seat = Int.random(in: 0..<Self.seats, using: &random)
      return switch Int.random(in: 0..<10, using: &random) {
      case 0...2: .add(seat: seat)
      case 3...4: .remove(seat: seat)
      case 5: .kill(seat: seat)
      default: .notify(Int.random(in: 0..<100, using: &random))
      }
    }
    actions = (0..<20).map { _ in action() }
    reactions = (0..<40).map { _ in
      let count = max(0, Int.random(in: -3...3, using: &random))
      return (0..<count).map { _ in action() }
    }
  }
}

/// The rank of an observer, by its number.
private func rank(of number: Int) -> Int { number % 3 }

/// A list on which a script is performed. Observers have unique numbers.
private protocol ScriptedList: AnyObject {
  /// Called with the number of an observer and an event.
  var onCall: (Int, Int) -> Void { get set }
  var isObserved: Bool { get }
  /// The possible numbers of slots of the list outside of a round.
  var slotCounts: ClosedRange<Int> { get }
  /// Adds an observer. A token is added once, when it is created.
  func add(_ number: Int, isToken: Bool)
  func remove(_ number: Int)
  /// Releases the last reference to the observer.
  func kill(_ number: Int)
  func notify(_ event: Int)
}

/// The result of a script.
private struct Performance {
  /// The numbers of the called observers, with the events.
  private(set) var calls: [[Int]] = []
  /// The state of the list after each action outside of rounds.
  private(set) var observed: [Bool] = []
  private(set) var slotCounts: [ClosedRange<Int>] = []
  private(set) var nestedNotifications = 0

  init(of script: Script, on list: some ScriptedList) {
    var calls: [[Int]] = []
    var seats = [Int?](repeating: nil, count: Script.seats)
    var nextNumber = 0
    func perform(_ action: Action) {
      switch action {
      case .add(let seat):
        let number = seats[seat] ?? nextNumber
        if seats[seat] == nil { nextNumber += 1 }
        seats[seat] = number
        list.add(number, isToken: seat % 2 == 1)
      case .remove(let seat): if let number = seats[seat] { list.remove(number) }
      case .kill(let seat): if let number = seats[seat].take() { list.kill(number) }
      case .notify(let event): list.notify(event)
      }
    }
    var nested = 0
    list.onCall = { number, event in
      calls.append([number, event])
      guard calls.count <= script.reactions.count else { return }
      for action in script.reactions[calls.count - 1] {
        if case .notify = action { nested += 1 }
        perform(action)
      }
    }
    for action in script.actions {
      perform(action)
      observed.append(list.isObserved)
      slotCounts.append(list.slotCounts)
    }
    // A round without actions removes all released observers.
    list.onCall = { _, _ in }
    list.notify(0)
    slotCounts.append(list.slotCounts)
    self.calls = calls
    nestedNotifications = nested
  }

  /// Whether this result equals that of the model.
  func agrees(with model: Performance) -> Bool {
    calls == model.calls && observed == model.observed
      && zip(slotCounts, model.slotCounts).allSatisfy { $1.contains($0.lowerBound) }
  }
}

private final class RealList: ScriptedList {
  var onCall: (Int, Int) -> Void = { _, _ in }
  private let list = Observable<Int>()
  private var observers: [Int: Observer] = [:]
  private var tokens: [Int: ObservationToken<Int>] = [:]

  private final class Observer {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  var isObserved: Bool { list.isObserved }
  var slotCounts: ClosedRange<Int> { list.slotCount...list.slotCount }

  func add(_ number: Int, isToken: Bool) {
    if isToken {
      guard tokens[number] == nil else { return }
      tokens[number] = list.observe(rank: rank(of: number)) { [unowned self] in onCall(number, $0) }
    } else {
      let observer = observers[number] ?? Observer(number)
      observers[number] = observer
      list.add(observer, rank: rank(of: number)) { [unowned self] in onCall($0.number, $1) }
    }
  }

  func remove(_ number: Int) {
    if let observer = observers[number] { list.remove(observer) }
    tokens[number]?.cancel()
  }

  func kill(_ number: Int) {
    observers[number] = nil
    tokens[number] = nil
  }

  func notify(_ event: Int) { list.notify(event) }
}

/// The principles of operation, implemented as simply as possible.
private final class NaiveList: ScriptedList {
  var onCall: (Int, Int) -> Void = { _, _ in }
  private var members: [Int] = []
  private var pendingAdds: [Int] = []
  private var pendingRemoves: [Int] = []
  private var tokens: Set<Int> = []
  private var dead: Set<Int> = []
  private var queue: [Int] = []
  private var isNotifying = false

  var isObserved: Bool { members.contains { !dead.contains($0) } }

  /// A released observer that is not a token may stay until the next round.
  var slotCounts: ClosedRange<Int> {
    members.filter { !dead.contains($0) }.count...members.count
  }

  func add(_ number: Int, isToken: Bool) {
    if isToken && !tokens.insert(number).inserted { return }
    let isMember = members.contains(number) && !pendingRemoves.contains(number)
    if isMember || pendingAdds.contains(number) { return }
    if isNotifying { pendingAdds.append(number) } else { insert(number) }
  }

  private func insert(_ number: Int) {
    let index = members.firstIndex { rank(of: $0) > rank(of: number) }
    members.insert(number, at: index ?? members.endIndex)
  }

  func remove(_ number: Int) {
    pendingAdds.removeAll { $0 == number }
    if isNotifying { pendingRemoves.append(number) } else { members.removeAll { $0 == number } }
  }

  func kill(_ number: Int) {
    dead.insert(number)
    if tokens.contains(number) { remove(number) }
  }

  func notify(_ event: Int) {
    queue.append(event)
    guard !isNotifying else { return }
    isNotifying = true
    var seenDead: Set<Int> = []
    while !queue.isEmpty {
      let event = queue.removeFirst()
      seenDead = dead
      for member in members where !pendingRemoves.contains(member) && !dead.contains(member) {
        onCall(member, event)
      }
    }
    members.removeAll { pendingRemoves.contains($0) || seenDead.contains($0) }
    pendingAdds.forEach(insert)
    pendingAdds = []
    pendingRemoves = []
    isNotifying = false
  }
}
