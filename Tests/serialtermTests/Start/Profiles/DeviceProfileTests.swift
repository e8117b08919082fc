import Configuration
import DeviceWatch
import Options
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TestSupport
import Testing

@testable import serialterm

@Suite("A profile that is selected by the device", .timeLimit(.minutes(30)))
struct DeviceProfileTests {
  private static let text = """
    [default]
    baud = 1200
    local-echo = true
    log = "all.log"
    [profile.board]
    match = "serial:AAA"
    baud = 9600
    parity = "odd"
    hangup = false
    on-open = "dtr=off,wait=100,dtr=on"
    log = ["a.log", "b.log"]
    prefix = "ctrl-a"
    timeout = 2
    line-ending = "cr"
    byte-delay = 3
    [profile.kind]
    match = "usb:0403:6001"
    flow = "hard"
    protocol = "xmodem"
    """

  private static func device(_ serial: String, product: UInt16 = 0x6001) -> Device {
    Device(
      syspath: "/sys/\(serial)", node: FilePath("/dev/ttyTEST"), kind: .usb, vendorID: 0x0403,
      productID: product, serialNumber: serial)
  }

  private let folder: TemporaryFolder
  /// The configuration.
  private let path: FilePath

  init() throws {
    folder = try TemporaryFolder()
    path = folder("config.toml")
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    _ = try file.closeAfter { try file.writeAll(Self.text.utf8) }
  }

  /// Reads a command line, with devices or none.
  private func reading(_ words: [String], among devices: [Device]) throws
    -> CommandLineReader.Reading
  {
    try serialtermTests.reading(words + ["--config", path.string], among: devices)
  }

  @Test(
    "the command is the same as with the device present",
    arguments: [
      ["connect", "usb:0403:6001", "--wait"], ["connect", "--wait"],
      ["connect", "serial:AAA", "--wait", "-b", "300", "--no-local-echo", "-L", "mine"],
      ["connect", "latest", "--wait", "--parity", "none", "--hangup"],
      ["send", "usb:0403:6001", "x", "--wait"], ["send", "serial:AAA", "x", "--timeout", "7"],
      ["run", "latest", "script", "--wait"],
    ], ["AAA", "BBB"])
  func equal(_ line: [String], _ serial: String) throws {
    let device = Self.device(serial)
    if line.contains("serial:AAA") && serial != "AAA" { return }
    let early = try reading(line, among: [device])
    #expect(early.deviceProfile == nil, "nothing is left to be known")
    let late = try #require(try reading(line, among: []).deviceProfile)
    try expectEqual(early.command, late, device)
  }

  private func expectEqual<Command: ProfiledCommand>(
    _ early: Command, _ late: DeviceProfile, _ device: Device
  ) throws {
    let late = try late.command(for: device, like: early)
    #expect(late.values == early.values)
    #expect(late.namedTarget == early.namedTarget)
    #expect(late.profile == early.profile)
  }

  @Test(
    "what is for a protocol is checked with the profile of the device",
    arguments: [
      (["--name", "x"], "AAA", "--name is for"), (["--name", "x"], "BBB", nil),
      ([], "AAA", nil), ([], "BBB", "XMODEM sends no name"),
    ])
  func checked(_ words: [String], _ serial: String, _ problem: String?) throws {
    let reading = try reading(["receive", "latest", "--wait"] + words, among: [])
    let start = try #require(reading.command as? ReceiveCommand)
    let late = try #require(reading.deviceProfile)
    expect(problem) { _ = try start.found(Self.device(serial), late) }
  }

  @Test(
    "whether files are transferred may not depend on the device",
    arguments: [
      ([], "AAA", nil), ([], "BBB", "give --protocol xmodem, too"),
      (["--protocol", "xmodem"], "AAA", nil),
      (["--progress", "none"], "AAA", "--progress is for --protocol"),
    ])
  func decidedBefore(_ words: [String], _ serial: String, _ problem: String?) throws {
    let reading = try reading(["send", "latest", "--wait", "--file", "f"] + words, among: [])
    let start = try #require(reading.command as? SendCommand)
    let late = try #require(reading.deviceProfile)
    expect(problem) { _ = try start.found(Self.device(serial), late) }
  }

