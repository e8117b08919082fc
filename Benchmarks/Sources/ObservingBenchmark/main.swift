// What a notification costs, in nanoseconds and in allocations, by the number of observers; beside
// it, in the same run, Foundation's NotificationCenter, OpenCombine's PassthroughSubject, and a list
// of weak references that is copied for each notification. Exits with 1 if a notification allocates,
// or costs more than 0.35 of NotificationCenter's with one observer or 0.5 with more.
import CAllocations
import Foundation
import Observing
import OpenCombine

/// As small as an observer can be, so that the pattern's own cost shows.
final class Listener {
  private(set) var sum = 0
  func hear(_ value: Int) { sum &+= value }
}

struct Cost {
  let nanoseconds: Double
  let allocations: Double
}

/// The median of seven samples of a piece of work, each long enough for the clock.
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

func measureObservable(_ count: Int, rounds: Int) -> Cost {
  let observable = Observable<Int>()
  let listeners = (0..<count).map { _ in Listener() }
  for listener in listeners { observable.add(listener) { $0.hear($1) } }
  let cost = measure(rounds: rounds) { observable.notify(1) }
  precondition(listeners.allSatisfy { $0.sum == listeners[0].sum && $0.sum > 0 })
  return cost
}

func measureNested(_ count: Int, rounds: Int) -> Cost {
  let observable = Observable<Int>()
  let first = Listener()
  observable.add(first) { [unowned observable] listener, value in
    listener.hear(value)
    if value > 0 { observable.notify(value - 1) }
  }
  let listeners = (1..<count).map { _ in Listener() }
  for listener in listeners { observable.add(listener) { $0.hear($1) } }
  let cost = measure(rounds: rounds) { observable.notify(1) }
  precondition(first.sum > 0 && listeners.allSatisfy { $0.sum > 0 })
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

/// What is mostly written by hand: a copy guards against changes of the list on the way.
func measureCopy(_ count: Int, rounds: Int) -> Cost {
  struct Weak { weak var listener: Listener? }
  let listeners = (0..<count).map { _ in Listener() }
  let list = listeners.map { Weak(listener: $0) }
  let cost = measure(rounds: rounds) {
    for listener in list.compactMap(\.listener) { listener.hear(1) }
  }
  precondition(listeners.allSatisfy { $0.sum > 0 })
  return cost
}

func column(_ value: Double) -> String {
  let text = String(format: value < 10 ? "%.2f" : "%.0f", value)
  return String(repeating: " ", count: max(0, 12 - text.count)) + text
}

let columns = [
  "Observable", "allocs", "nested", "allocs", "NotifCenter", "allocs", "ratio", "OpenCombine",
  "allocs", "copied list", "allocs",
]
print("n\t" + columns.map { String(repeating: " ", count: 12 - $0.count) + $0 }.joined())
var misses: [String] = []
for (count, rounds) in [(1, 400_000), (10, 100_000), (100, 20_000), (1_000, 2_000)] {
  let ours = measureObservable(count, rounds: rounds)
  let nested = measureNested(count, rounds: rounds)
  let center = measureNotificationCenter(count, rounds: rounds)
  let subject = measureSubject(count, rounds: rounds)
  let copied = measureCopy(count, rounds: rounds)
  let ratio = ours.nanoseconds / center.nanoseconds
  if ours.allocations > 0 || nested.allocations > 0 { misses.append("\(count): allocates") }
  if ratio > (count == 1 ? 0.35 : 0.5) { misses.append("\(count): \(ratio) of NotificationCenter") }
  let numbers = [
    ours.nanoseconds, ours.allocations, nested.nanoseconds, nested.allocations,
    center.nanoseconds, center.allocations, ratio, subject.nanoseconds, subject.allocations,
    copied.nanoseconds, copied.allocations,
  ]
  print("\(count)\t" + numbers.map(column).joined())
}
for miss in misses { print("missed with \(miss)") }
exit(misses.isEmpty ? 0 : 1)
