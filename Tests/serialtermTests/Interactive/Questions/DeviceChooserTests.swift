import DeviceWatch
import NetworkLinks
import SerialCore
import Sessions
import SystemPackage
import TerminalWidgets
import Testing

@testable import serialterm

@Suite("The choices of the device chooser", .timeLimit(.minutes(30)))
struct DeviceChooserTests {
  private let device = Device(syspath: "/sys/x", node: "/dev/ttyFAKE0", kind: .usb)

  private func choices(
    _ devices: [Device], _ places: String, offered: String = ""
  ) -> [Choice<Target?>] {
    DeviceChooser.choices(devices, LabgridListing(places: places, resources: offered).places) { _ in
      (.accessible, nil, false)
    }
  }

  private func place(_ name: String, _ consoles: [String], comment: String? = nil) -> String {
    "Place '\(name)':\n" + (comment.map { "  comment: \($0)\n" } ?? "")
      + "  acquired: lab-pc/ana\n  acquired resources:\n"
      + consoles.map { "    e1/g1/NetworkSerialPort/\($0)\n" }.joined()
  }

  @Test("places come after devices, one for each console")
  func order() {
    let places = place("one", ["a"]) + place("two", ["a", "b"]) + place("power", [])
    #expect(
      choices([device], places).map(\.label)
        == ["/dev/ttyFAKE0", "labgrid:one", "labgrid:two/a", "labgrid:two/b"])
    #expect(
      choices([], places).first?.id == .endpoint(Endpoint(.labgrid, "labgrid:one")))
  }

  @Test("the simulation is offered if there is nothing else")
  func nothing() {
    #expect(choices([], "").map(\.label) == ["loopback:board"])
    #expect(choices([], place("power", [])).map(\.label) == ["loopback:board"])
  }

  @Test("a place says its comment, and whether its exporter offers it")
  func words() {
    let places = place("one", ["a"], comment: "rack\u{1B} 3")
    let absent = choices([], places).first
    #expect(absent?.title == "rack\u{FFFD} 3")
    #expect(absent?.detail == "not offered by its exporter now")
    #expect(absent?.isEnabled == true)
    let present = choices([], place("one", ["a"]), offered: "e1/g1/NetworkSerialPort").first
    #expect(present?.title == "your place of labgrid")
    #expect(present?.detail == "")
  }

  @Test("what is no target is left out, and what is said twice is offered once")
  func hostile() {
    let places = ["-x", "a b", "*", "two"].map { place($0, ["a", "a", "-b"]) }.joined()
    #expect(choices([], places).map(\.label) == ["labgrid:two/a"])
  }
}
