import Observing
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import DeviceWatch

/// libudev with hardware that is plugged in and unplugged, on an invented computer.
@Suite(.timeLimit(.minutes(30))) struct MockMachineTests {
  private static let plugCount = repetitions(100)

  @Test(
    .enabled(
      if: MockMachine.isHere || MockMachine.isInstalled, "needs umockdev and python3-gi"))
  func everyPlugAndUnplug_isReportedOnce_andTheFinalListIsRight() throws {
    // Runs this same test again, under umockdev.
    guard MockMachine.isHere else { return try runOnTheMockMachine() }
    let watcher = DeviceWatcher(source: try UdevSource())
    let recorder = DeviceRecorder()
    watcher.addObserver(recorder)
    try watcher.startIfNeeded()
    let first = try #require(watcher.devices.first)
    #expect(watcher.devices == [Self.adapter(0, creationNumber: first.creationNumber)])
    #expect(first.creationNumber != nil)
    let descriptorCount = FilePath("/proc/self/fd").entryNames().count

    let pace = try FileDescriptor.open(#require(MockMachine.paceTaker), .writeOnly)
    recorder.onEvent = { event in
      guard event.disappearance != nil else { return }
      #expect(throws: Never.self) { try pace.writeAll([1]) }
    }
    try pace.writeAll([1])
    handle(
      watcher.descriptor, with: watcher.handleReadable,
      until: { watcher.devices.contains { $0.kind == .acm } }, within: .seconds(60))

    #expect(watcher.devices.map(\.node) == ["/dev/ttyACM0", "/dev/ttyUSB0", "/dev/ttyUSB2"])
    let comings = recorder.heard.compactMap(\.appearance).map(\.serialNumber)
    let numbers = (1...Self.plugCount + 2).map(Self.serialNumber)
    #expect(comings == numbers, "each came, in order, and was told apart")
    #expect(recorder.heard.compactMap(\.disappearance).map(\.serialNumber) == numbers.dropLast(2))
    #expect(recorder.heard.suffix(3).map { $0.change?.new.node } == [nil, "/dev/ttyUSB2", nil])
    try pace.close()
    let links = ["/dev/board2", "/dev/serial/by-id/usb-FTDI_\(numbers[Self.plugCount])-if00-port0"]
    #expect(watcher.devices.last?.links == links.map { FilePath($0) })
    #expect(FilePath("/proc/self/fd").entryNames().count == descriptorCount)
  }

  private func runOnTheMockMachine() throws {
    let outcome = try MockMachine.run("MockMachineTests", plugCount: Self.plugCount)
    let passed = "everyPlugAndUnplug_isReportedOnce_andTheFinalListIsRight() passed"
    if !outcome.hasSucceeded || !outcome.output.contains(passed) {
      Issue.record("\(outcome.output)")
    }
  }

  /// The expected adapter of the computer. umockdev provides links only in events.
  private static func adapter(_ number: Int, creationNumber: UInt64?) -> Device {
    Device(
      syspath: "/sys/devices/usb1-\(number)/1-\(number):1.0/ttyUSB0", node: "/dev/ttyUSB0",
      kind: .usb, creationNumber: creationNumber, driver: "ftdi_sio", vendorID: 0x0403,
      productID: 0x6001, serialNumber: serialNumber(number), manufacturer: "FTDI",
      product: "FT232R USB UART", interfaceNumber: 0,
      physicalPath: "pci-0000:00:14.0-usb-0:\(number):1.0",
      hardwarePath: "/sys/devices/usb1-\(number)/1-\(number):1.0")
  }

  private static func serialNumber(_ number: Int) -> String {
    "A" + String(repeating: "0", count: max(0, 4 - "\(number)".count)) + "\(number)"
  }
}
