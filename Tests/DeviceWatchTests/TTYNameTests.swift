import Testing

@testable import DeviceWatch

@Suite(.timeLimit(.minutes(30))) struct TTYNameTests {
  @Test(arguments: [
    "ttyS0", "ttyUSB0", "ttyUSB10", "ttyACM1", "ttyAMA0", "ttyTHS1", "ttymxc3", "ttyO2", "ttyLP0",
    "ttyGS0", "ttyprintk", "rfcomm0", "tnt1", "hvc0", "ircomm0", "ttySC0", "ttyXRUSB0", "ttysclp0",
  ])
  func ports(name: String) { #expect(TTYName.isPort(name)) }

  @Test(arguments: [
    "tty", "tty0", "tty1", "tty63", "console", "ptmx", "vcs", "vcs1", "vcsa7", "vcsu2", "ptyp0",
    "ptyef", "ttyp0", "ttyzf", "ttyaa",
  ])
  func consolesAndPseudoTerminals_areNoPorts(name: String) { #expect(!TTYName.isPort(name)) }

  @Test(arguments: [
    ("rfcomm0", true), ("ttyGS0", true), ("tnt3", true), ("ttyprintk", false), ("ttynull", false),
    ("hvc0", false),
  ])
  func virtualPort_leadsSomewhere_onlyIfItWasMadeOnPurpose(name: String, isMade: Bool) {
    #expect(TTYName.isMadeOnPurpose(name) == isMade)
  }
}
