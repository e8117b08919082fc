import NetworkLinks
import Posix
import SerialCore
import SystemPackage
import Telnet
import TestSupport
import Testing

@testable import Sessions

/// What a member learns of its bytes in the queue of the session's owner.
@Suite(.timeLimit(.minutes(30))) struct SentCheckTests {
  private func begin(
    isJoined: Bool = true, home: String? = nil
  ) throws -> (SharingBench, SharingBench.Viewer, SentCheck) {
    let bench = try SharingBench(home: home)
    let anna = try isJoined ? bench.viewer(named: "anna") : bench.person(isReadOnly: false)
    anna.controller.userSharing.control.takePen()
    #expect(try bench.wait { anna.sharing.pen == .mine })
    bench.link.appetite = 0
    return (bench, anna, SentCheck(of: anna.controller))
  }

  /// Lets the device take bytes.
  private func accept(_ count: Int, _ bench: SharingBench) {
    bench.link.appetite = count
    bench.controller.session.handle(.writable)
  }

  private func queued(_ bench: SharingBench) -> Int { bench.controller.session.queuedByteCount }

  @Test(arguments: [true, false]) func `What waits at the owner waits for the member`(
    isJoined: Bool
  ) throws {
    let (bench, anna, check) = try begin(isJoined: isJoined)
    #expect(!check.isWaiting())
    anna.type("status\r")
    check.didWrite()
    #expect(try bench.wait { queued(bench) == 7 })
    try bench.settle()
    #expect(anna.controller.session.queuedByteCount == 0)
    #expect(check.isWaiting())
    accept(6, bench)
    try bench.settle()
    #expect(check.isWaiting())
    accept(1, bench)
    #expect(try bench.wait { !check.isWaiting() })
    // A device that takes bytes at once gets an answer, too.
    bench.link.appetite = .max
    anna.type("a")
    check.didWrite()
    #expect(check.isWaiting())
    #expect(try bench.wait { !check.isWaiting() })
  }

  @Test func `Bytes without room at the owner wait`() throws {
    let (bench, anna, check) = try begin()
    for _ in 0..<3 { anna.type(String(repeating: "x", count: 2_000)) }
    check.didWrite()
    #expect(try bench.wait { queued(bench) == 4_096 })
    accept(4_096, bench)
    try bench.settle()
    #expect(check.isWaiting())
    accept(.max, bench)
    #expect(try bench.wait { !check.isWaiting() })
    #expect(bench.sent.count == 6_000)
  }

  @Test func `Bytes of others do not wait for the member`() throws {
    let bench = try SharingBench(.all)
    let (anna, bert) = (try bench.viewer(named: "anna"), try bench.viewer(named: "bert"))
    let check = SentCheck(of: anna.controller)
    bench.link.appetite = 2
    anna.type("a\r")
    check.didWrite()
    bert.type("b\r")
    #expect(try bench.wait { queued(bench) == 2 })
    #expect(try bench.wait { !check.isWaiting() })
  }

  @Test func `What is discarded for a lost device does not wait, and what is kept does`() throws {
    for discards in [true, false] {
      let (bench, anna, check) = try begin()
      anna.type("status\r")
      check.didWrite()
      #expect(try bench.wait { queued(bench) == 7 })
      bench.controller.sending.discardsForLostDevice = discards
      bench.controller.session.deviceDidDisappear()
      try bench.settle()
      #expect(check.isWaiting() != discards)
      bench.link.appetite = .max
      bench.controller.session.deviceDidReturn(at: bench.link.endpoint)
      bench.controller.session.handle(.writable)
      #expect(try bench.wait { !check.isWaiting() })
      #expect(bench.sent.count == (discards ? 0 : 7))
    }
  }

  @Test func `Without the pen nothing waits`() throws {
    let (bench, anna, check) = try begin(home: "home")
    for _ in 0..<3 { anna.type(String(repeating: "x", count: 2_000)) }
    check.didWrite()
    #expect(try bench.wait { queued(bench) == 4_096 })
    bench.controller.sharing.takePen()
    // What the owner has taken is sent. The rest has no right any more.
    accept(4_096, bench)
    #expect(try bench.wait { !check.isWaiting() })
    #expect(bench.sent.count == 4_096)
  }

  @Test func `A text in the queue here is asked for when it has gone`() throws {
    let (bench, anna, check) = try begin()
    let pause = anna.controller.session.pauseSending()
    anna.type("status\r")
    check.didWrite()
    try bench.settle()
    #expect(check.isWaiting())
    pause.end()
    #expect(try bench.wait { queued(bench) == 7 })
    // Otherwise the answer about what was before would be one about this.
    #expect(check.isWaiting())
    try bench.settle()
    #expect(check.isWaiting())
    accept(.max, bench)
    #expect(try bench.wait { !check.isWaiting() })
  }

  @Test(arguments: [true, false]) func `Only the newest question is answered, also after a purge`(
    isPurged: Bool
  ) throws {
    let bench = try SharingBench(.all, home: nil)
    let client = try bench.client(.rfc2217)
    bench.link.appetite = 0
    func say(_ message: SharingMessage) throws {
      let part = ComPortMessage.sharing(message.bytes).parameters(fromServer: false)
      try client.socket.borrowed.writeAll([255, 250, 44] + part + [255, 240])
    }
    func isAnswered(_ number: UInt32) -> Bool {
      _ = client.receive()
      let part = ComPortMessage.sharing(SharingMessage.sent(number).bytes)
      return client.received.contains(part.parameters(fromServer: true) + [255, 240])
    }
    try client.socket.borrowed.writeAll([255, 251, 44])
    try say(.hello(.init(name: "anna"), isViewer: false))
    try client.send("a")
    for number in 1...100 as ClosedRange<UInt32> { try say(.askWhenSent(number)) }
    #expect(try bench.wait { queued(bench) == 1 })
    try bench.settle()
    #expect(!isAnswered(100))
    if isPurged { try client.ask(12, 2) } else { accept(.max, bench) }
    #expect(try bench.wait { isAnswered(100) })
    #expect((1...99).allSatisfy { !isAnswered($0) })
  }
}
