import EventLoop
import Glibc
import Posix
import SerialCore
import SystemPackage
import Telnet
import Testing
import Time

@testable import NetworkLinks

/// Sessions over real sockets at the loopback address.
@Suite(.timeLimit(.minutes(30))) struct NetworkLinkTests {
  private static let everyByte = (0..<2_560).map { UInt8(truncatingIfNeeded: $0) }

  @Test(arguments: [AF_INET, AF_INET6])
  func bytes_passOverTCP(_ family: CInt) throws {
    let bench = try Bench(.raw, family: family)
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    #expect(bench.session.capabilities == .backPressure)
    bench.server.send(Self.everyByte)
    #expect(try bench.wait { bench.received == Self.everyByte })
    try bench.session.write(Self.everyByte.span.bytes)
    // The test's server decodes telnet; one direction is enough here.
    #expect(try bench.wait { bench.session.unsentByteCount == 0 })
    #expect(bench.session.sentByteCount == 2_560)
  }

  @Test func aPortOfAServer_passesEveryByteBothWays() throws {
    let bench = try Bench(.rfc2217)
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    bench.say(data: Self.everyByte)
    #expect(try bench.wait { bench.received == Self.everyByte })
    try bench.session.write(Self.everyByte.span.bytes)
    #expect(try bench.wait { bench.data == Self.everyByte })
    #expect(try bench.wait { bench.session.unsentByteCount == 0 })
  }

  @Test func `Telnet alone passes every byte both ways, and has breaks and no settings`() throws {
    let bench = try Bench(.telnet)
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    #expect(bench.session.capabilities == [.breaks, .backPressure, .networkTiming])
    bench.say(data: Self.everyByte)
    #expect(try bench.wait { bench.received == Self.everyByte })
    try bench.session.write(Self.everyByte.span.bytes)
    #expect(try bench.wait { bench.data == Self.everyByte })
    var answer: Result<LineSettings, SerialError>?
    bench.session.apply(LineSettings(baudRate: 300)) { answer = $0 }
    guard case .failure(let error) = answer, error.code == .unsupported else {
      Issue.record("\(String(describing: answer))")
      return
    }
    #expect(bench.messages.isEmpty)
  }

  @Test func `Telnet alone opens where a server sends much before it negotiates, without a loss`()
    throws
  {
    let bench = try Bench(.telnet)
    bench.answersTelnet = false
    try bench.open()
    let block = [UInt8](repeating: 65, count: 4_096)
    var sent = 0
    #expect(
      try bench.wait {
        if sent <= NetworkLink.earlyLimit { sent += bench.server.sendSome(block) }
        return bench.isOpen
      })
    #expect(try bench.wait { bench.received.count == sent })
  }

  @Test func settings_areThoseOfTheServer() throws {
    var settings = LineSettings(baudRate: 9_600, parity: .even, stopBits: .two)
    let bench = try Bench(.rfc2217, settings: settings)
    bench.answer = { if case .baudRate(9_600) = $0 { .baudRate(9_615) } else { $0 } }
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    settings.baudRate = 9_615
    #expect(bench.session.settings == settings)
    settings.baudRate = 115_200
    settings.flowControl = .hard
    var answer: Result<LineSettings, SerialError>?
    bench.session.apply(settings) { answer = $0 }
    #expect(answer == nil)
    #expect(try bench.wait { answer != nil })
    #expect(answer == .success(settings))
    #expect(bench.messages.contains(.control(.hardwareFlow)))
    bench.say(.baudRate(300))
    #expect(try bench.wait { bench.session.settings?.baudRate == 300 })
  }

  @Test func linesAndBreaks_passBothWays() throws {
    let bench = try Bench(.rfc2217)
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    try bench.session.setModemLines(asserting: .dtr, deasserting: .rts)
    try bench.session.setBreak(true)
    try bench.session.setBreak(false)
    #expect(try bench.wait { bench.messages.last == .control(.breakOff) })
    let controls = bench.messages.suffix(4)
    #expect(
      Array(controls) == [
        .control(.rtsOff), .control(.dtrOn), .control(.breakOn), .control(.breakOff),
      ])
    bench.say(.modemState([.cts, .dcd, .ctsChanged]))
    #expect(try bench.wait { bench.session.modemLines == [.dtr, .cts, .dcd] })
    bench.say(.lineState([.framingError]))
    bench.say(.lineState([.framingError, .breakDetected]))
    #expect(
      try bench.wait {
        bench.session.refreshCounters()
        return bench.session.counters?.framingErrors == 2 && bench.session.counters?.breaks == 1
      })
  }

  @Test func bytesSentBeforeThePortIsOpen_arrive() throws {
    let bench = try Bench(.rfc2217)
    bench.answer = { [unowned bench] message in
      if case .baudRate = message { bench.say(data: Array("boot".utf8)) }
      return message
    }
    try bench.open()
    #expect(try bench.wait { bench.received == Array("boot".utf8) })
  }

  @Test func aServerThatHangsUp_beforeItsFirstBytesAreRead_isLost_afterThem() throws {
    let bench = try Bench(.rfc2217)
    bench.answer = { [unowned bench] message in
      if case .baudRate = message { bench.say(data: Array("boot".utf8)) }
      return message
    }
    try bench.open()
    #expect(
      try bench.wait {
        if bench.isOpen { bench.server.hangUp() }
        return bench.received == Array("boot".utf8) && !bench.isOpen
      })
  }

  @Test func aServerThatSuspends_getsNothingUntilItResumes() throws {
    let bench = try Bench(.rfc2217)
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    bench.say(.flowSuspend)
    bench.say(data: [1])
    #expect(try bench.wait { bench.received == [1] })
    try bench.session.write(([7, 8] as [UInt8]).span.bytes)
    #expect(!bench.session.interest.contains(.writing))
    bench.say(data: [2])
    #expect(try bench.wait { bench.received == [1, 2] })
    #expect(bench.data.isEmpty && bench.session.unsentByteCount == 2)
    bench.say(.flowResume)
    #expect(try bench.wait { bench.data == [7, 8] })
  }

  @Test func aSlowServer_isNotWrittenTo_andMemoryIsBounded() throws {
    let bench = try Bench(.rfc2217)
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    let piece = [UInt8](repeating: 255, count: 60_000)
    var written = 0
    // The other end reads nothing.
    for _ in 0..<1_000 {
      if (try? bench.session.write(piece.span.bytes)) != nil { written += piece.count }
      bench.session.handle(.writable)
    }
    #expect(written < 40_000_000)
    #expect(bench.session.unsentByteCount <= written)
    #expect(try bench.wait { bench.data.count == written })
  }

  // MARK: Servers without an end

  @Test func `What a server says without end is handled in many turns`() throws {
    let bench = try Bench(.rfc2217)
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    let count = 3_000
    for _ in 0..<count {
      bench.say(.flowSuspend)
      bench.say(.flowResume)
    }
    bench.say(data: [9])
    var turns = 0
    let deadline = MonotonicTime.now + .seconds(60)
    while bench.received.isEmpty, deadline > .now {
      try bench.loop.turn(waitingAtMost: .milliseconds(5))
      turns += 1
    }
    #expect(bench.received == [9])
    // A turn reads twice at most: for the socket, and for what was left.
    #expect(turns >= 2 * count / (2 * NetworkLink.messageLimit))
    #expect(bench.session.interest.contains(.reading))
  }

  @Test func `What is left for the next turn waits while reading is paused`() throws {
    let bench = try Bench(.rfc2217)
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    for _ in 0..<200 { bench.say(.lineState(.overrun)) }
    bench.say(data: [9])
    // The first part is read, and then the user's terminal stalls.
    try bench.loop.turn(waitingAtMost: .milliseconds(100))
    let pause = bench.session.pauseReading()
    for _ in 0..<20 { try bench.loop.turn(waitingAtMost: .milliseconds(5)) }
    #expect(bench.received.isEmpty)
    pause.end()
    #expect(try bench.wait { bench.received == [9] })
  }

  @Test func `A server that sends data instead of answers is disconnected`() throws {
    let bench = try Bench(.rfc2217)
    bench.answer = { _ in nil }
    try bench.open()
    #expect(try bench.wait { !bench.messages.isEmpty })
    var sent = 0
    _ = try bench.wait {
      if sent < 4 * NetworkLink.earlyLimit {
        sent += 65_536
        bench.server.send([UInt8](repeating: 0x61, count: 65_536))
      }
      return if case .closed = bench.session.state { true } else { false }
    }
    guard case .closed(.failed(let error)) = bench.session.state else {
      Issue.record("\(bench.session.state)")
      return
    }
    #expect(error.code == .lost)
    #expect(error.subject == "the server sent more than 1 MiB before its port was open")
  }

  @Test func `Settings that nobody answers do not pile up`() throws {
    let bench = try Bench(.rfc2217)
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    bench.answer = { _ in nil }
    var refused = 0
    for number in 0..<1_000 {
      bench.session.apply(LineSettings(baudRate: number % 2 == 0 ? 300 : 600)) {
        if case .failure(let error) = $0, error.code == .queueFull { refused += 1 }
      }
    }
    #expect(refused == 1_000 - NetworkLink.answerLimit)
  }

  // MARK: Losses

  @Test func aServerThatHangsUp_isLost_afterItsLastBytes() throws {
    let bench = try Bench(.rfc2217)
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    bench.say(data: [1, 2, 3])
    bench.server.hangUp()
    #expect(try bench.wait { !bench.isOpen })
    guard case .waitingForDevice(_, .lost(let error)) = bench.session.state else {
      Issue.record("\(bench.session.state)")
      return
    }
    #expect(error.code == .lost && bench.received == [1, 2, 3])
    // The server returns, and its settings are sent again.
    bench.telnet = TelnetMachine(
      accepting: [.binary, .suppressGoAhead], from: [.binary, .suppressGoAhead, .comPort])
    let count = bench.messages.count
    bench.session.deviceDidReturn(at: error.endpoint)
    #expect(try bench.wait { bench.isOpen })
    #expect(bench.messages[count...].contains(.baudRate(115_200)))
  }

  @Test func closing_countsTheUnacknowledgedBytes() throws {
    let bench = try Bench(.rfc2217)
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    bench.say(.flowSuspend)
    bench.say(data: [1])
    #expect(try bench.wait { bench.received == [1] })
    try bench.session.write(([7, 8, 9] as [UInt8]).span.bytes)
    guard case .done(let discarded) = bench.session.close() else {
      Issue.record("not closed")
      return
    }
    #expect(discarded.total == 3)
  }

  @Test func `A session that closes because of what the server says gets no more bytes`() throws {
    let bench = try Bench(.rfc2217)
    try bench.open()
    #expect(try bench.wait { bench.isOpen })
    let token = bench.session.observe(.modemLinesChange) { [unowned bench] _ in
      bench.session.close()
    }
    bench.telnet.send(
      ComPortMessage.modemState([.cts]).parameters(fromServer: true), about: .comPort)
    bench.server.send(bench.telnet.output + [1, 2, 3])
    bench.telnet.output = []
    #expect(try bench.wait { !bench.isOpen })
    #expect(bench.received.isEmpty && bench.session.receivedByteCount == 0)
    withExtendedLifetime(token) {}
  }

  // MARK: Failures

  private func failure(of bench: Bench) throws -> SerialError? {
    try bench.open()
    _ = try bench.wait { if case .closed(.failed) = bench.session.state { true } else { false } }
    guard case .closed(.failed(let error)) = bench.session.state else { return nil }
    return error
  }

  @Test func aTelnetServerWithoutThePort_isNamed() throws {
    let bench = try Bench(.rfc2217)
    bench.telnet = TelnetMachine(accepting: [], from: [])
    let error = try failure(of: bench)
    #expect(error?.code == .otherProtocol && error?.subject == "RFC 2217")
  }

  @Test func aServerThatHangsUpImmediately_isReported() throws {
    let bench = try Bench(.rfc2217)
    try bench.open()
    #expect(try bench.wait { bench.server.client != nil })
    bench.server.hangUp()
    #expect(try bench.wait { if case .closed = bench.session.state { true } else { false } })
    guard case .closed(.failed(let error)) = bench.session.state else { return }
    #expect(error.code == .refusedByServer)
  }

  @Test func portWithoutAListener_isUnreachable() throws {
    let loop = try IOLoop()
    // The number of a port that was just released.
    let port = try Server().port
    var result: Result<StreamSocket, StreamOpening.Failure>?
    let opening = StreamOpening(
      to: .host(HostAddress(host: "127.0.0.1", port: port)), on: loop, timeout: .seconds(5)
    ) { result = $0 }
    let deadline = MonotonicTime.now + .seconds(60)
    while result == nil, deadline > .now { try loop.turn(waitingAtMost: .milliseconds(10)) }
    guard case .failure(let failure) = result else {
      Issue.record("\(String(describing: result))")
      return
    }
    #expect(failure == .connect(.connectionRefused))
    withExtendedLifetime(opening) {}
  }

  @Test func aNameThatDoesNotExist_isReported() throws {
    let loop = try IOLoop()
    var result: Result<StreamSocket, StreamOpening.Failure>?
    let opening = StreamOpening(
      to: .host(HostAddress(host: "no-such-host.invalid", port: 1)), on: loop, timeout: .seconds(15)
    ) { result = $0 }
    let deadline = MonotonicTime.now + .seconds(60)
    while result == nil, deadline > .now { try loop.turn(waitingAtMost: .milliseconds(10)) }
    guard case .failure(let failure) = result else {
      Issue.record("it was found")
      return
    }
    // Without a name server this may take until the time limit.
    switch failure {
    case .lookup(let error): #expect(!error.words.isEmpty)
    case .connect(let error): #expect(error == .timedOut)
    }
    withExtendedLifetime(opening) {}
  }

  @Test func anOpeningThatIsGivenUp_leavesNothing() throws {
    let loop = try IOLoop()
    let server = try Server()
    for _ in 0..<50 {
      _ = StreamOpening(
        to: .host(HostAddress(host: "localhost", port: server.port)), on: loop, timeout: .seconds(5)
      ) { _ in Issue.record("it was given up") }
      try loop.turn(waitingAtMost: .zero)
    }
    try loop.turn(waitingAtMost: .milliseconds(50))
  }
}
