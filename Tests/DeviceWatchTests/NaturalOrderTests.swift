import Testing

@testable import DeviceWatch

@Suite(.timeLimit(.minutes(30))) struct NaturalOrderTests {
  /// Names in order: each precedes all that follow it.
  private static let inOrder = [
    "", "/dev/rfcomm0", "/dev/ttyACM0", "/dev/ttyS0", "/dev/ttyS2", "/dev/ttyS10", "/dev/ttyUSB",
    "/dev/ttyUSB0", "/dev/ttyUSB2", "/dev/ttyUSB2a", "/dev/ttyUSB02b", "/dev/ttyUSB10",
    "/dev/ttyUSB99999999999999999999998", "/dev/ttyUSB99999999999999999999999", "1", "a", "a0", "é",
  ]

  @Test func numbersAreComparedAsNumbers_andAllElseByteByByte() {
    let names = Self.inOrder
    for (index, name) in names.enumerated() {
      for (otherIndex, other) in names.enumerated() {
        #expect(
          naturallyPrecedes(name, other) == (index < otherIndex), "\(name) before \(other)?")
      }
    }
  }

  @Test func namesThatDifferOnlyInLeadingZeros_haveAnOrder() {
    #expect(naturallyPrecedes("tty01", "tty1"))
    #expect(!naturallyPrecedes("tty1", "tty01"))
  }
}
