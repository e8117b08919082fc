import Glibc
import SystemPackage
import Testing

@testable import Posix

@Suite struct ProcessStatusTests {
  @Test(
    arguments: [
      ("7 (cat) S 1 7 5 34817 7 4194304", 5, DeviceID(majorNumber: 136, minorNumber: 1)),
      // A command may have any characters, and a minor number more than eight bits.
      ("7 (a) b ( c) S 1 7 7 1083436 7", 7, DeviceID(majorNumber: 136, minorNumber: 300)),
      ("7 (cat) S 1 7 5 0 -1 0", 5, nil),
    ] as [(String, Int32, DeviceID?)]) func theTextIsParsed(
      _ text: String, _ session: Int32, _ terminal: DeviceID?
    ) throws
  {
    let status = try #require(ProcessStatus(parsing: text))
    #expect(status.session == session)
    #expect(status.terminal == terminal)
  }

  @Test(arguments: ["", "7 (cat)", "7 (cat) S 1 7", "7 (cat) S 1 7 x 0"])
  func otherTextIsNone(_ text: String) { #expect(ProcessStatus(parsing: text) == nil) }

  @Test func theTerminalBehindANameIsKnown() throws {
    let master = try OwnedDescriptor.open("/dev/ptmx", O_RDWR | O_NOCTTY)
    let number = try #require(master.borrowed.terminalNumber)
    #expect(number.isPseudoTerminal)
    let file = try OwnedDescriptor.open("/dev/null", O_RDONLY)
    #expect(file.borrowed.terminalNumber == nil)
  }

  @Test func aProcessHasOne() throws {
    let own = try #require(ProcessStatus(in: "/proc/self"))
    #expect(own.session == getsid(0))
    #expect(ProcessStatus(in: "/proc/0") == nil)
  }
}
