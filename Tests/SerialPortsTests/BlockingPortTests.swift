import Framing
import SerialCore
import SystemPackage
import Testing
import Time

@testable import SerialPorts

/// Each test runs on a thread of its own, because the methods of the port wait.
@Suite(.timeLimit(.minutes(30))) struct BlockingPortTests {
  private let far: FarEnd

  init() throws { far = try FarEnd() }

  private func withPort(
    _ options: PortOptions = PortOptions(),
    _ body: @escaping @Sendable (BlockingPort) throws -> Void
  ) async throws {
    try await far.play { far in
      Result {
        let port = try BlockingPort(far.path, options: options)
        try body(port)
      }
    }.value.get()
  }

  @Test func portThatDoesNotExist_isAnError() {
    #expect(throws: PortError.self) { try BlockingPort("/dev/there-is-no-such-port") }
  }

  @Test func timeLimit_losesNothing() async throws {
    try await withPort { [far] port in
      far.send("par")
      while try port.receivedByteCount() != 3 {}
      #expect(throws: PortError.timedOut) { try port.read(.lines(), timeout: .milliseconds(5)) }
      #expect(throws: PortError.timedOut) { try port.read(exactly: 4, timeout: .zero) }
      let count = try port.receivedByteCount()
      #expect(count == 3, "they stay")
      far.send("tial\nrest")
      let line = try port.read(.lines(), timeout: patience)
      #expect(line == "partial")
      let rest = try port.read(exactly: 4, timeout: patience)
      #expect(rest == Array("rest".utf8))
      far.send("more")
      let more = try port.read(timeout: patience)
      #expect(more.first == UInt8(ascii: "m"))
    }
  }

  @Test func requests_areAnswered() async throws {
    let device = far.play { far in
      var requests = FrameBuffer(.lines())
      var count = 0
      while count < 100 {
        requests.append(far.receive())
        while case .success(let text)? = requests.next() {
          far.send("re: \(text)\n")
          count += 1
        }
      }
    }
    try await withPort { port in
      for number in 0..<100 {
        let answer = try port.request("\(number)\n", until: .lines(), timeout: patience)
        #expect(answer == "re: \(number)")
      }
    }
    await device.value
  }

  @Test func writing_waitsForRoom() async throws {
    let data = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
    let reader = far.play { $0.receive(exactly: data.count) }
    var options = PortOptions()
    options.writeCapacity = 1_000
    try await withPort(options) { port in
      try port.write(data, timeout: patience)
      try port.drain(timeout: patience)
    }
    #expect(await reader.value == data)
  }

  @Test func writeAndDrain_haveTimeLimits() async throws {
    try await withPort { port in
      let data = [UInt8](repeating: 0, count: 1_000_000)
      #expect(throws: PortError.timedOut) { try port.write(data, timeout: .milliseconds(20)) }
      #expect(throws: PortError.timedOut) { try port.drain(timeout: .milliseconds(20)) }
      #expect(port.close() > 60_000)
      #expect(throws: PortError.closed) { try port.write("x") }
      #expect(throws: PortError.closed) { try port.read() }
    }
  }

  @Test func timeLimitOfZero_isAQuestion() async throws {
    try await withPort { [far] port in
      far.send("here")
      // The driver of a pseudo-terminal may deliver later.
      var bytes: [UInt8] = []
      while bytes.count < 4 {
        do throws(PortError) {
          bytes += try port.read(timeout: .zero)
        } catch {
          #expect(error == .timedOut)
        }
      }
      #expect(bytes == Array("here".utf8))
    }
  }

  @Test func whatIsWritten_isWithTheDriver() async throws {
    let data = [UInt8](repeating: 7, count: 60_000)
    let reader = far.play { $0.receive(exactly: data.count) }
    try await withPort { port in
      try port.write(data, timeout: patience)
      #expect(port.discardOutput() == 0)
      try port.drain(timeout: patience)
    }
    #expect(await reader.value == data)
  }

  @Test func bytesThatWaitedInTheDriver_cameWithoutASilence() async throws {
    try await withPort { [far] port in
      far.send("abc")
      while try port.receivedByteCount() != 3 {}
      far.send("def")
      let late = MonotonicTime.now + .milliseconds(30)
      while MonotonicTime.now < late {}
      let frame = try port.read(.silence(.milliseconds(20)), timeout: patience)
      #expect(frame == Array("abcdef".utf8))
    }
  }

  @Test func discardedInput_isGone() async throws {
    try await withPort { [far] port in
      far.send("old\n")
      var count = 0
      while count < 4 { count += port.discardInput() }
      far.send("new\n")
      let fresh = try port.read(.lines(), timeout: patience)
      #expect(fresh == "new")
    }
  }

  @Test func loss_isAnError_afterTheLastByte() async throws {
    try await withPort { [far] port in
      far.send("last words\n")
      while try port.receivedByteCount() != 11 {}
      far.hangUp()
      let words = try port.read(.lines(), timeout: patience)
      #expect(words == "last words")
      let error = #expect(throws: PortError.self) { try port.read(timeout: patience) }
      guard case .serial(let reason) = error else { return #expect(Bool(false), "\(error!)") }
      #expect(reason.code == .lost)
    }
  }

  @Test func lackOfAPseudoTerminal_isAnError() async throws {
    try await withPort { port in
      #expect(port.modemLines() == nil)
      #expect(throws: PortError.self) { try port.setModemLines(asserting: .rts) }
      #expect(throws: PortError.self) { try port.sendBreak() }
      let actual = try port.apply(LineSettings(baudRate: 9_600))
      #expect(actual == LineSettings(baudRate: 9_600))
    }
  }
}