  /// Expects a failure with a text, or none.
  private func expect(_ problem: String?, _ body: () throws -> Void) {
    do {
      try body()
      #expect(problem == nil)
    } catch {
      let failure = error as? Failure
      #expect(failure?.status == .usage)
      #expect(problem.map { failure?.message.contains($0) == true } == true)
    }
  }

  @Test("the command line overrides the profile, which overrides the settings for all")
  func order() throws {
    let reading = try reading(["connect", "new", "--parity", "even"], among: [])
    let start = try #require(reading.command as? ConnectCommand)
    let late = try #require(reading.deviceProfile)
    #expect(start.values.lineSettings.baudRate == 1200)
    let board = try late.command(for: Self.device("AAA"), like: start)
    #expect(board.values.lineSettings.baudRate == 9600)
    #expect(board.values.lineSettings.parity == .even)
    #expect(try board.connectConfiguration.values[KeyboardParameters.localEcho])
    #expect(board.values.logConfiguration.files == ["a.log", "b.log"])
    let other = try late.command(for: Self.device("ZZZ", product: 1), like: start)
    #expect(other.values.lineSettings.baudRate == 1200)
    #expect(other.values.logConfiguration.files == ["all.log"])
    #expect(board.values != other.values, "what the other test compares tells them apart")
  }

  @Test(
    "a profile that was named, and a simulation, depend on no device",
    arguments: [
      ["connect", "new", "--profile", "kind"], ["connect", "board"], ["connect", "loopback:"],
    ])
  func decided(_ line: [String]) throws {
    #expect(try reading(line, among: []).deviceProfile == nil)
  }

  // MARK: An additional device

  @Test(
    "an additional device has the options of the command line and its own profile",
    arguments: [
      ["connect", "serial:ZZZ", "--wait", "--parity", "none"],
      ["connect", "--parity", "none"],
      ["connect", "/dev/ttyONE", "--parity", "none", "/dev/ttyTWO"],
    ])
  func furtherDevice_hasItsOwnProfile(line: [String]) throws {
    let reading = try reading(line, among: [Self.device("AAA")])
    let additional = try #require(reading.additional)
    let command = try #require(try additional(.tty("/dev/ttyTEST")) as? ConnectCommand)
    #expect(command.namedTarget == .endpoint(.tty("/dev/ttyTEST")))
    #expect(reading.others.count <= 1)
    #expect(command.profile.name == "board")
    #expect(command.values.lineSettings.baudRate == 9600)
    #expect(command.values.lineSettings.parity == LineSettings.Parity.none)
    // No profile is for this device.
    let other = try #require(try additional(.tty("/dev/ttyOTHER")) as? ConnectCommand)
    #expect(other.profile.name == nil)
    #expect(other.values.lineSettings.baudRate == 1200)
  }

  // MARK: A session that is joined

  @Test func `Who joins has the profile of the port, whatever devices there are`() throws {
    let reading = try reading(["attach", "x", "--line-ending", "lf"], among: [Self.device("AAA")])
    let ofProfile = try #require(reading.ofProfile)
    let board = try #require(try ofProfile("board") as? AttachCommand)
    #expect(board.profile.name == "board")
    // The log of the profile is that of the session.
    #expect(board.values.logConfiguration.files == ["all.log"])
    // The command line has precedence.
    #expect(board.values[KeyboardParameters.lineEnding] == .lf)
    let none = try #require(try ofProfile("") as? AttachCommand)
    #expect(none.profile.name == nil)
    #expect(none.values[KeyboardParameters.localEcho])
    #expect(try ofProfile("of another configuration") == nil)
    let named = try serialtermTests.reading(
      ["attach", "--profile", "kind", "--config", path.string], among: [])
    let ofOther = try #require(named.ofProfile)
    #expect(try ofOther("board") == nil)
  }
}
