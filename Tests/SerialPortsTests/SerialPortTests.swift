import Framing
import Glibc
import Patterns
import SerialCore
import SystemPackage
import TestSupport
import Testing

@testable import SerialPorts

@Suite(.timeLimit(.minutes(30))) struct SerialPortTests {
  private let far: FarEnd

  init() throws { far = try FarEnd() }

  private func open(_ options: PortOptions = PortOptions()) async throws -> SerialPort {
    try await SerialPort.open(far.path, options: options)
  }

  // MARK: Opening and closing

  @Test func portThatDoesNotExist_isAnError() async throws {
    let error = await #expect(throws: PortError.self) {
      try await SerialPort.open("/dev/there-is-no-such-port")
    }
    guard case .serial(let reason) = error else { return #expect(Bool(false), "\(error!)") }
    #expect(reason.code == .notFound)
  }

  @Test func aDeviceHasOnePort() async throws {
    let port = try await open()
    let error = await #expect(throws: PortError.self) { try await open() }
    guard case .serial(let reason) = error else { return #expect(Bool(false), "\(error!)") }
    #expect(reason.code == .busy)
    await port.close()
    try await open().close()
  }

  @Test func portThatIsReleased_closes() async throws {
    var port: SerialPort? = try await open()
    let events = try #require(port?.events)
    port = nil
    for await _ in events {}
    try await open().close()
  }

  @Test func closing_endsSequences_andRefusesTheRest() async throws {
    let port = try await open()
    let lines = Task { try await port.lines().reduce(into: []) { $0.append($1) } }
    far.send("one\ntwo")
    while await port.receivedByteCount != 3 { await Task.yield() }
    await port.close()
    #expect(try await lines.value == ["one", "two"], "an unfinished line is data")
    await #expect(throws: PortError.closed) { try await port.read() }
    await #expect(throws: PortError.closed) { try await port.write("x") }
    #expect(port.state == .closed(.requested))
  }

  @Test func states_areThePresentOne_andEachLatest() async throws {
    let port = try await open()
    var states = port.states.makeAsyncIterator()
    #expect(await states.next()?.isOpen == true)
    await port.close()
    #expect(await states.next() == .closed(.requested))
    #expect(await states.next() == nil)
    for await state in port.states { #expect(state == .closed(.requested)) }
  }

  // MARK: Reading

  @Test func lines_areReadOneByOne() async throws {
    let port = try await open()
    far.send("a\r\nb\n\nlast\n")
    var read: [String] = []
    for try await line in port.lines() {
      read.append(line)
      if line == "last" { break }
    }
    #expect(read == ["a", "b", "", "last"])
  }

  @Test func loopThatIsLeft_leavesTheRestToTheNext() async throws {
    let port = try await open()
    far.send("one\ntwo\nthree\n")
    for try await line in port.lines() {
      #expect(line == "one")
      break
    }
    #expect(try await port.read(exactly: 3, timeout: patience) == Array("two".utf8))
    #expect(try await port.read(timeout: patience) == Array("\nthree\n".utf8))
  }

  @Test func timeLimit_losesNothing() async throws {
    let port = try await open()
    far.send("par")
    while await port.receivedByteCount != 3 { await Task.yield() }
    await #expect(throws: PortError.timedOut) {
      try await port.read(.lines(), timeout: .milliseconds(1))
    }
    await #expect(throws: PortError.timedOut) {
      try await port.read(exactly: 4, timeout: .zero)
    }
    far.send("tial\n")
    #expect(try await port.read(.lines(), timeout: patience) == "partial")
  }

  @Test func cancelledReader_leavesItsBytesToTheNext() async throws {
    let port = try await open()
    let reader = Task { try await port.read(.lines()) }
    far.send("half")
    while await port.receivedByteCount != 4 { await Task.yield() }
    reader.cancel()
    await #expect(throws: PortError.cancelled) { try await reader.value }
    far.send(" and half\n")
    #expect(try await port.read(.lines(), timeout: patience) == "half and half")
  }

  @Test(arguments: 0..<repetitions(50))
  func readersThatAreCancelledAtAnyTime_loseNoByte(seed: Int) async throws {
    let port = try await open()
    let count = 400
    let sender = far.play { far in for number in 0..<count { far.send("\(number)\n") } }
    var read: [String] = []
    var random = SplitMix64(seed: UInt64(seed))
    while read.count < count {
      let reader = Task {
        var lines: [String] = []
        for try await line in port.lines() {
          lines.append(line)
          if line == "\(count - 1)" { break }
        }
        return lines
      }
      for _ in 0..<Int.random(in: 0..<20, using: &random) { await Task.yield() }
      reader.cancel()
      read += try await reader.value
    }
    #expect(read == (0..<count).map(String.init))
    await sender.value
  }

  @Test func readers_takeTurns() async throws {
    let port = try await open()
    let first = Task { try await port.read(.lines(), timeout: patience) }
    while await !port.isRead(by: 1) { await Task.yield() }
    let second = Task { try await port.read(.lines(), timeout: patience) }
    while await !port.isRead(by: 2) { await Task.yield() }
    far.send("one\ntwo\n")
    #expect(try await first.value == "one")
    #expect(try await second.value == "two")
  }

  @Test func silence_endsAFrame() async throws {
    let port = try await open()
    far.send([1, 2, 3])
    let gap = Duration.milliseconds(20)
    var frame = try await port.read(.silence(gap), timeout: patience)
    #expect(frame == [1, 2, 3])
    far.send([4])
    while await port.receivedByteCount != 1 { await Task.yield() }
    try await Task.sleep(for: gap * 2)
    far.send([5])
    while await port.receivedByteCount != 2 { await Task.yield() }
    frame = try await port.read(.silence(gap), timeout: patience)
    #expect(frame == [4], "the silence is kept")
    frame = try await port.read(.silence(gap), timeout: patience)
    #expect(frame == [5])
  }

  @Test func damagedFrames_areReported_andTheSequenceGoesOn() async throws {
    let port = try await open()
    var events = port.events.makeAsyncIterator()
    far.send([0x03, 0x11, 0x00, 0x02, 0x22, 0x00])
    for try await frame in port.frames(by: .cobs()) {
      #expect(frame == [0x22])
      break
    }
    #expect(await events.next() == .damagedFrame(.codeBeyondEnd))
    far.send([0x03, 0x11, 0x00])
    await #expect(throws: PortError.damagedFrame(.codeBeyondEnd)) {
      try await port.read(.cobs(), timeout: patience)
    }
  }

  @Test func messagesOfModbus_haveTheirCheckAndTheirMeaning() async throws {
    let port = try await open()
    far.send([0xFF, 0x01, 0x83, 0x02, 0xC0, 0xF1])
    far.send([0x01, 0x03, 0x00, 0x6B, 0x00, 0x03, 0x74, 0x17])
    var frames: [CheckedFrame] = []
    for try await frame in port.frames(by: .modbusRTU) {
      frames.append(frame)
      if frames.count == 3 { break }
    }
    try #require(frames.map(\.decoded.check) == [.stray, .good, .good])
    #expect(frames[0].bytes == [0xFF])
    #expect(frames[1].decoded.meaning == "slave 1 exception 2 illegal data address")
    #expect(frames[2].decoded.meaning == "slave 1 read holding 0x006b ×3")
  }

  @Test func backPressure_reachesTheDevice_andNothingIsLost() async throws {
    var options = PortOptions()
    options.readCapacity = 1_000
    let port = try await open(options)
    let data = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let isSent = Flag()
    let sender = far.play { far in
      far.send(data)
      isSent.raise()
    }
    while await !port.holdsDevice && !isSent.isRaised { await Task.yield() }
    // The driver of a pseudo-terminal has room for much less than that.
    #expect(!isSent.isRaised)
    #expect(await port.receivedByteCount < 70_000)
    #expect(
      try await port.read(exactly: data.count, timeout: patience) == data, "more than the capacity")
    await sender.value
  }

  @Test func discardedInput_isGone() async throws {
    let port = try await open()
    far.send("old\n")
    while await port.receivedByteCount != 4 { await Task.yield() }
    far.send("older\n")
    // The driver of a pseudo-terminal may deliver later.
    var count = 0
    while count < 10 { count += await port.discardInput() }
    far.send("new\n")
    #expect(try await port.read(.lines(), timeout: patience) == "new")
  }

  // MARK: Writing

  @Test func writers_waitForRoom_andTakeTurns() async throws {
    var options = PortOptions()
    options.writeCapacity = 100
    let port = try await open(options)
    let first = [UInt8](repeating: 1, count: 100_000)
    let second = [UInt8](repeating: 2, count: 10)
    let writers = [Task { try await port.write(first) }]
    while await port.unsentByteCount < 100 { await Task.yield() }
    let other = Task { try await port.write(second) }
    let count = first.count + second.count
    #expect(await far.play { $0.receive(exactly: count) }.value == first + second)
    for writer in writers + [other] { try await writer.value }
    try await port.drain(timeout: patience)
    #expect(await port.unsentByteCount == 0)
  }

  @Test func writeAndDrain_haveTimeLimits() async throws {
    let port = try await open()
    await #expect(throws: PortError.timedOut) {
      try await port.write([UInt8](repeating: 0, count: 1_000_000), timeout: .milliseconds(20))
    }
    await #expect(throws: PortError.timedOut) { try await port.drain(timeout: .milliseconds(20)) }
    let drain = Task { try await port.drain() }
    drain.cancel()
    await #expect(throws: PortError.cancelled) { try await drain.value }
    let unsent = await port.unsentByteCount
    #expect(unsent > 60_000)
    #expect(await port.close(draining: .milliseconds(5)) > 60_000)
  }

  // MARK: Requests

  @Test func expectations_areFrames_withTheirGroups() async throws {
    let port = try await open()
    far.send("booting\nroot@board:~# rest")
    let prompt = try ExpectedPattern.regex(#"(\w+)@[\w-]+:\S+[$#] "#)
    let match = try await port.read(.expecting(.text("login: "), prompt), timeout: patience)
    #expect(match.index == 1)
    #expect(match.text(1) == "root")
    #expect(match.before == Array("booting\n".utf8))
    #expect(try await port.read(exactly: 4, timeout: patience) == Array("rest".utf8))
    far.send("0123456789")
    await #expect(throws: PortError.damagedFrame(.tooLong(limit: 9))) {
      try await port.read(.expecting(.text("x"), limit: 9), timeout: patience)
    }
  }

  @Test func expectationThatIsGivenUp_leavesTheText() async throws {
    let port = try await open()
    far.send("log")
    while await port.receivedByteCount != 3 { await Task.yield() }
    await #expect(throws: PortError.timedOut) {
      try await port.read(.expecting(.text("login: ")), timeout: .milliseconds(1))
    }
    far.send("in: ")
    let match = try await port.read(.expecting(.text("login: ")), timeout: patience)
    #expect(match.before.isEmpty)
  }

  @Test func answers_goToTheirRequests() async throws {
    let port = try await open()
    let device = far.play { far in
      var requests = FrameBuffer(.lines())
      for _ in 0..<20 {
        var request = requests.next()
        while request == nil {
          requests.append(far.receive())
          request = requests.next()
        }
        if case .success(let text)? = request { far.send("re: \(text)\n") }
      }
    }
    let listener = Task { try await port.read(.lines(), timeout: patience) }
    while await !port.isRead(by: 1) { await Task.yield() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          let answer = try await port.request("\(number)\n", until: .lines(), timeout: patience)
          #expect(answer == "re: \(number)")
        }
      }
      try await group.waitForAll()
    }
    await device.value
    far.send("news\n")
    #expect(try await listener.value == "news")
  }

  @Test func lateAnswer_canBeDiscarded() async throws {
    let port = try await open()
    await #expect(throws: PortError.timedOut) {
      try await port.request("one\n", until: .lines(), timeout: .milliseconds(5))
    }
    far.send("late\n")
    while await port.receivedByteCount != 5 { await Task.yield() }
    let answer = Task {
      try await port.request("two\n", until: .lines(), timeout: patience, discardingInput: true)
    }
    #expect(await far.play { $0.receive(exactly: 8) }.value == Array("one\ntwo\n".utf8))
    far.send("in time\n")
    #expect(try await answer.value == "in time")
  }

  // MARK: Readers beside each other

  @Test(arguments: ["discard", "request", "longer"])
  func readerThatWaits_doesNotSearchBytesThatOthersHaveTaken(how: String) async throws {
    let port = try await open()
    let lines = Task {
      var lines = port.lines().makeAsyncIterator()
      return try await lines.next()
    }
    while await !port.isRead(by: 1) { await Task.yield() }
    far.send("partial text")
    while await port.receivedByteCount != 12 { await Task.yield() }
    if how == "request" {
      let answer = Task {
        try await port.request("x", until: .fixedLength(12), timeout: patience)
      }
      #expect(try await answer.value == Array("partial text".utf8))
    } else {
      #expect(await port.discardInput() == 12)
    }
    far.send(how == "longer" ? "A=1\nB=2 and more\n" : "ok\n")
    #expect(try await lines.value == (how == "longer" ? "A=1" : "ok"))
  }

  @Test func linesThatAreReadOneByOne_goOnWhereTheLastEnded() async throws {
    let port = try await open()
    far.send("one\r\ntwo\r\n")
    for line in ["one", "two"] {
      #expect(try await port.read(.lines(.any), timeout: patience) == line)
    }
    #expect(await port.discardInput() == 1, "the LF of the last line")
    far.send("0123456789ABCDEF\nnext\n")
    let short = LineFraming(limit: 10)
    await #expect(throws: PortError.damagedFrame(.tooLong(limit: 10))) {
      try await port.read(short, timeout: patience)
    }
    #expect(try await port.read(short, timeout: patience) == "next")
  }

  @Test func writerThatWaits_goesOn_whenTheOutputIsDiscarded() async throws {
    var options = PortOptions()
    options.writeCapacity = 100
    let port = try await open(options)
    let writer = Task { try await port.write([UInt8](repeating: 1, count: 100_000)) }
    while await port.unsentByteCount < 100 { await Task.yield() }
    #expect(await port.discardOutput() > 0)
    let reader = far.play { far in while far.receive().last != 2 {} }
    try await writer.value
    try await port.write([2])
    await reader.value
  }

  @Test func readerThatHasGone_doesNotLiftTheLimitOfTheBuffer() async throws {
    let port = try await open()
    await #expect(throws: PortError.timedOut) { try await port.read(timeout: .milliseconds(1)) }
    let isSent = Flag()
    let count = 500_000
    let sender = far.play { far in
      far.send([UInt8](repeating: 1, count: count))
      isSent.raise()
    }
    while await !port.holdsDevice && !isSent.isRaised { await Task.yield() }
    #expect(!isSent.isRaised)
    #expect(try await port.read(exactly: count, timeout: patience).count == count)
    await sender.value
  }

  @Test func numberOfBytes_isNoFrame() async throws {
    let port = try await open()
    #expect(try await port.read(exactly: 0, timeout: .zero).isEmpty)
    far.send("five!")
    while await port.receivedByteCount != 5 { await Task.yield() }
    far.hangUp()
    let error = await #expect(throws: PortError.self) { try await port.read(exactly: 10) }
    guard case .serial(let reason) = error else { return #expect(Bool(false), "\(error!)") }
    #expect(reason.code == .lost)
    #expect(try await port.read() == Array("five!".utf8))
    for await _ in port.events {}
    for await state in port.states { #expect(state == .closed(.lost(reason))) }
  }

  @Test func closedPort_saysSo() async throws {
    let port = try await open()
    await port.close()
    await #expect(throws: PortError.closed) { try await port.sendBreak() }
    await #expect(throws: PortError.closed) { try await port.setModemLines(asserting: .dtr) }
    await #expect(throws: PortError.closed) { try await port.apply(LineSettings()) }
    await #expect(throws: PortError.closed) { try await port.drain() }
  }

  // MARK: Loss

  @Test func loss_isAnErrorOfEverything_afterTheLastByte() async throws {
    let port = try await open()
    let reader = Task { try await port.read(.fixedLength(1_000)) }
    while await !port.isRead(by: 1) { await Task.yield() }
    far.send("last words\n")
    while await port.receivedByteCount != 11 { await Task.yield() }
    far.hangUp()
    await #expect(throws: PortError.damagedFrame(.unfinished)) { try await reader.value }
    let error = await #expect(throws: PortError.self) { try await port.write("x") }
    guard case .serial(let reason) = error else { return #expect(Bool(false), "\(error!)") }
    #expect(reason.code == .lost)
    await #expect(throws: PortError.self) { try await port.drain() }
    let lines = Task { for try await _ in port.lines() {} }
    await #expect(throws: PortError.serial(reason)) { try await lines.value }
  }

  @Test func reconnectingPort_goesOn_andDoesNotJoinFramesOverTheLoss() async throws {
    let folder = try TemporaryFolder()
    let link = folder.path.appending("port")
    func connect(to far: FarEnd) throws {
      let new = folder.path.appending("new")
      try #require(symlink(far.path.string, new.string) == 0)
      try #require(rename(new.string, link.string) == 0)
    }
    try connect(to: far)
    let port = try await SerialPort.open(link, options: .reconnecting)
    var states = port.states.makeAsyncIterator()
    #expect(await states.next()?.isOpen == true)
    let request = Task { try await port.request("x", until: .delimited(by: [0]), timeout: nil) }
    while await !port.isRead(by: 1) { await Task.yield() }
    far.send("whole\nhal")
    while await port.receivedByteCount != 9 { await Task.yield() }
    far.hangUp()
    while case .waitingForDevice? = await states.next() { break }
    let second = try FarEnd()
    try connect(to: second)
    for await state in port.states where state.isOpen { break }
    second.send("f\nnext\n")
    await #expect(throws: PortError.self) { try await request.value }
    var lines = port.lines().makeAsyncIterator()
    for line in ["whole", "hal", "f", "next"] { #expect(try await lines.next() == line) }
    second.send("one\r\ntwo\r\n")
    for line in ["one", "two"] {
      #expect(try await port.read(.lines(.any), timeout: patience) == line)
    }
    try await port.write("back")
    #expect(await second.play { $0.receive(exactly: 4) }.value == Array("back".utf8))
  }

  // MARK: The line

  @Test func settings_areThoseOfTheDriver() async throws {
    let port = try await open()
    let settings = LineSettings(baudRate: 9_600, stopBits: .two)
    #expect(try await port.apply(settings) == settings)
    #expect(await port.settings == settings)
    let error = await #expect(throws: PortError.self) {
      try await port.apply(LineSettings(baudRate: 0))
    }
    guard case .serial(let reason) = error else { return #expect(Bool(false), "\(error!)") }
    #expect(reason.code == .settingRefused)
  }

  @Test func whatAPseudoTerminalLacks_isAnError() async throws {
    let port = try await open()
    #expect(await port.modemLines() == nil)
    await #expect(throws: PortError.self) { try await port.setModemLines(asserting: .dtr) }
    await #expect(throws: PortError.self) { try await port.sendBreak() }
    let changes = Task { for try await _ in port.modemLineChanges() {} }
    await #expect(throws: PortError.self) { try await changes.value }
  }

  // MARK: Devices

  @Test func devices_areThosePresent_thenTheirChanges() async throws {
    let present = try Device.all()
    let events = try await DeviceWatcher.events()
    var found: [Device] = []
    for await event in events.prefix(present.count) {
      found += [event.appearance].compactMap(\.self)
    }
    #expect(found == present)
  }

  // MARK: Executors

  @Test func ownExecutor_endsWithItsLastPort() async throws {
    weak var gone: PortExecutor?
    do {
      let executor = try PortExecutor()
      gone = executor
      let port = try await SerialPort.open(far.path, on: executor)
      try await withTaskExecutorPreference(executor) {
        #expect(executor.isCurrent)
        far.send("y\n")
        let answer = try await port.request("x", until: .lines(), timeout: patience)
        #expect(answer == "y")
      }
      await port.close()
    }
    while gone != nil { await Task.yield() }
  }
}

extension SerialPort {
  /// Whether this number of readers wait.
  fileprivate func isRead(by count: Int) -> Bool { readerCount == count }
}
