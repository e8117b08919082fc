import SystemPackage
import Testing

@testable import serialterm

@Suite struct SocketDenialTests {
  @Test func words_nameWhoMayUseTheSocket_andTheWayIn() {
    func words(_ owner: String, _ group: String, _ mode: CModeT) -> String {
      SocketDenial(
        SocketDenial.Socket(owner: owner, group: group, mode: FilePermissions(rawValue: mode))
      ).words
    }
    #expect(
      words("root", "root", 0o600)
        == "only root may use this socket (mode 0600). Start serve with --group.")
    #expect(
      words("root", "dialout", 0o660)
        == "only root and members of the group dialout may use this socket (mode 0660). Join that group, and log in "
        + "again.")
    #expect(SocketDenial(nil).words == "its folder may not be entered.")
  }
}
