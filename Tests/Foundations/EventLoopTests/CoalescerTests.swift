import Testing
import Time

@testable import EventLoop

@Suite(.timeLimit(.minutes(30))) struct CoalescerTests {
  private let loop: IOLoop

  init() throws { loop = try IOLoop() }

  private func turn() throws { try loop.turn(waitingAtMost: .zero) }

  @Test func manyRequests_areOneRun_atTheEndOfTheTurn() throws {
    var runs = 0
    let coalescer = Coalescer(on: loop) { runs += 1 }
    for _ in 0..<1_000 { coalescer.post() }
    #expect(runs == 0)
    try turn()
    #expect(runs == 1)
    try turn()
    #expect(runs == 1)
    coalescer.post()
    try turn()
    #expect(runs == 2, "without an interval, once a turn")
  }

  @Test func requestsWithinTheInterval_leadToARunAfterIt() throws {
    var runs: [MonotonicTime] = []
    let coalescer = Coalescer(on: loop, interval: .milliseconds(20)) { runs.append(.now) }
    let start = MonotonicTime.now
    var posts = 0
    while MonotonicTime.now < start + .milliseconds(200) {
      coalescer.post()
      posts += 1
      try turn()
    }
    let last = MonotonicTime.now
    coalescer.post()
    while let run = runs.last, run < last, .now < last + .seconds(10) {
      try loop.turn(waitingAtMost: .seconds(1))
    }
    #expect(runs.last.map { $0 >= last } == true, "the last request leads to a run")
    #expect(zip(runs, runs.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(20) })
    #expect(runs.count > 1 && runs.count < posts)
  }

  @Test func urgentRequest_doesNotWait_andTakesTheWaitingOneWithIt() throws {
    var runs = 0
    let coalescer = Coalescer(on: loop, interval: .seconds(600)) { runs += 1 }
    coalescer.post()
    try turn()
    coalescer.post()
    try turn()
    #expect(runs == 1)
    coalescer.post(isUrgent: true)
    try turn()
    #expect(runs == 2)
  }

  @Test func requestInsideARun_leadsToAnotherRun() throws {
    var runs = 0
    var coalescer: Coalescer!
    coalescer = Coalescer(on: loop) { [unowned loop] in
      _ = loop
      runs += 1
      if runs < 3 { coalescer.post() }
    }
    coalescer.post()
    for _ in 0..<5 { try turn() }
    #expect(runs == 3)
    coalescer = nil
  }

  @Test func cancelledRequest_andReleasedCoalescer_runNothing() throws {
    var runs = 0
    var coalescer: Coalescer? = Coalescer(on: loop) { runs += 1 }
    coalescer?.post()
    coalescer?.cancel()
    try turn()
    coalescer?.post()
    coalescer = nil
    try turn()
    #expect(runs == 0)
  }
}
