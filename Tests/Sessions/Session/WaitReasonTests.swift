import SerialCore
import SystemPackage
import Testing

@testable import Sessions

struct WaitReasonTests {
  private static let endpoint = Endpoint.tty("/dev/ttyUSB0")

  private static func error(_ code: SerialError.Code, _ errno: Errno?) -> SerialError {
    SerialError(code, in: "open", at: endpoint, errno: errno)
  }

  @Test(arguments: [
    (SerialError.Code.notFound, Errno.noSuchFileOrDirectory, nil),
    (.noHardware, .operationNotSupportedByDevice, "the device does not answer (No such device)"),
    (.noHardware, .ioError, "the device does not answer (Input/output error)"),
    (.permissionDenied, .notPermitted, "permission denied"),
    (.busy, .wouldBlock, "another program uses it"),
    (.unreachable, .connectionRefused, "not reachable (Connection refused)"),
    (.system, .tooManyOpenFiles, "open failed (Too many open files)"),
  ])
  func reason_isOfTheLastAttempt(_ code: SerialError.Code, _ errno: Errno, _ expected: String?) {
    let error = Self.error(code, errno)
    #expect(SessionState.waitingForDevice(Self.endpoint, .failed(error)).waitReason == expected)
    #expect(SessionState.opening(Self.endpoint, after: .failed(error)).waitReason == expected)
  }

  @Test func sessionThatWaitsForItsDevice_hasNone() {
    let lost = Self.error(.lost, .ioError)
    for state in [
      SessionState.waitingForDevice(Self.endpoint, .absent),
      .waitingForDevice(Self.endpoint, .lost(lost)), .opening(Self.endpoint, after: nil),
      .released(Self.endpoint), .closed(.lost(lost)),
    ] { #expect(state.waitReason == nil) }
  }
}
