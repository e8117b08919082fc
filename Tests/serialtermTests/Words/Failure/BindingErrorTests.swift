import DeviceWatch
import SerialCore
import Sessions
import SystemPackage
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct BindingErrorTests {
  private static func device(_ number: Int) -> Device {
    Device(
      syspath: "/sys/\(number)", node: FilePath("/dev/ttyUSB\(number)"), kind: .usb,
      vendorID: 0x0403, productID: 0x6001, serialNumber: "A\(number)")
  }

  private let old = device(0)
  private let young = device(1)
  private let uart = Device(
    syspath: "/sys/uart", node: "/dev/ttyS0", kind: .uart, creationNumber: 99, driver: "serial8250")

  @Test func absence_listsThePresentDevices() {
    let failure = Failure(noneFor: .latest, among: [uart])
    #expect(failure.status == .deviceNotFound)
    #expect(failure.message.contains("hot-pluggable"))
    #expect(failure.message.contains("\n  /dev/ttyS0  serial8250"))
    #expect(Failure(noneFor: .latest, among: []).message.contains("serialterm doctor"))
  }

  @Test func refusal_namesThoseThatFit_andIsWrongUsage() {
    let failure = Failure(several: [old, young], for: .only)
    #expect(failure.status == .usage)
    #expect(failure.message.contains("/dev/ttyUSB0"))
    #expect(failure.message.contains("A1"))
  }

  @Test func bindingErrors_haveTheirStatuses_andNameARemedy() {
    let missing = SerialError(.notFound, in: "open", at: .tty("/dev/ttyUSB7"))
    let cases: [(BindingError, Failure)] = [
      (.noTarget, Failure(.usage, "serialterm list")),
      (.none(.fitting(.serial("X")), among: []), Failure(.deviceNotFound, "--wait")),
      (.none(.latest, among: []), Failure(.deviceNotFound, "serialterm doctor")),
      (.several(.fitting(.serial("X")), [old, young]), Failure(.usage, "/dev/ttyUSB1")),
      (.port(missing), Failure(.deviceNotFound, "/dev/ttyUSB7")),
      (.system(.tooManyOpenFiles), Failure(.otherFailure, "system call")),
    ]
    for (error, expected) in cases {
      #expect(Failure(error).status == expected.status)
      #expect(Failure(error).message.contains(expected.message), "\(error)")
    }
  }

  @Test func unresolvedEndpoint_isAsTheUserWroteIt_orInWords() {
    #expect(Endpoint(.unresolved, "new").inWords == "the next device that is plugged in")
    #expect(Endpoint(.unresolved, "usb:0403:6001").inWords == "usb:0403:6001")
    #expect(Endpoint.tty("new").inWords == "new")
  }
}
