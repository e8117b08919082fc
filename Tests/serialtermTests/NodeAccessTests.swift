import DeviceWatch
import SerialCore
import SystemPackage
import TerminalUI
import Testing

@testable import serialterm

@Suite struct NodeAccessTests {
  @Test(
    arguments: [
      (0o660, "dialout", "dialout"), (0o666, "dialout", "dialout"), (0o600, "dialout", nil),
      // A terminal on which a login runs: see `mesg`.
      (0o620, "tty", nil), (0o660, "root", nil), (0o660, nil, nil),
    ] as [(CInterop.Mode, String?, String?)])
  func groupIsNamed_ifItsMembersMayUseTheNode(mode: CInterop.Mode, group: String?, named: String?) {
    let access = NodeAccess.denied(
      owner: "root", group: group, mode: FilePermissions(rawValue: mode))
    let error = SerialError(.permissionDenied, in: "open", at: "/dev/ttyS0")
    let message = Failure(error, access: access, holder: nil).message
    let device = Device(syspath: "/sys/devices/ttyS0", node: "/dev/ttyS0", kind: .uart)
    let refusal = DeviceChooser.choices([device]) { _ in (access, nil) }.first?.refusal
    if let named {
      #expect(message.contains("It belongs to group \(named): 'sudo usermod -aG \(named) $USER'"))
      #expect(refusal == "permission denied: you are not in group \(named)")
    } else {
      #expect(message.hasSuffix("It belongs to root alone."))
      #expect(refusal == "permission denied")
    }
  }
}
