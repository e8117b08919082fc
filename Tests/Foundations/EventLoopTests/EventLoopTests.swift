import CSerial
import Glibc
import Posix
import SystemPackage
import Testing
import Time

@testable import EventLoop

/// Runs turns until a condition is met. A deadline, not a sleep, ends a test that hangs.
private func run(
  _ loop: IOLoop, until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let deadline = MonotonicTime.now + .seconds(60)
  while !condition() {
    guard MonotonicTime.now < deadline else {
      Issue.record("nothing came within 60 s", sourceLocation: sourceLocation)
      return
    }
    try loop.turn(waitingAtMost: .milliseconds(100))
  }
}

/// A pipe that closes its ends when it is released.
private final class Pipe {
  let reading: FileDescriptor
  private(set) var writing: FileDescriptor?

  init() throws {
    let ends = try FileDescriptor.pipe()
    (reading, writing) = (ends.readEnd, ends.writeEnd)
  }

  func write(_ text: String) throws { try writing?.writeAll(text.utf8) }

  func closeWriting() throws {
    try writing?.close()
    writing = nil
  }

  deinit {
    try? writing?.close()
    try? reading.close()
  }
}

@Suite(.timeLimit(.minutes(30))) struct EventLoopTests {
  private let loop: IOLoop
  private let pipe: Pipe
  private let other: Pipe

  init() throws {
    loop = try IOLoop()
    pipe = try Pipe()
    other = try Pipe()
  }

  // MARK: Descriptors

  @Test func veryDistantTimes_areWaitedFor() throws {
    let loop = try IOLoop()
    let timer = loop.schedule(after: .seconds(Int64.max)) { Issue.record("it is due") }
    let pipe = try Pipe()
    var isReadable = false
    let watch = try loop.watch(pipe.reading, for: .reading) { _ in isReadable = true }
    try pipe.write("x")
    try loop.turn(waitingAtMost: .seconds(Int64.max))
    #expect(isReadable)
    withExtendedLifetime((timer, watch)) {}
  }

  @Test func watch_tellsReadable_everyTurn_untilItIsRead() throws {
    var seen: [Readiness] = []
    let watch = try loop.watch(pipe.reading, for: .reading) { seen.append($0) }
    try pipe.write("x")
    try run(loop) { seen.count == 2 }
    #expect(seen == [.readable, .readable])
    watch.cancel()
  }

  @Test func `Keys and signals come first in a turn, however much is ready`() throws {
    var order: [Int] = []
    var pipes: [Pipe] = []
    var watches: [DescriptorWatch] = []
    // More than one wait returned at the start.
    for number in 0..<200 {
      let pipe = try Pipe()
      try pipe.write("x")
      pipes.append(pipe)
      watches.append(try loop.watch(pipe.reading, for: .reading) { _ in order.append(number) })
    }
    watches.append(
      try loop.watch(pipe.reading, for: .reading, isUrgent: true) { _ in order.append(-1) })
    try pipe.write("q")
    for _ in 0..<3 {
      order = []
      try loop.turn(waitingAtMost: .seconds(5))
      #expect(order.first == -1)
      #expect(Set(order).count == 201)
    }
    for watch in watches { watch.cancel() }
  }

  @Test func watch_tellsHangUp_withTheBytesThatAreLeft() throws {
    var seen: Readiness = []
    let watch = try loop.watch(pipe.reading, for: .reading) { seen = $0 }
    try pipe.write("x")
    try pipe.closeWriting()
    try run(loop) { seen != [] }
    #expect(seen == [.readable, .hungUp])
    watch.cancel()
  }

  @Test func emptyInterest_getsNoEvents_notEvenAHangUp() throws {
    var calls = 0
    let watch = try loop.watch(pipe.reading, for: []) { _ in calls += 1 }
    try pipe.closeWriting()
    try loop.turn(waitingAtMost: .zero)
    #expect(calls == 0)
    watch.setInterest(.reading)
    try run(loop) { calls > 0 }
    watch.setInterest([])
    calls = 0
    try loop.turn(waitingAtMost: .zero)
    #expect(calls == 0)
  }

  @Test func cancelledInTheSameTurn_isNotCalled() throws {
    let other = try Pipe()
    var calls = 0
    var watches: [DescriptorWatch] = []
    for pipe in [pipe, other] {
      watches.append(
        try loop.watch(pipe.reading, for: .reading) { _ in
          calls += 1
          for watch in watches { watch.cancel() }
        })
      try pipe.write("x")
    }
    try run(loop) { calls > 0 }
    try loop.turn(waitingAtMost: .zero)
    #expect(calls == 1)
  }

  @Test func `An event of the present turn is masked by the interest of now`() throws {
    try pipe.write("x")
    try other.write("x")
    var watches: [DescriptorWatch] = []
    var seen: [Readiness] = []
    for pipe in [pipe, other] {
      watches.append(
        try loop.watch(pipe.reading, for: .reading) {
          seen.append($0)
          for watch in watches { watch.setInterest([]) }
        })
    }
    try run(loop) { !seen.isEmpty }
    try loop.turn(waitingAtMost: .zero)
    #expect(seen == [.readable])

    try pipe.closeWriting()
    try other.closeWriting()
    seen = []
    for watch in watches { watch.setInterest(.reading) }
    loop.atEndOfTurn { for watch in watches { watch.setInterest(.reading) } }
    try run(loop) { !seen.isEmpty }
    #expect(seen == [[.readable, .hungUp]])
  }

  @Test func `A number that a new descriptor takes over in the turn brings it no old event`()
    throws
  {
    let next = try Pipe()
    let numbers = try [pipe, other].map { try $0.reading.duplicate() }
    defer { for number in numbers { try? number.close() } }
    try pipe.write("x")
    try other.write("x")
    var watches: [DescriptorWatch] = []
    var events: [String] = []
    for (number, peer) in [(numbers[0], numbers[1]), (numbers[1], numbers[0])] {
      watches.append(
        try loop.watch(number, for: .reading) { [loop] _ in
          events.append("old")
          for watch in watches { watch.cancel() }
          _ = try! next.reading.duplicate(as: peer)
          watches = [try! loop.watch(peer, for: .reading) { _ in events.append("new") }]
        })
    }
    try run(loop) { !events.isEmpty }
    #expect(events == ["old"])
    try next.write("x")
    try run(loop) { events.count > 1 }
    #expect(events == ["old", "new"])
    for watch in watches { watch.cancel() }
  }

  @Test func `An interest that finds no memory is registered later`() throws {
    var failures = 0
    let loop = try IOLoop(clock: { .now }) {
      guard failures == 0 else {
        failures -= 1
        errno = ENOSPC
        return -1
      }
      return epoll_ctl($0, $1, $2, &$3)
    }
    var seen: Readiness = []
    failures = 1
    #expect(throws: Errno.noSpace) { try loop.watch(pipe.reading, for: .reading) { seen = $0 } }
    let watch = try loop.watch(pipe.reading, for: []) { seen = $0 }
    try pipe.write("x")
    failures = 2
    watch.setInterest(.reading)
    #expect(watch.interest == .reading)
    try loop.turn(waitingAtMost: .zero)
    #expect(failures == 0 && seen == [])
    // Without anything else to wait for, the loop tries again by itself.
    try loop.turn()
    if seen == [] { try loop.turn() }
    #expect(seen == .readable)
  }

  @Test func watchEndsWithItsToken() throws {
    final class Owned {}
    var calls = 0
    var owned: Owned? = Owned()
    weak let kept = owned
    var watch: DescriptorWatch? = try loop.watch(pipe.reading, for: .reading) { [owned] _ in
      _ = owned
      calls += 1
    }
    owned = nil
    try pipe.write("x")
    try run(loop) { calls == 1 }
    #expect(watch != nil && kept != nil)
    watch = nil
    #expect(kept == nil)
    try loop.turn(waitingAtMost: .zero)
    #expect(calls == 1)
  }

  @Test func regularFile_countsAsAlwaysReady() throws {
    let file = try FileDescriptor.open("/proc/self/exe", .readOnly)
    defer { try? file.close() }
    var seen: Readiness = []
    let watch = try loop.watch(file, for: .reading) { seen = $0 }
    try run(loop) { seen != [] }
    #expect(seen == .readable)
    watch.setInterest([])
    seen = []
    try loop.turn(waitingAtMost: .zero)
    #expect(seen == [])
  }

  @Test func regularFile_watchedOnlyForAHangUp_causesNoWakeupsAfterItsRemoval() throws {
    let file = try FileDescriptor.open("/proc/self/exe", .readOnly)
    defer { try? file.close() }
    let ends: [(DescriptorWatch) -> Void] = [{ $0.setInterest([]) }, { $0.cancel() }]
    for end in ends {
      var calls = 0
      let watch = try loop.watch(file, for: .hangUp) { _ in calls += 1 }
      end(watch)
      let start = MonotonicTime.now
      try loop.turn(waitingAtMost: .milliseconds(20))
      #expect(MonotonicTime.now - start >= .milliseconds(20))
      #expect(calls == 0)
    }
  }

  @Test func closedDescriptor_isRefused() throws {
    #expect(throws: Errno.badFileDescriptor) {
      try loop.watch(FileDescriptor(rawValue: 9_999), for: .reading) { _ in }
    }
  }

  // MARK: Timers

  @Test func timersAreCalledOnce_inTheOrderOfTheirDeadlines_neverEarly() throws {
    let start = MonotonicTime.now
    var order: [Int] = []
    let timers = [
      loop.schedule(after: .milliseconds(20)) { order.append(20) },
      loop.schedule(after: .milliseconds(5)) { order.append(5) },
      loop.schedule(after: .zero) { order.append(0) },
    ]
    try run(loop) { order.count == 3 }
    #expect(order == [0, 5, 20])
    #expect(MonotonicTime.now - start >= .milliseconds(20))
    try loop.turn(waitingAtMost: .zero)
    #expect(order.count == 3)
    withExtendedLifetime(timers) {}
  }

  @Test func timers_followTheClockOfTheLoop() throws {
    var now = MonotonicTime(nanoseconds: 5)
    let loop = try IOLoop(clock: { now })
    var calls = 0
    let timer = loop.schedule(after: .seconds(3_600)) { calls += 1 }
    try loop.turn(waitingAtMost: .zero)
    #expect(calls == 0)
    now = now + .seconds(3_600)
    #expect(loop.now == now)
    try loop.turn()
    #expect(calls == 1)
    withExtendedLifetime(timer) {}
  }

  @Test func timersOfTheSameDeadline_areCalledInTheOrderOfScheduling() {
    var queue = TimerQueue()
    var order: [Int] = []
    let now = MonotonicTime.now
    for number in 0..<4 { _ = queue.insert(deadline: now) { order.append(number) } }
    while let handler = queue.popDue(at: now, scheduledBefore: queue.nextID) { handler() }
    #expect(order == [0, 1, 2, 3])
  }

  @Test func turn_waitsUntilTheTimerIsDue_alsoAFractionOfAMillisecond() throws {
    var calls = 0
    let timer = loop.schedule(after: .microseconds(1_900)) { calls += 1 }
    try loop.turn()
    #expect(calls == 1, "a turn that ends before the deadline only costs time")
    withExtendedLifetime(timer) {}
  }

  @Test func cancelledTimer_isNotCalled() throws {
    var calls = 0
    let cancelled = loop.schedule(after: .milliseconds(1)) { calls += 1 }
    cancelled.cancel()
    var done = false
    let marker = loop.schedule(after: .milliseconds(2)) { done = true }
    try run(loop) { done }
    #expect(calls == 0)
    withExtendedLifetime(marker) {}
  }

  @Test func timerThatSchedulesItselfAgain_leavesOthersTheirTurn() throws {
    var calls = 0
    var timer: LoopTimer?
    func again() {
      calls += 1
      // Already overdue, like a deadline that has passed.
      if calls < 1_000 { timer = loop.schedule(after: .seconds(-1), again) }
    }
    timer = loop.schedule(after: .zero, again)
    try loop.turn(waitingAtMost: .zero)
    #expect(calls == 1)
    try loop.turn(waitingAtMost: .zero)
    #expect(calls == 2)
    withExtendedLifetime(timer) {}
  }

  /// The process is stopped at each place in a turn where the clock is read, and a byte arrives at
  /// that moment. The timer is due when the process goes on.
  @Test(arguments: 1...12)
  func `What arrived during a stop of the process comes before timers`(place: Int) throws {
    var now = MonotonicTime(nanoseconds: 5)
    var readings = 0
    var stop = {}
    let loop = try IOLoop(clock: {
      readings += 1
      if readings == place { stop() }
      return now
    })
    var order: [String] = []
    let watches = try [
      loop.watch(pipe.reading, for: .reading) { _ in
        order.append("byte")
        var byte: UInt8 = 0
        withUnsafeMutableBytes(of: &byte) { _ = try? pipe.reading.readAvailable(into: $0) }
      },
      // It keeps the turns short, and is a place for a stop too.
      loop.watch(other.reading, for: .reading) { _ in _ = loop.now },
    ]
    try other.write("x")
    let timer = loop.schedule(after: .seconds(1)) { order.append("timer") }
    readings = 0
    stop = {
      now = now + .seconds(2)
      try? pipe.write("x")
    }
    try run(loop) { order.count == 2 }
    #expect(order == ["byte", "timer"])
    withExtendedLifetime((timer, watches)) {}
  }

  // MARK: Turns

  @Test func endOfTurn_comesAfterAllThatIsReady() throws {
    let other = try Pipe()
    var order: [String] = []
    let watches = try [pipe, other].map { pipe in
      try loop.watch(pipe.reading, for: .reading) { _ in
        order.append("ready")
        loop.atEndOfTurn { order.append("end") }
      }
    }
    try pipe.write("x")
    try other.write("x")
    try run(loop) { !order.isEmpty }
    #expect(order == ["ready", "ready", "end", "end"])
    withExtendedLifetime(watches) {}
  }

  @Test func run_returns_whenAHandlerStopsIt() throws {
    let timer = loop.schedule(after: .zero) { loop.stop() }
    try loop.run()
    withExtendedLifetime(timer) {}
  }

  @Test func signal_arrivesAsAnEvent() throws {
    var heard: [CInt] = []
    let watch = try loop.watchSignals([SIGUSR2]) { heard.append($0) }
    // Sent to this thread, which blocks it. It would end another thread of the test runner, and
    // so the process.
    pthread_kill(pthread_self(), SIGUSR2)
    try run(loop) { !heard.isEmpty }
    #expect(heard == [SIGUSR2])
    withExtendedLifetime(watch) {}
  }

  @Test func signalThatIsIgnored_staysIgnored() throws {
    signal(SIGUSR1, SIG_IGN)
    defer { signal(SIGUSR1, SIG_DFL) }
    var heard: [CInt] = []
    let watch = try loop.watchSignals([SIGUSR1, SIGUSR2]) { heard.append($0) }
    pthread_kill(pthread_self(), SIGUSR1)
    pthread_kill(pthread_self(), SIGUSR2)
    try run(loop) { heard.contains(SIGUSR2) }
    #expect(heard == [SIGUSR2])
    withExtendedLifetime(watch) {}
  }
}
