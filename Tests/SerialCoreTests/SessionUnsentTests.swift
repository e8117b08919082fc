import Glibc
import Posix
import SystemPackage
import TestSupport
import Testing
import Time

@testable import SerialCore

/// Unsent bytes: the session waits for them, or counts them.
@Suite struct SessionUnsentTests {
  private let bench = Bench()
  private var session: Session { bench.session }
  private let path = Endpoint.tty("/dev/ttyTEST")

  // MARK: Counting

  @Test func close_returnsTheBytesOfTheQueueAndTheDriver() throws {
    bench.appetite = 2
    try session.open(path)
    try session.write([1, 2, 3, 4, 5])
    bench.link.unsentByteCount = 2
    #expect(session.close() == .done(discarded: [.program: 5]))
    #expect(session.close() == .done(discarded: [:]))
  }

  @Test func aVetoedClose_discardsNothing() throws {
    bench.appetite = 0
    let guardian = Guard()
    session.delegate = guardian
    try session.open(path)
    try session.write([1, 2, 3])
    #expect(session.close() == .refused)
    #expect(session.queuedByteCount == 3)
  }

  @Test func close_ofASessionThatLostItsDevice_returnsTheUnsentBytes() throws {
    let bench = Bench(waits: false)
    bench.appetite = 2
    try bench.session.open(path)
    try bench.session.write([1, 2, 3, 4, 5])
    bench.session.hangUp()
    #expect(bench.session.close() == .done(discarded: [.program: 3]))
  }

  @Test func release_returnsTheDriversBytes_andKeepsTheQueue() throws {
    bench.appetite = 2
    try session.open(path)
    try session.write([1, 2, 3, 4, 5])
    bench.link.unsentByteCount = 2
    #expect(session.release() == .done(discarded: [.program: 2]))
    #expect(session.queuedByteCount == 3)
  }

  @Test func `What a lost link had taken is counted once, and the queue goes on`() throws {
    bench.appetite = 2
    session.waitsForLostDevice = true
    try session.open(path)
    try session.write([1, 2, 3, 4, 5])
    bench.link.unsentByteCount = 2
    bench.session.hangUp()
    #expect(session.takeUnsentOfLostLink() == [.program: 2])
    #expect(session.takeUnsentOfLostLink() == [:])
    #expect(session.queuedByteCount == 3)
  }

  @Test func `What a lost link had taken is among what is discarded`() throws {
    bench.appetite = 2
    try session.open(path)
    try session.write([1, 2, 3, 4, 5])
    bench.link.unsentByteCount = 2
    bench.session.hangUp()
    #expect(session.discardUnsent() == [.program: 5])
  }

  @Test func discardUnsent_emptiesTheQueueAndTheDriver_andKeepsThePortOpen() throws {
    bench.appetite = 2
    try session.open(path)
    try session.write([1, 2, 3, 4, 5])
    bench.link.unsentByteCount = 2
    #expect(session.discardUnsent() == [.program: 5])
    #expect(session.unsentByteCount == 0)
    #expect(session.state.isOpen)
  }

  @Test func bytesWrittenAfterReopening_areNotDiscarded() throws {
    bench.appetite = 0
    try session.open(path)
    try session.write([1, 2, 3])
    bench.witness.onState = { session, state in
      guard case .closed = state else { return }
      try? session.open(.tty("/dev/ttyNEXT"))
      try? session.write([4])
    }
    #expect(session.close() == .done(discarded: [.program: 3]))
    #expect(session.queuedByteCount == 1)
  }

  // MARK: Waiting

  private static let data = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  private func open(_ pty: Pty) throws -> Session {
    let session = Session(settings: LineSettings())
    try session.open(.tty(pty.path))
    return session
  }

  @Test func closedImmediately_itReturnsExactlyTheMissingBytes() throws {
    let pty = try Pty()
    let session = try open(pty)
    try session.write(Self.data)
    let closing = session.close()
    let arrived = pty.readWhatIsThere()
    #expect(arrived.count < Self.data.count, "else nothing is shown")
    #expect(arrived == Array(Self.data[..<arrived.count]))
    #expect(closing == .done(discarded: [.program: Self.data.count - arrived.count]))
  }

  @Test func drainedFirst_everythingArrives() throws {
    let pty = try Pty()
    let session = try open(pty)
    let reader = SlowReader(of: pty, count: Self.data.count)
    try session.write(Self.data)
    #expect(session.drain(atMost: .seconds(20)) == 0)
    #expect(session.close() == .done(discarded: [:]))
    #expect(reader.data == Self.data)
  }

  @Test func drain_returnsTheUnsentBytes_whenTheLimitIsReached() throws {
    let pty = try Pty()
    let session = try open(pty)
    try session.write(Self.data)
    let left = session.drain(atMost: .milliseconds(50))
    #expect(left == session.unsentByteCount)
    #expect(left > 0)
    #expect(session.close() == .done(discarded: [.program: left]))
  }

  @Test func drain_ends_whenTheDeviceGoes() throws {
    let pty = try Pty()
    let session = try open(pty)
    try session.write(Self.data)
    pty.hangUp()
    #expect(session.drain(atMost: .seconds(20)) == session.queuedByteCount)
    #expect(!session.state.isOpen)
  }

  @Test func drain_waitsForTheDriver_whichTellsNothing() throws {
    try session.open(path)
    bench.link.unsentByteCount = 20
    bench.link.drainRate = 1
    #expect(session.drain(atMost: .seconds(20)) == 0)
    #expect(session.close() == .done(discarded: [:]))
  }
}

/// Reads a pseudo-terminal's far end on a thread, so slowly that its buffer stays full.
private final class SlowReader {
  private let received = Guarded<[UInt8]>([])
  private let count: Int

  init(of pty: Pty, count: Int) {
    self.count = count
    let (master, received) = (pty.master, received)
    try? DetachedThread.run {
      var total = 0
      while total < count {
        usleep(200)
        var chunk = [UInt8](repeating: 0, count: 1_024)
        let size = read(master, &chunk, chunk.count)
        guard size > 0 else { return }
        total += size
        received.withLock { [chunk] in $0 += chunk[..<size] }
      }
    }
  }

  /// All bytes, or those that arrived within the time limit.
  var data: [UInt8] {
    received.wait(until: .now + .seconds(60)) { [count] in $0.count >= count }
    return received.withLock { $0 }
  }
}
