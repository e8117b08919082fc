// Measures a notification in nanoseconds and allocations, by the number of observers, and changes
// of the list of observers in milliseconds. The observers are closures with tokens, and in the
// columns "objects" objects that are not retained. The same run measures Foundation's
// NotificationCenter, OpenCombine's PassthroughSubject, and a list of weak references that is
// copied for each notification. Exits with 1 if a notification allocates or costs more than 0.35 of
// NotificationCenter's (closures), or if a change of 8,000 observers takes more than 5 ms.
import CAllocations
import Foundation
import Observing
import OpenCombine

/// An observer that does almost nothing, so that the cost of the pattern shows.
final class Listener {
  private(set) var sum = 0
  func hear(_ value: Int) { sum &+= value }
}

struct Cost {
  let nanoseconds: Double
  let allocations: Double
}

/// The median of seven samples; each runs the work often enough for the resolution of the clock.
func measure(rounds: Int, _ work: () -> Void) -> Cost {
  for _ in 0..<rounds / 10 + 10 { work() }
  let clock = ContinuousClock()
  var allocations = Int.max
  let samples = (0..<7).map { _ in
    let before = allocations_count()
    let duration = clock.measure { for _ in 0..<rounds { work() } }
    allocations = min(allocations, allocations_count() - before)
    return Double(duration.components.attoseconds) / 1e9 / Double(rounds)
  }
  return Cost(
    nanoseconds: samples.sorted()[3], allocations: Double(allocations) / Double(rounds))
}

/// Closures that tokens keep, as the others have them.
func measureObservable(_ count: Int, rounds: Int) -> Cost {
  let list = Observable<Int>()
  let listeners = (0..<count).map { _ in Listener() }
  let tokens = listeners.map { listener in list.observe { listener.hear($0) } }
  let cost = measure(rounds: rounds) { list.notify(1) }
  precondition(listeners.allSatisfy { $0.sum == listeners[0].sum && $0.sum > 0 })
  withExtendedLifetime(tokens) {}
  return cost
}

/// Objects that are not retained, without tokens.
func measureObjects(_ count: Int, rounds: Int) -> Cost {
  let list = Observable<Int>()
  let listeners = (0..<count).map { _ in Listener() }
  for listener in listeners { list.add(listener) { $0.hear($1) } }
  let cost = measure(rounds: rounds) { list.notify(1) }
  precondition(listeners.allSatisfy { $0.sum == listeners[0].sum && $0.sum > 0 })
  return cost
}

func measureNested(_ count: Int, rounds: Int) -> Cost {
  let list = Observable<Int>()
  let first = Listener()
  let nesting = list.observe { [unowned list] value in
    first.hear(value)
    if value > 0 { list.notify(value - 1) }
  }
  let listeners = (1..<count).map { _ in Listener() }
  let tokens = listeners.map { listener in list.observe { listener.hear($0) } }
  let cost = measure(rounds: rounds) { list.notify(1) }
  precondition(first.sum > 0 && listeners.allSatisfy { $0.sum > 0 })
  withExtendedLifetime((nesting, tokens)) {}
  return cost
}

func measureNotificationCenter(_ count: Int, rounds: Int) -> Cost {
  let center = NotificationCenter()
  let name = Notification.Name("benchmark")
  nonisolated(unsafe) let listeners = (0..<count).map { _ in Listener() }
  let tokens = (0..<count).map { index in
    center.addObserver(forName: name, object: nil, queue: nil) { _ in listeners[index].hear(1) }
  }
  let cost = measure(rounds: rounds) { center.post(name: name, object: nil) }
  withExtendedLifetime(tokens) {}
  return cost
}

func measureSubject(_ count: Int, rounds: Int) -> Cost {
  let subject = PassthroughSubject<Int, Never>()
  let listeners = (0..<count).map { _ in Listener() }
  let subscriptions = listeners.map { listener in
    subject.sink { [weak listener] in listener?.hear($0) }
  }
  let cost = measure(rounds: rounds) { subject.send(1) }
  precondition(listeners.allSatisfy { $0.sum > 0 })
  withExtendedLifetime(subscriptions) {}
  return cost
}

/// A common hand-written pattern: the copy guards against changes of the list during the loop.
func measureCopy(_ count: Int, rounds: Int) -> Cost {
  struct Weak { weak var listener: Listener? }
  let listeners = (0..<count).map { _ in Listener() }
  let all = listeners.map { Weak(listener: $0) }
  let cost = measure(rounds: rounds) {
    for listener in all.compactMap(\.listener) { listener.hear(1) }
  }
  precondition(listeners.allSatisfy { $0.sum > 0 })
  return cost
}

/// The median of seven samples, in milliseconds, of a change to a list that is prepared for each.
func milliseconds<List>(preparing prepare: () -> List, _ change: (List) -> Void) -> Double {
  let clock = ContinuousClock()
  let samples = (0..<7).map { _ in
    let list = prepare()
    let duration = clock.measure { change(list) }
    return Double(duration.components.attoseconds) / 1e15
  }
  return samples.sorted()[3]
}

