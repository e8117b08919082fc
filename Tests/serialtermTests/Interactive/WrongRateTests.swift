import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TestSupport
import Testing

@testable import serialterm

/// The hint about a wrong baud rate, as a user sees it.
@Suite(.timeLimit(.minutes(30))) struct WrongRateTests {
  private static let hint = "This looks like a wrong baud rate. ctrl-t B changes it."

  private func bench(_ options: InterfaceBench.Options = .init()) throws -> InterfaceBench {
    let bench = try InterfaceBench(options)
    try bench.begin()
    return bench
  }

  private func hintCount(_ bench: InterfaceBench) -> Int {
    bench.terminal.lines.filter { $0.contains(Self.hint) }.count
  }

  /// Makes the device send lines at a rate for two seconds.
  ///
  /// - Parameter countsErrors: whether the driver counts the errors.
  private func send(
    to bench: InterfaceBench, at rate: Int, countsErrors: Bool = false
  ) throws {
    guard case .open(_, let settings) = bench.session.state else { return }
    for number in 0..<20 {
      var line = UARTSimulator(from: rate, to: Int(settings.baudRate))
      line.send("[\(number)] usb 1-1: new high-speed device\r\n".utf8)
      line.pause(nanoseconds: 10_000_000)
      let received = line.receive()
      if countsErrors {
        bench.link?.counted.framingErrors += UInt32(received.count(where: \.hasFramingError))
        bench.link?.counted.breaks += UInt32(received.count(where: \.isBreak))
      }
      bench.link?.incoming.append(FakeLink.Input(received.map(\.byte)))
      bench.session.handle(.readable)
      try bench.pass(.milliseconds(100))
    }
  }

  @Test(arguments: [9_600, 57_600, 921_600])
  func `A rate that gives line errors is hinted at once`(rate: Int) throws {
    let bench = try bench()
    try send(to: bench, at: rate, countsErrors: true)
    try send(to: bench, at: rate, countsErrors: true)
    #expect(hintCount(bench) == 1)
  }

  @Test func `Where errors are not counted, stretched bytes tell`() throws {
    let bench = try bench()
    try send(to: bench, at: 38_400)
    #expect(hintCount(bench) == 1)
  }

  @Test func `Text is not looked at any more, and errors behind it are`() throws {
    let bench = try bench()
    let before = bench.interface.focus.port.controller.hub.ranks
    #expect(before.count { $0 == .listener } == 3)
    try send(to: bench, at: 115_200)
    // The remaining listeners look for offers of files, and for numbers.
    #expect(bench.interface.focus.port.controller.hub.ranks.count { $0 == .listener } == 2)
    #expect(hintCount(bench) == 0)
    // The program on the device uses another rate than its bootloader.
    try send(to: bench, at: 460_800, countsErrors: true)
    #expect(hintCount(bench) == 1)
  }

  @Test func `Another rate, and another opening, can be hinted again`() throws {
    let bench = try bench()
    try send(to: bench, at: 9_600, countsErrors: true)
    #expect(hintCount(bench) == 1)
    try bench.session.apply(LineSettings(baudRate: 57_600))
    try bench.turn()
    try send(to: bench, at: 9_600, countsErrors: true)
    #expect(hintCount(bench) == 2)
    try bench.unplug()
    try bench.plug()
    try send(to: bench, at: 9_600, countsErrors: true)
    #expect(hintCount(bench) == 3)
    try bench.session.apply(LineSettings(baudRate: 9_600))
    try send(to: bench, at: 9_600, countsErrors: true)
    #expect(hintCount(bench) == 3)
  }

  @Test func `In the hex view there is no hint`() throws {
    let bench = try bench()
    try bench.command("h")
    try send(to: bench, at: 9_600, countsErrors: true)
    #expect(hintCount(bench) == 0)
    // The remaining listeners look for offers of files, and for numbers.
    #expect(bench.interface.focus.port.controller.hub.ranks.count { $0 == .listener } == 2)
    try bench.command("h")
    try send(to: bench, at: 9_600, countsErrors: true)
    #expect(hintCount(bench) == 1)
  }

  @Test func `While a file is sent, and into a pipe, there is none`() throws {
    let folder = try TemporaryFolder()
    var options = InterfaceBench.Options()
    options.appetite = 100
    let bench = try bench(options)
    try bench.sendFile(bench.file(of: 5_000, in: folder))
    try send(to: bench, at: 9_600, countsErrors: true)
    #expect(hintCount(bench) == 0)
    bench.end()

    options = InterfaceBench.Options()
    options.screen = .none
    let piped = try self.bench(options)
    try send(to: piped, at: 9_600, countsErrors: true)
    #expect(!piped.terminal.messageText.contains("wrong baud rate"))
  }
}
