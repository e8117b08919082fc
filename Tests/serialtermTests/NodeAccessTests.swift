import DeviceWatch
import SerialCore
import SystemPackage
import TerminalUI
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(5))) struct NodeAccessTests {
  @Test(
    arguments: [
      (0o660, "dialout", "group dialout: 'sudo usermod -aG dialout $USER', then log in again."),
      (0o600, "dialout", "root; its group dialout may not read and write it either."),
      // A terminal on which a login runs: see mesg(1).
      (0o620, "tty", "root; its group tty may not read and write it either."),
      (0o660, "root", "root alone."), (0o660, nil, "root alone."),
    ] as [(CInterop.Mode, String?, String)])
  func joiningTheGroupIsAdvised_whereItHelps(mode: CInterop.Mode, group: String?, owners: String) {
    let access = NodeAccess.denied(
      owner: "root", group: group, mode: FilePermissions(rawValue: mode))
    let error = SerialError(.permissionDenied, in: "open", at: "/dev/ttyS0")
    let message = Failure(error, access: access, holder: nil).message
    #expect(message.hasSuffix("It belongs to \(owners)"))
    let device = Device(syspath: "/sys/devices/ttyS0", node: "/dev/ttyS0", kind: .uart)
    let refusal = DeviceChooser.choices([device]) { _ in (access, nil, false) }.first?.refusal
    let admits = owners.contains("usermod")
    #expect(refusal == "permission denied\(admits ? ": you are not in group dialout" : "")")
  }
}
