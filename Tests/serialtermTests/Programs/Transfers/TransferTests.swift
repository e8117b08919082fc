import Posix
import SerialCore
import Sessions
import SystemPackage
import TestSupport
import Testing

@testable import TransferProtocols
@testable import serialterm

/// Sending and receiving files in a session, with the other side of the protocol on a fake link.
@Suite struct TransferTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func bench(_ change: (inout InterfaceBench.Options) -> Void = { _ in }) throws
    -> InterfaceBench
  {
    var options = InterfaceBench.Options()
    change(&options)
    let bench = try InterfaceBench(options)
    try bench.begin()
    return bench
  }

  private func order(_ kind: TransferProtocol, _ path: FilePath) -> TransferOrder {
    TransferOrder(fileProtocol: kind, files: .send([path]))
  }

  private func contents(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0) }
  }

  @Test(arguments: [
    (TransferProtocol.xmodem, BlockProtocol.xmodem), (.xmodem1K, .xmodem), (.ymodem, .ymodem),
    (.ymodemG, .ymodemG),
  ])
  func aFileIsSent(_ kind: TransferProtocol, to receiver: BlockProtocol) throws {
    let bench = try bench()
    let device = DeviceProgram(BlockReceiver(receiver), at: bench)
    try bench.interface.transfer(order(kind, bench.file(of: 5_000, in: folder)))
    #expect(bench.state.exchange == .file("image.bin"))
    try device.begin()
    try device.finish()
    #expect(device.received.first?.contents.prefix(5_000) == contents(5_000)[...])
    #expect(device.received.first?.isComplete == true)
    #expect(bench.state.exchange == nil)
    #expect(bench.state.progress == nil)
    #expect(
      bench.terminal.lines.contains { $0.contains("sent image.bin, 5,000 bytes") })
  }

  @Test func zmodemIsSent_andReceived() throws {
    let bench = try bench { $0.autoReceiveFolder = folder.path }
    let rz = DeviceProgram(ZmodemReceiver(conditions: TransferConditions()), at: bench)
    try bench.interface.transfer(order(.zmodem, bench.file(of: 50_000, in: folder)))
    try rz.begin()
    try rz.finish()
    #expect(rz.received.first?.contents == contents(50_000))
    let sz = DeviceProgram(ZmodemSender(conditions: TransferConditions()), at: bench)
    sz.files = [("from device.bin", contents(30_000))]
    try sz.begin()
    // There is no question, because the option names the folder.
    try sz.finish()
    #expect(try folder("from device.bin").contents() == contents(30_000))
    #expect(sz.end == .done)
    #expect(bench.terminal.lines.contains { $0.contains("received from device.bin, 30,000") })
  }

  @Test func offeredFile_isReported_andNothingStarts() throws {
    let bench = try bench()
    try bench.receive("rz\r**\u{18}B00000000000000\r\n")
    try bench.pass(.milliseconds(300))
    #expect(bench.state.offer == .sends(.zmodem))
    #expect(bench.sent.isEmpty)
    #expect(
      bench.terminal.lines.contains {
        $0.contains("the device offers files by ZMODEM: ctrl-t X receives them.")
      })
    try bench.receive("$ ")
    #expect(bench.state.offer == nil)
  }

  @Test func textThatLooksLikeAnOffer_changesNothing() throws {
    let bench = try bench()
    try bench.receive("see **\u{18}B00000000000000\r\nand so on\r\n")
    try bench.pass(.seconds(1))
    #expect(bench.state.offer == nil)
    #expect(!bench.terminal.lines.contains { $0.contains("offers") })
  }

  @Test func anOfferEnds() throws {
    let bench = try bench()
    try bench.receive("**\u{18}B0100000023be50\r\n")
    try bench.pass(.milliseconds(300))
    #expect(bench.state.offer == .requests(.zmodem))
    try bench.pass(.seconds(31))
    #expect(bench.state.offer == nil)
    try bench.receive("**\u{18}B0100000023be50\r\n")
    try bench.pass(.milliseconds(300))
    try bench.unplug()
    #expect(bench.state.offer == nil)
  }

  // MARK: Ends

  @Test(arguments: [TransferProtocol.xmodem, .ymodem, .zmodem])
  func aKeyStops_andTheDeviceIsNotified(_ kind: TransferProtocol) throws {
    let bench = try bench()
    let machine: any TransferMachine =
      kind == .zmodem
      ? ZmodemReceiver(conditions: TransferConditions())
      : BlockReceiver(kind == .xmodem ? .xmodem : .ymodem)
    let device = DeviceProgram(machine, at: bench)
    bench.link?.appetite = 20_000
    try bench.interface.transfer(order(kind, bench.file(of: 60_000, in: folder)))
    try device.begin()
    try device.pass(.milliseconds(200))
    try bench.type("abc")
    #expect(bench.terminal.lines.contains { $0.contains("not sent (3 bytes): ") })
    try bench.type("\u{3}")
    bench.link?.appetite = .max
    bench.session.handle(.writable)
    try device.finish()
    #expect(device.end == .failed(.cancelled))
    #expect(bench.state.exchange == nil)
    #expect(
      bench.terminal.lines.contains { $0.contains("image.bin was not sent completely") })
    #expect(bench.interface.focus.port.controller.sending.hasCutFile)
    // The user can write again.
    try bench.type("k")
    #expect(bench.sent.last == UInt8(ascii: "k"))
  }

  @Test func quittingAsks() throws {
    let bench = try bench()
    try bench.interface.transfer(order(.ymodem, bench.file(of: 5_000, in: folder)))
    try bench.command("q")
    #expect(bench.app.outcome == nil)
    #expect(bench.interface.leaving.questions.isAskingToQuit)
  }

  @Test func ymodemEndsWithTheDevice() throws {
    let bench = try bench()
    let device = DeviceProgram(BlockReceiver(.ymodem), at: bench)
    try bench.interface.transfer(order(.ymodem, bench.file(of: 60_000, in: folder)))
    try device.begin()
    var count = 0
    try device.exchange {
      count += 1; return count > 20
    }
    try bench.unplug()
    #expect(bench.state.exchange == nil)
    #expect(
      bench.terminal.lines.contains { $0.contains("image.bin was not sent completely") })
  }

  @Test(arguments: [true, false])
  func zmodemContinuesWhenTheDeviceIsBack(_ isSending: Bool) throws {
    let bench = try bench()
    let device: DeviceProgram
    if isSending {
      device = DeviceProgram(ZmodemReceiver(conditions: TransferConditions()), at: bench)
      bench.link?.appetite = 40_000
      try bench.interface.transfer(order(.zmodem, bench.file(of: 100_000, in: folder)))
      try device.begin()
      try device.pass(.milliseconds(500))
    } else {
      device = DeviceProgram(ZmodemSender(conditions: TransferConditions()), at: bench)
      device.files = [("image.bin", contents(100_000))]
      try bench.interface.transfer(
        TransferOrder(
          fileProtocol: .zmodem, files: .receive(into: folder.path, IncomingFolder.Rules())))
      var count = 0
      try device.begin {
        count += 1; return count > 6
      }
    }
    try bench.unplug()
    #expect(!bench.session.isOpen)
    // Typed bytes are refused meanwhile, as during the transfer.
    #expect(bench.state.exchange != nil)
    guard case .transfer(let status)? = bench.state.progress else {
      Issue.record("\(String(describing: bench.state.progress))")
      return
    }
    #expect(status.isInterrupted)
    try bench.pass(.seconds(3))
    try bench.plug()
    #expect(bench.session.isOpen)
    try device.finish()
    #expect(bench.state.exchange == nil)
    #expect(device.end == .done)
    let whole = isSending ? device.received.first?.contents : try folder("image.bin").contents()
    #expect(whole == contents(100_000))
    #expect(
      bench.terminal.lines.contains { $0.contains(" image.bin, ") && $0.contains("100,000") })
  }

  // MARK: The line

  @Test func aLineThatCannotCarryIt_isRefusedBeforeAnythingIsSent() throws {
    let settings = LineSettings(baudRate: 115_200, flowControl: .soft)
    let bench = try bench { $0.settings = settings }
    let path = try bench.file(of: 10, in: folder)
    #expect(throws: Failure.self) { try bench.interface.transfer(order(.ymodem, path)) }
    #expect(bench.state.exchange == nil)
    try bench.interface.transfer(order(.zmodem, path))
    #expect(bench.state.exchange != nil)
  }

  @Test func theCheckNamesTheChange() throws {
    let soft = LineCheck(settings: LineSettings(flowControl: .soft), latency: nil)
    #expect(soft.obstacle(to: .xmodem)?.contains("--flow none") == true)
    #expect(soft.obstacle(to: .zmodem) == nil)
    #expect(soft.obstacle(to: .raw) == nil)
    let seven = LineCheck(settings: LineSettings(dataBits: .seven, parity: .even), latency: nil)
    #expect(seven.obstacle(to: .zmodem)?.contains("--data-bits 8") == true)
    #expect(seven.obstacle(to: .ascii) == nil)
    let slow = LineCheck(settings: LineSettings(), latency: 16)
    let advice = slow.advice(on: .xmodem1K)
    #expect(advice?.contains("84 %") == true)
    #expect(advice?.contains("98 %") == true)
    #expect(advice?.contains("--low-latency") == true)
    #expect(slow.advice(on: .xmodem)?.contains("40 %") == true)
    #expect(slow.advice(on: .zmodem) == nil)
    #expect(LineCheck(settings: LineSettings(), latency: 1).advice(on: .xmodem) == nil)
  }

  @Test func aSizeThatNoFileHas_isShown() {
    var status = TransferStatus()
    (status.name, status.number, status.rate) = (Array("huge".utf8), 1, 1)
    status.size = .max
    #expect(status.timeLeft == nil)
    #expect(status.line.hasPrefix("huge 0 % ["))
    (status.size, status.rate) = (3_600, 10)
    #expect(status.line.hasSuffix("10 B/s, 6:00 left"))
  }

  @Test func pacedInputIsText() throws {
    var pacing = Pacing()
    pacing.byteDelay = .seconds(1)
    let bench = try bench { $0.pacing = pacing }
    let device = DeviceProgram(BlockReceiver(.xmodem), at: bench)
    try bench.interface.transfer(order(.xmodem, bench.file(of: 300, in: folder)))
    try device.begin()
    try device.finish()
    #expect(device.end == .done)
    try bench.type("ab")
    #expect(bench.sent.suffix(1) == [UInt8(ascii: "a")])
  }
}
