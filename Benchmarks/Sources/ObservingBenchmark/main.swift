// What a notification costs, in nanoseconds and in allocations, by the number of observers; beside
// it Foundation's NotificationCenter, in the same run. Exits with 1 if a notification allocates.
import CAllocations
import Foundation
import Observing

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

func column(_ value: Double) -> String {
  let text = String(format: "%.1f", value)
  return String(repeating: " ", count: max(0, 12 - text.count)) + text
}

let columns = ["Observable", "allocs", "nested", "allocs", "NotifCenter", "allocs", "ratio"]
print("n\t" + columns.map { String(repeating: " ", count: 12 - $0.count) + $0 }.joined())
var allocated = false
for (count, rounds) in [(1, 400_000), (10, 100_000), (100, 20_000), (1_000, 2_000)] {
  let ours = measureObservable(count, rounds: rounds)
  let nested = measureNested(count, rounds: rounds)
  let theirs = measureNotificationCenter(count, rounds: rounds)
  allocated = allocated || ours.allocations > 0 || nested.allocations > 0
  let numbers = [
    ours.nanoseconds, ours.allocations, nested.nanoseconds, nested.allocations,
    theirs.nanoseconds, theirs.allocations, ours.nanoseconds / theirs.nanoseconds,
  ]
  print("\(count)\t" + numbers.map(column).joined())
}
if allocated { print("a notification allocates") }
exit(allocated ? 1 : 0)
