import Glibc
import Posix
import SystemPackage
import Testing

@testable import SerialCore

@Suite struct NodeAdmissionTests {
  @Test func everyNodeIsOpenedForSomebodyWhoNamesIt() {
    #expect(NodeAdmission.any.refusal(of: DeviceID(majorNumber: 5, minorNumber: 0)) == nil)
  }

  @Test(arguments: [(4, 1), (4, 63), (5, 0), (5, 1), (5, 2)] as [(UInt32, UInt32)])
  func consolesAreNoSerialPorts(_ major: UInt32, _ minor: UInt32) {
    let number = DeviceID(majorNumber: major, minorNumber: minor)
    // Somebody may sit at it, on a computer with a screen.
    switch NodeAdmission.serialPorts.refusal(of: number) {
    case .attended, .notAdmitted: break
    case let other: Issue.record("\(String(describing: other))")
    }
  }

  @Test(arguments: [(4, 64), (188, 0), (166, 3)] as [(UInt32, UInt32)])
  func portsAreOpened(_ major: UInt32, _ minor: UInt32) {
    // A number that no computer of the tests has a login prompt on.
    let number = DeviceID(majorNumber: major, minorNumber: minor + 40)
    #expect(NodeAdmission.serialPorts.refusal(of: number) == nil)
    #expect(NodeAdmission.unattended.refusal(of: number) == nil)
  }

  @Test func aPseudoTerminalOfThisProgramIsAPort() throws {
    let pty = try Pty()
    let number = try pty.path.stat().specialDeviceID
    #expect(NodeAdmission.serialPorts.refusal(of: number) == nil)
    // There is none of this number, so nobody has its master.
    let other = DeviceID(majorNumber: 143, minorNumber: 1_048_575)
    #expect(NodeAdmission.serialPorts.refusal(of: other) == .notAdmitted)
    #expect(NodeAdmission.unattended.refusal(of: other) == nil)
  }
}
