import DeviceWatch
import SystemPackage
import TestSupport
import Testing

@testable import serialterm

/// The commands for several ports: when they are available, and which calls they make.
struct SeveralPortsCommandsTests {
  private let bench: PortBench
  private let user: FakeCommandUser

  private var port: Port { bench.port }

  init() throws {
    bench = try PortBench()
    user = FakeCommandUser(on: bench.loop)
  }

  private func outcome(of command: Command) -> CommandOutcome? {
    var result: CommandOutcome?
    command.perform(CommandCall(from: .key, at: port, user: user) { result = $0 })
    return result
  }

  private static func device(_ number: Int) -> Device {
    Device(
      syspath: "/sys/\(number)", node: FilePath("/dev/ttyUSB\(number)"), kind: .usb,
      vendorID: 0x0403, productID: 0x6001, serialNumber: "S\(number)")
  }

  private func useThreePorts() {
    port.model.update {
      $0.program.ports = ["a", "b", "c"]
      $0.program.focus = "b"
    }
  }

  @Test(arguments: [Command.nextPort, Command.port.command, Command.sendToAll])
  func `With one port there is nothing to switch`(command: Command) {
    #expect(outcome(of: command) == .unavailable(because: .onlyOnePort))
    #expect(user.events.isEmpty)
  }

  @Test func `The next port gets the keyboard`() {
    useThreePorts()
    #expect(outcome(of: .nextPort) == .done("What you type goes to ttyFAKE."))
    #expect(user.events == ["focus next"])
  }

  @Test func `A port is chosen from a list that begins at the present one`() {
    useThreePorts()
    user.choice = "c"
    #expect(outcome(of: Command.port.command) == .done("What you type goes to c."))
    #expect(user.events == ["port to type to", "focus c"])
    #expect(user.choices.map(\.title) == ["a", "b", "c"])
  }

  @Test func `A session that sends nothing does not type to all`() {
    useThreePorts()
    port.model.update { $0.isReadOnly = true }
    #expect(outcome(of: .sendToAll) == .unavailable(because: .readOnly))
  }

  @Test func `Devices that are in no session can be connected to`() throws {
    let command = Command.connectTo.command
    #expect(outcome(of: command) == .unavailable(because: .noFreePort))
    let (used, free) = (Self.device(0), Self.device(1))
    port.model.update {
      $0.program.devices = [used, free]
      $0.program.nodes = ["/dev/ttyUSB0"]
    }
    #expect(port.model.state.program.otherDevices == [free])
    user.choice = free.summary
    #expect(outcome(of: command) == .done)
    #expect(user.events == ["device to connect to", "connect /dev/ttyUSB1"])
  }

  @Test func `A port that cannot be opened says why`() {
    port.model.update { $0.program.devices = [Self.device(1)] }
    user.choice = Self.device(1).summary
    user.refusal = Failure(.deviceBusy, "/dev/ttyUSB1: in use.")
    #expect(outcome(of: Command.connectTo.command) == .failed("/dev/ttyUSB1: in use."))
  }
}

/// The names of ports that share a screen.
struct PortNamesTests {
  @Test(arguments: [
    (["/dev/ttyUSB0", "/dev/ttyACM1"], ["ttyUSB0", "ttyACM1"]),
    (["/dev/ttyUSB0", "/tmp/ttyUSB0"], ["/dev/ttyUSB0", "/tmp/ttyUSB0"]),
    (
      ["loopback:", "loopback:board", "loopback:"], ["loopback:", "loopback:board", "loopback:#2"]
    ),
    (["./alpha", "../beta"], ["alpha", "beta"]),
    (["usb:0403:6001", "latest"], ["usb:0403:6001", "latest"]),
  ])
  func `Names are short, and differ`(targets: [String], names: [String]) {
    #expect(PortNames(of: targets.map { (nil, $0) }).names == names)
  }

  @Test func `A profile gives its name, unless it has several devices`() {
    #expect(
      PortNames(of: [("board", "/dev/ttyUSB0"), (nil, "/dev/ttyUSB1")]).names == [
        "board", "ttyUSB1",
      ])
    #expect(
      PortNames(of: [("lab", "/dev/ttyUSB0"), ("lab", "/dev/ttyUSB1")]).names
        == ["ttyUSB0", "ttyUSB1"])
  }
}
