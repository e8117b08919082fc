import DeviceWatch
import SerialCore
import Sessions
import SystemPackage
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct DeviceTableTests {
  private let device = Device(
    syspath: "/sys/x", node: "/dev/ttyNONE9", kind: .usb, hasHardware: false, vendorID: 0x0403,
    productID: 0x6001, serialNumber: "A50285BI", manufacturer: "FTDI", product: "FT232R USB UART")

  private func lines(width: Int?) -> [String] {
    DeviceTable([device], holders: PortHolders(), width: width).lines
  }

  @Test func notes_haveTheirColumn_whereThereIsRoom() {
    #expect(lines(width: nil) == lines(width: 200))
    #expect(lines(width: nil).count == 2)
    #expect(lines(width: nil)[1].hasSuffix("FTDI FT232R USB UART  no hardware"))
  }

  @Test func consoleOfTheKernel_isNoted() {
    let device = Device(
      syspath: "/sys/x", node: "/dev/full", kind: .uart, hasHardware: false)
    let table = DeviceTable(
      [device], holders: PortHolders(), consoles: KernelConsoles(named: ["full"]))
    #expect(table.lines[1].hasSuffix("console of the kernel, no hardware"))
  }

  @Test func notes_haveTheirOwnLines_inANarrowTerminal() {
    let narrow = lines(width: 72)
    #expect(narrow.count == 3)
    #expect(narrow.allSatisfy { $0.count <= 72 })
    #expect(narrow[2] == "  no hardware")
  }
}