/// The cost of changing a list of observers, by the kind of change,
/// compared with NotificationCenter's.
func measureChanges(_ count: Int) -> [(name: String, ours: Double, center: Double?)] {
  let listeners = (0..<count).map { _ in Listener() }
  func filled() -> Observable<Int> {
    let list = Observable<Int>()
    for listener in listeners { list.add(listener) { $0.hear($1) } }
    return list
  }
  let name = Notification.Name("benchmark")
  func filledCenter() -> (NotificationCenter, [any NSObjectProtocol]) {
    let center = NotificationCenter()
    return (
      center,
      listeners.map { _ in center.addObserver(forName: name, object: nil, queue: nil) { _ in } }
    )
  }
  /// Changes the list from within a round.
  func withinARound(_ list: Observable<Int>, _ change: () -> Void) {
    let changer = Listener()
    withoutActuallyEscaping(change) { change in
      list.add(changer) { _, event in if event == 1 { change() } }
      list.notify(1)
      list.remove(changer)
    }
  }
  return [
    (
      "added",
      milliseconds(preparing: { Observable<Int>() }) { list in
        for listener in listeners { list.add(listener) { $0.hear($1) } }
      },
      milliseconds(preparing: { NotificationCenter() }) { center in
        for _ in listeners {
          _ = center.addObserver(forName: name, object: nil, queue: nil) { _ in }
        }
      }
    ),
    (
      "removed",
      milliseconds(preparing: filled) { list in
        for listener in listeners { list.remove(listener) }
      },
      milliseconds(preparing: filledCenter) { center, tokens in
        for token in tokens { center.removeObserver(token) }
      }
    ),
    (
      "removed, the last first",
      milliseconds(preparing: filled) { list in
        for listener in listeners.reversed() { list.remove(listener) }
      },
      milliseconds(preparing: filledCenter) { center, tokens in
        for token in tokens.reversed() { center.removeObserver(token) }
      }
    ),
    (
      "added within a round",
      milliseconds(preparing: { Observable<Int>() }) { list in
        withinARound(list) { for listener in listeners { list.add(listener) { $0.hear($1) } } }
      }, nil
    ),
    (
      "removed within a round",
      milliseconds(preparing: filled) { list in
        withinARound(list) { for listener in listeners { list.remove(listener) } }
      }, nil
    ),
    ("tokens dropped", measureDroppedTokens(count), nil),
  ]
}

/// Tokens that are released while no notification is sent.
func measureDroppedTokens(_ count: Int) -> Double {
  final class Tokens {
    let list = Observable<Int>()
    var all: [ObservationToken<Int>] = []
    init(_ count: Int) { all = (0..<count).map { _ in list.observe { _ in } } }
  }
  return milliseconds(preparing: { Tokens(count) }) { tokens in
    tokens.all = []
    precondition(!tokens.list.isObserved)
  }
}

func column(_ value: Double) -> String {
  let text = String(format: value < 10 ? "%.2f" : "%.0f", value)
  return String(repeating: " ", count: max(0, 12 - text.count)) + text
}

let columns = [
  "Observable", "allocs", "nested", "allocs", "objects", "allocs", "NotifCenter", "allocs", "ratio", "OpenCombine",
  "allocs", "copied list", "allocs",
]
print("n\t" + columns.map { String(repeating: " ", count: 12 - $0.count) + $0 }.joined())
var misses: [String] = []
for (count, rounds) in [(1, 400_000), (10, 100_000), (100, 20_000), (1_000, 2_000)] {
  let ours = measureObservable(count, rounds: rounds)
  let nested = measureNested(count, rounds: rounds)
  let objects = measureObjects(count, rounds: rounds)
  let center = measureNotificationCenter(count, rounds: rounds)
  let subject = measureSubject(count, rounds: rounds)
  let copied = measureCopy(count, rounds: rounds)
  let ratio = ours.nanoseconds / center.nanoseconds
  if [ours, nested, objects].contains(where: { $0.allocations > 0 }) { misses.append("\(count): allocates") }
  if ratio > 0.35 { misses.append("\(count): \(ratio) of NotificationCenter") }
  let numbers = [
    ours.nanoseconds, ours.allocations, nested.nanoseconds, nested.allocations,
    objects.nanoseconds, objects.allocations, center.nanoseconds, center.allocations, ratio, subject.nanoseconds, subject.allocations,
    copied.nanoseconds, copied.allocations,
  ]
  print("\(count)\t" + numbers.map(column).joined())
}

let changed = 8_000
let head = "8,000 observers, in ms".padding(toLength: 34, withPad: " ", startingAt: 0)
print("\n\(head)Observable NotifCenter")
for change in measureChanges(changed) {
  let name = change.name.padding(toLength: 32, withPad: " ", startingAt: 0)
  print(name + column(change.ours) + (change.center.map(column) ?? ""))
  if change.ours > 5 { misses.append("\(changed) \(change.name): \(change.ours) ms") }
}
for miss in misses { print("missed with \(miss)") }
exit(misses.isEmpty ? 0 : 1)
