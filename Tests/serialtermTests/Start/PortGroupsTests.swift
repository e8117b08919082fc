import Testing

@testable import serialterm

struct PortGroupsTests {
  @Test func unknownGroup_isNamed_withThoseOfThePorts() {
    #expect(
      PortGroups.unknown("dialout", among: ["uucp"])
        == "there is no group dialout. The serial ports of this computer belong to uucp.")
    #expect(PortGroups.unknown("x\u{1B}", among: []).contains("\u{1B}") == false)
  }
}
