import Options
import SerialCore
import Sessions
import SystemPackage
import TestSupport
import Testing

@testable import serialterm

/// Options that a port over the network does not support.
@Suite(.timeLimit(.minutes(30))) struct LinkOptionsTests {
  private static let far = "rfc2217://lab:4001"
  private static let bytes = "tcp://lab:4001"

  private let folder: TemporaryFolder
  private let path: FilePath

  init() throws {
    folder = try TemporaryFolder()
    path = folder("config.toml")
  }

  private func configure(_ text: String) throws {
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    _ = try file.closeAfter { try file.writeAll(text.utf8) }
  }

  private func command(_ words: String...) throws -> any ProfiledCommand {
    try reading(words + ["--config", path.string]).command
  }

  @Test(arguments: [
    "--low-latency", "--rs485=on", "--exclusive", "--shared", "--uucp-lock", "--mark-errors",
    "--hangup", "--no-hangup",
  ])
  func `What only this computer's kernel does is refused for every port that is elsewhere`(
    option: String
  ) throws {
    try configure("")
    for (target, reason) in [
      (Self.far, "is a port of a server"), ("ssh://lab/ttyUSB0", "is a port of a server"),
      (Self.bytes, "passes only bytes"), ("unix:/run/board.sock", "passes only bytes"),
    ] {
      let error = #expect(throws: UsageError.self) { try command("connect", target, option) }
      let name = option.prefix { $0 != "=" }
      #expect(
        error?.description == "\(name) is for a port of this computer; \(target) \(reason)")
    }
    _ = try command("connect", "ttyUSB0", option)
    _ = try command("connect", "loopback:", option)
  }

  @Test func `DTR and RTS are a server's, and bytes alone have none`() throws {
    try configure("")
    for words in [["--dtr=off"], ["--rts", "on"]] {
      _ = try reading(["connect", Self.far] + words)
      #expect(throws: UsageError.self) { try reading(["connect", Self.bytes] + words) }
    }
    _ = try command("connect", Self.bytes, "--dtr", "keep")
  }

  @Test func `Settings of bytes alone are taken, and the user is told once`() throws {
    try configure("")
    func note(_ words: String...) throws -> String? {
      let command = try reading(words + ["--config", path.string]).command
      return command.values.note(at: command.namedTarget)
    }
    #expect(
      try note("connect", Self.bytes, "-b", "9600")
        == "--baud has no effect: tcp://lab:4001 passes only bytes.")
    #expect(
      try note("send", Self.bytes, "hi", "-f", "hard", "-b", "9600", "-p", "odd")
        == "--baud, --parity and --flow have no effect: tcp://lab:4001 passes only bytes.")
    #expect(try note("connect", Self.bytes) == nil)
    #expect(try note("connect", Self.far, "-b", "9600") == nil)
    #expect(try note("connect", "ttyUSB0", "-b", "9600") == nil)
    try configure(
      "[default]\nbaud = 9600\n[profile.lab]\ntarget = 'tcp://lab:4001'\nparity = 'odd'")
    #expect(
      try note("connect", "lab") == "--parity has no effect: tcp://lab:4001 passes only bytes.",
      "what holds for all ports is not for this one")
  }

  @Test func `picocom's name for a map is explained`() throws {
    try configure("")
    func note(_ map: String) throws -> String? {
      try reading(["connect", "ttyUSB0", "-m", map, "--config", path.string]).command.values.mapNote
    }
    #expect(try note("to-device:crlf")?.contains("each CR is sent as LF") == true)
    #expect(try note("to-device:bs=del,from-device:crlf")?.contains("lf=crlf") == true)
    #expect(try note("to-device:cr=lf,from-device:lf=crlf") == nil)
  }

  @Test func `A profile's entry is named with its line, for each of its targets`() throws {
    try configure(
      """
      [profile.lab]
      target = ["rfc2217://lab:4001", "tcp://lab:4002"]
      dtr = "off"
      """)
    let failure = #expect(throws: Failure.self) { try command("connect", "lab") }
    #expect(
      failure?.message
        == "\(path):3: --dtr sets a line of a serial port; tcp://lab:4002 passes only bytes")
    #expect(failure?.status == .usage)
    _ = try command("connect", "lab", "--no-dtr")
  }

  @Test func `What the defaults say is for the ports that have it`() throws {
    try configure("[default]\nlow-latency = true\nshared = true\nbaud = 9600")
    for target in [Self.far, Self.bytes] {
      let command = try command("connect", target)
      #expect(!command.values[LineParameters.lowLatency])
      #expect(command.values[SessionParameters.exclusive])
    }
    #expect(try command("connect", Self.far).values[LineParameters.baud] == 9_600)
    #expect(try command("connect", "ttyUSB0").values[LineParameters.lowLatency])
  }

  @Test func `A port that is added in the session need not follow the options of the others`()
    throws
  {
    try configure("")
    let reading = try reading(["connect", "ttyUSB0", "--low-latency", "--config", path.string])
    _ = try reading.additional?(Endpoint(.tcp, Self.bytes))
  }
}
