import DeviceWatch
import SystemPackage
import Testing
import TextTools

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct DeviceChangeTests {
  private let device = Device(
    syspath: "/sys/x", node: "/dev/ttyUSB0", kind: .usb, driver: "ftdi_sio", interfaceNumber: 0,
    links: ["/dev/a", "/dev/b"])

  private func changes(
    _ change: (inout Device) -> Void, access: (Bool?, Bool) = (true, true)
  ) -> [DeviceChange] {
    var new = device
    change(&new)
    return DeviceChange.changes(from: (device, access.0), to: (new, access.1))
  }

  @Test func links_thatCameAndWent_areNamed() {
    let links = changes { $0.links = ["/dev/b", "/dev/c"] }
    #expect(links.text == "links: +/dev/c -/dev/a")
    #expect(
      links.json.description
        == #"{"links":{"old":["/dev/a","/dev/b"],"new":["/dev/b","/dev/c"]}}"#)
  }

  @Test func eachReportedValue_isCompared() {
    let all = changes {
      $0.node = "/dev/ttyUSB1"
      $0.driver = nil
      $0.product = "Un\u{1B}o"
      $0.interfaceNumber = 2
    }
    #expect(
      all.text == "node: /dev/ttyUSB0 -> /dev/ttyUSB1, driver: ftdi_sio -> none, "
        + "product: none -> Un\u{FFFD}o, interfaceNumber: 0 -> 2")
    #expect(all.map(\.key) == ["node", "driver", "product", "interfaceNumber"])
  }

  @Test func access_isCompared_whereItWasKnown() {
    #expect(changes({ _ in }, access: (false, true)).text == "accessible now")
    #expect(changes({ _ in }, access: (true, false)).text == "no longer accessible")
    #expect(changes({ _ in }, access: (nil, true)).isEmpty)
  }

  @Test func hiddenDifference_isReportedAsNoVisibleChange() {
    let none = changes { $0.creationNumber = 7 }
    #expect(none.text == "no visible change")
    #expect(none.json.description == "{}")
  }
}
