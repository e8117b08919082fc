import Posix
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(30))) struct DeviceIDTests {
  @Test func numbersOfARealDevice_areTheKernelsOwn() throws {
    let null = try FilePath("/dev/null").stat().specialDeviceID
    #expect(null.majorNumber == 1)
    #expect(null.minorNumber == 3)
  }

  @Test(arguments: [
    (1, false), (3, true), (4, false), (135, false), (136, true), (143, true), (144, false),
  ])
  func pseudoTerminal_isKnownByItsMajorNumber(major: UInt32, isOne: Bool) {
    #expect(DeviceID(majorNumber: major, minorNumber: 7).isPseudoTerminal == isOne)
  }

  @Test(
    arguments: [
      (0, 0), (188, 0), (4, 64), (136, 255), (136, 256), (136, 1_048_575), (4_095, 1),
      (4_096, 65_536), (UInt32.max, UInt32.max),
    ] as [(UInt32, UInt32)])
  func numbers_areTakenApart_asTheyWerePutTogether(major: UInt32, minor: UInt32) {
    let id = DeviceID(majorNumber: major, minorNumber: minor)
    #expect(id.majorNumber == major)
    #expect(id.minorNumber == minor)
  }
}
