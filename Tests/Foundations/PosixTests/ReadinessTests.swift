import Glibc
import SystemPackage
import Testing
import Time

@testable import Posix

@Suite(.timeLimit(.minutes(30))) struct ReadinessTests {
  private let pipe: WakePipe

  init() throws { pipe = try WakePipe() }

  @Test func `What is ready is reported at once, with and without a deadline`() {
    pipe.wake()
    #expect(pipe.reader.wait(for: .reading, until: nil) == .readable)
    #expect(pipe.reader.wait(for: .reading, until: .now + .seconds(3_600)) == .readable)
    #expect(pipe.reader.wait(for: .reading, until: MonotonicTime(nanoseconds: .max)) == .readable)
  }

  @Test func `Only the events of the interest are waited for`() throws {
    let ends = try FileDescriptor.pipe()
    let reader = OwnedDescriptor(ends.readEnd)
    let writer = OwnedDescriptor(ends.writeEnd)
    #expect(writer.borrowed.wait(for: .writing, until: nil) == .writable)
    #expect(writer.borrowed.wait(for: .reading, until: .now + .milliseconds(1)) == [])
    _ = consume reader
    #expect(writer.borrowed.wait(for: .hangUp, until: nil) == .hungUp)
  }

  @Test func `The wait does not end before the deadline`() {
    for nanoseconds in [1, 999_999, 1_000_001, 20_500_000] {
      let deadline = MonotonicTime.now + .nanoseconds(nanoseconds)
      #expect(pipe.reader.wait(for: .reading, until: deadline) == [])
      #expect(MonotonicTime.now >= deadline)
    }
  }

  @Test func `After the deadline nothing is ready`() {
    pipe.wake()
    #expect(pipe.reader.wait(for: .reading, until: .now) == [])
    #expect(pipe.reader.wait(for: .reading, until: MonotonicTime(nanoseconds: .min)) == [])
  }

  @Test func `A descriptor that is not open is not waited for`() {
    #expect(FileDescriptor(rawValue: 1 << 20).wait(for: .reading, until: nil) == .hungUp)
  }

  @Test func `A signal does not end the wait`() throws {
    let old = signal(SIGURG) { _ in }
    defer { signal(SIGURG, old) }
    let waiting = pthread_self()
    let deadline = MonotonicTime.now + .milliseconds(100)
    try DetachedThread.run {
      while MonotonicTime.now + .milliseconds(10) < deadline {
        pthread_kill(waiting, SIGURG)
        sched_yield()
      }
    }
    #expect(pipe.reader.wait(for: .reading, until: deadline) == [])
    #expect(MonotonicTime.now >= deadline)
  }
}
