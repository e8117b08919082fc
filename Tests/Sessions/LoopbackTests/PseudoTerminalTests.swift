import EventLoop
import Glibc
import Posix
import SystemPackage
import func TestSupport.difference
import Testing

@testable import Loopback

@Suite(.timeLimit(.minutes(30))) struct PseudoTerminalTests {
  private let terminal: PseudoTerminal
  private let loop: IOLoop

  init() throws {
    terminal = try PseudoTerminal()
    loop = try IOLoop()
  }

  private func write(_ bytes: [UInt8]) throws -> WriteOutcome {
    try bytes.withUnsafeBytes { try terminal.write($0) }
  }

  @Test func node_exists_raw_andIsNoControllingTerminal() throws {
    #expect(terminal.path.starts(with: "/dev/pts"))
    let client = try Client(terminal.path, on: loop)
    #expect(isatty(client.descriptor) == 1)
    #expect(client.isRaw)
    #expect(fcntl(terminal.descriptor.rawValue, F_GETFD) & FD_CLOEXEC != 0)
    #expect(fcntl(terminal.descriptor.rawValue, F_GETFL) & O_NONBLOCK != 0)
  }

  @Test func read_wouldBlock_withAndWithoutClients_whenNothingWasWritten() throws {
    let read = {
      try withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) {
        try self.terminal.read(into: $0)
      }
    }
    #expect(try read() == .wouldBlock)
    var client: Client? = try Client(terminal.path, on: loop)
    #expect(try read() == .wouldBlock)
    #expect(client != nil)
    client = nil
    #expect(try read() == .wouldBlock)
  }

  @Test func write_takesNoMoreThanTheKernelHolds_andTheTakenBytesAreRead() throws {
    let bytes = pattern(1_000_000)
    var taken = 0
    while case .bytes(let count) = try write(Array(bytes[taken...])) { taken += count }
    #expect(taken > 0 && taken < bytes.count)
    let client = try Client(terminal.path, on: loop)
    try run(loop) { client.received.count >= taken }
    #expect(difference(client.received, from: bytes.prefix(taken)) == nil)
  }

  @Test func hasUnreadBytes_tellsWhetherAClientHasReadAll() throws {
    #expect(!terminal.hasUnreadBytes)
    #expect(try write(pattern(3_000)) == .bytes(3_000))
    #expect(terminal.hasUnreadBytes)
    let client = try Client(terminal.path, on: loop)
    client.readSizes = [2_999]
    try run(loop) { client.received.count == 3_000 }
    #expect(!terminal.hasUnreadBytes)
  }

  // MARK: Clients

  @Test func restore_resetsTheSettingsOfAClient_whenThePortIsClosed() throws {
    var client: Client? = try Client(terminal.path, on: loop)
    client?.makeCooked()
    client?.makeExclusive()
    #expect(tcflow(client!.descriptor, TCOOFF) == 0)
    #expect(terminal.isExclusive)
    client = nil
    #expect(terminal.isExclusive, "it belongs to the terminal, which is held open")
    #expect(try terminal.restoreIfUnused())
    #expect(!terminal.isExclusive)
    let next = try Client(terminal.path, on: loop)
    #expect(next.isRaw)
    try next.send("not stopped")
    try run(loop) { next.unsent.isEmpty }
    #expect(try terminal.restoreIfUnused() == false)
  }

  @Test func restore_changesNothing_whileAClientHasItOpen() throws {
    let client = try Client(terminal.path, on: loop)
    client.makeCooked()
    client.makeExclusive()
    for _ in 0..<3 { #expect(try !terminal.restoreIfUnused()) }
    #expect(terminal.isExclusive)
    #expect(!client.isRaw)
    let read = try withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) {
      try terminal.read(into: $0)
    }
    #expect(read == .wouldBlock)
  }

  @Test func restore_losesNoByte_inEitherDirection() throws {
    let (toClient, fromClient) = (pattern(3_000), Array(pattern(3_500).reversed()))
    var client: Client? = try Client(terminal.path, on: loop, isReading: false)
    try client?.send(fromClient)
    try run(loop) { client!.unsent.isEmpty }
    #expect(try write(toClient) == .bytes(3_000))
    client = nil
    #expect(try terminal.restoreIfUnused())
    var received: [UInt8] = []
    try run(loop) {
      try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
        if case .bytes(let count) = try terminal.read(into: buffer) { received += buffer[..<count] }
      }
      return received.count >= fromClient.count
    }
    #expect(received == fromClient)
    let next = try Client(terminal.path, on: loop)
    try run(loop) { next.received.count >= toClient.count }
    #expect(next.received == toClient)
  }

  @Test func hangUp_isSeenByClients_andTheNodeIsGone() throws {
    let client = try Client(terminal.path, on: loop)
    terminal.hangUp()
    terminal.hangUp()
    try run(loop) { client.hasEnded }
    #expect(throws: Errno.noSuchFileOrDirectory) { try Client(terminal.path, on: loop) }
  }
}
