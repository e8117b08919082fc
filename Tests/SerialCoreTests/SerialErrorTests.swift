import SystemPackage
import Testing

@testable import SerialCore

struct SerialErrorTests {
  @Test(arguments: [
    (Errno.noSuchFileOrDirectory, SerialError.Code.notFound), (.notDirectory, .notFound),
    (.tooManySymbolicLinkLevels, .notFound),
    // The node is there, without its device.
    (.operationNotSupportedByDevice, .noHardware), (.noSuchAddressOrDevice, .noHardware),
    (.ioError, .noHardware),
    (.permissionDenied, .permissionDenied), (.notPermitted, .permissionDenied),
    (.resourceBusy, .busy), (.inappropriateIOCTLForDevice, .notASerialPort),
    (.tooManyOpenFiles, .system),
  ])
  func errorOfOpening_isACode(_ errno: Errno, _ expected: SerialError.Code) {
    #expect(SerialError(opening: "/dev/x", errno, in: "open").code == expected)
  }
}
