import DeviceWatch
import SystemPackage
import TerminalWidgets
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct NodeAccessTests {
  @Test(
    arguments: [
      (0o660, "dialout", true), (0o600, "dialout", false),
      // The terminal of a login: see mesg(1).
      (0o620, "tty", false), (0o660, "root", false), (0o660, nil, false),
    ] as [(CInterop.Mode, String?, Bool)])
  func joiningTheGroupIsAdvised_whereItHelps(mode: CInterop.Mode, group: String?, admits: Bool) {
    let access = NodeAccess.denied(
      owner: "root", group: group, mode: FilePermissions(rawValue: mode))
    let device = Device(syspath: "/sys/devices/ttyS0", node: "/dev/ttyS0", kind: .uart)
    let refusal = DeviceChooser.choices([device]) { _ in (access, nil, false) }.first?.refusal
    #expect(refusal == "permission denied\(admits ? ": you are not in group dialout" : "")")
  }
}
