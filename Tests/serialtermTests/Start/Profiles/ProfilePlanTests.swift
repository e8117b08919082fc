import Configuration
import DeviceWatch
import Options
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TestSupport
import Testing
import TextStages
import TextTools

@testable import serialterm

/// The parts of a session that are written to a profile.
@Suite(.timeLimit(.minutes(30))) struct ProfilePlanTests {
  private func state(_ change: (inout TerminalState) -> Void = { _ in }) -> TerminalState {
    var state = TerminalState()
    state.session = .open(.tty("/dev/ttyUSB0"), LineSettings())
    change(&state)
    return state
  }

  /// The changes as TOML. A key without a value is removed.
  private func changes(
    _ state: TerminalState, file: String = "", name: String = "board"
  ) throws -> [String] {
    let contents = try ConfigurationFile(parsing: Array(file.utf8), check: ProfileFile.check)
    return ProfilePlan.changes(
      saving: state, under: contents.defaults, over: contents.profile(named: name)
    ).map { change in change.value.map { "\(change.key) = \($0)" } ?? change.key }
  }

  @Test func `A session with the defaults has only its device`() throws {
    #expect(try changes(state()) == [#"target = "/dev/ttyUSB0""#])
  }

  @Test func `What was changed is written, and nothing else`() throws {
    let changed = state {
      $0.requestedSettings = LineSettings(baudRate: 9_600, parity: .even)
      $0.reconnects = false
      $0.echoesLocally = true
      $0.lineEnding = .crlf
      $0.view.timestamps = TimestampFormat(.delta)
      $0.view.map = (try? MapList(parsing: "ICRNL")) ?? MapList()
    }
    #expect(
      try changes(changed) == [
        #"target = "/dev/ttyUSB0""#, "reconnect = false", "baud = 9600", #"parity = "even""#,
        "local-echo = true", #"line-ending = "crlf""#, #"timestamps = "delta""#,
        #"map = "from-device:cr=lf""#,
      ])
  }

  @Test func `What [default] says is not repeated, and cancelled where the session differs`() throws
  {
    let file =
      "[default]\nbaud = 9600\nhex = true\ntimestamps = 'time'\nparity = 'even'\nno-reconnect = true\n"
    let session = state { $0.requestedSettings.baudRate = 9_600 }
    #expect(
      try changes(session, file: file) == [
        #"target = "/dev/ttyUSB0""#, "reconnect = true", #"parity = "none""#, "hex = false",
        "timestamps = false",
      ])
  }

  @Test func `A profile keeps what it says already, in whatever form`() throws {
    let file =
      "[profile.board]\ntarget = 'usb:1:2'\nbaud = 0x2580\nmap = 'ICRNL'\ntimestamps = true\nparity = 'none'\nno-reconnect = true\n[profile.board.snippets]\nx = 'y'\n"
    let session = state {
      $0.requestedSettings.baudRate = 9_600
      $0.view.map = (try? MapList(parsing: "from-device:cr=lf")) ?? MapList()
      $0.view.timestamps = TimestampFormat(.time)
      $0.reconnects = false
    }
    #expect(try changes(session, file: file) == [])
    #expect(
      try changes(state(), file: file)
        == ["no-reconnect", "baud", "timestamps", "map"], "the defaults are not written")
  }

  @Test func `What the command line says and no command changes is written too`() throws {
    let session = state {
      $0.origin.given = Given().with("on-open", ["dtr=off,wait=100,dtr=on"])
        .with("low-latency", ["true"]).with("log", ["a", "b"]).with("line-delay", ["20"])
        .with("filter", ["grep x"]).with("baud", ["300"])
    }
    #expect(
      try changes(session) == [
        #"target = "/dev/ttyUSB0""#, #"on-open = "dtr=off,wait=100,dtr=on""#, "low-latency = true",
        #"log = ["a", "b"]"#, "line-delay = 20",
      ], "a rate that was changed back, and a program, are not written")
    #expect(
      try changes(session, file: "[profile.board]\nmatch = 'usb:1:2'\nlog-sent = true\n").first
        == #"on-open = "dtr=off,wait=100,dtr=on""#, "match finds the device")
  }

  @Test func `Expressions of the user stay as they were given`() throws {
    let own = try Highlight.parsing("ERROR=red")
    let session = state {
      $0.view.highlights = own
      $0.view.isHighlighting = true
      $0.origin.given = Given().with("highlight", ["ERROR=red"])
    }
    #expect(try changes(session).last == #"highlight = "ERROR=red""#)
    var off = session
    off.view.isHighlighting = false
    #expect(
      try changes(off, file: "[profile.board]\nhighlight = 'ERROR=red'\n").last == "highlight")
  }

  // MARK: The device

  private func device(
    _ number: Int, serial: String?, place: String? = nil
  ) -> Device {
    Device(
      syspath: "/sys/\(number)", node: FilePath("/dev/ttyUSB\(number)"), kind: .usb,
      vendorID: 0x0403, productID: 0x6001, serialNumber: serial, physicalPath: place)
  }

  private func target(_ devices: [Device], given: Target? = nil, at path: String = "/dev/ttyUSB0")
    throws
    -> String?
  {
    let session = state {
      $0.session = .open(.tty(FilePath(path)), LineSettings())
      $0.program.devices = devices
      $0.origin.target = given
    }
    return try changes(session).first
  }

  @Test func `The device is named so that it is found again`() throws {
    #expect(
      try target([device(0, serial: "FT1"), device(1, serial: "FT2")])
        == #"target = "usb:0403:6001:FT1""#)
    #expect(
      try target([
        device(0, serial: "FT1", place: "pci-1"), device(1, serial: "FT1", place: "pci-2"),
      ])
        == #"target = "port:pci-1""#, "two with one serial number")
    #expect(
      try target([device(0, serial: nil, place: "pci-1")]) == #"target = "port:pci-1""#)
    #expect(try target([device(0, serial: nil)]) == #"target = "/dev/ttyUSB0""#)
    #expect(
      try target([device(0, serial: "FT1")], at: "/dev/serial/by-id/x")
        == #"target = "/dev/serial/by-id/x""#)
    #expect(
      try target(
        [device(0, serial: "FT1")],
        given: .device(.fitting(.usb(vendorID: 0x0403, productID: 0x6001))))
        == #"target = "usb:0403:6001""#, "as the user has said it")
    #expect(
      try target([device(0, serial: "FT1")], given: .device(.latest))
        == #"target = "usb:0403:6001:FT1""#)
  }

  // MARK: The session

  /// The output, without the line breaks inside of messages.
  private func answers(_ bench: InterfaceBench) -> String {
    String(decoding: bench.terminal.written, as: UTF8.self)
      .replacing(text: "\r\n  ", with: " ")
  }

  private func write(_ text: String, to path: FilePath) throws {
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    try file.closeAfter { _ = try file.writeAll(text.utf8) }
  }

  private func contents(_ path: FilePath) throws -> String {
    String(decoding: try ProfileFile.document(at: path), as: UTF8.self)
  }

  private func bench(_ path: FilePath, profile: String? = nil) throws -> InterfaceBench {
    let bench = try InterfaceBench()
    try bench.begin()
    bench.interface.model.update {
      $0.origin.file = path
      $0.origin.profile = profile
      $0.requestedSettings.baudRate = 9_600
    }
    return bench
  }

  @Test func `A new profile is shown, confirmed and written`() throws {
    let folder = try TemporaryFolder()
    let path = folder("config.toml")
    let bench = try bench(path)
    bench.interface.perform(.saveProfile, from: .palette)
    try bench.type("board\r")
    #expect(answers(bench).contains("+ [profile.board]"))
    #expect(answers(bench).contains("+ baud = 9600"))
    #expect(throws: Errno.noSuchFileOrDirectory) { try path.stat() }
    try bench.type("yes\r")
    #expect(try contents(path) == "[profile.board]\ntarget = \"fake:1\"\nbaud = 9600\n")
    bench.interface.perform(.saveProfile, from: .palette)
    try bench.type("board\r")
    #expect(answers(bench).contains("No change: the profile board already has these settings."))
    bench.end()
  }

  @Test func `The session's own profile comes first, and Enter alone changes nothing`() throws {
    let folder = try TemporaryFolder()
    let path = folder("config.toml")
    let text = "[profile.other]\nbaud = 300\n[profile.mine]\nbaud = 300 # slow\n"
    try write(text, to: path)
    let bench = try bench(path, profile: "mine")
    bench.interface.perform(.saveProfile, from: .palette)
    try bench.type("\r")
    #expect(answers(bench).contains("- baud = 300 # slow"))
    try bench.type("\r")
    #expect(answers(bench).contains("Nothing was written."))
    #expect(try contents(path) == text)
    bench.interface.perform(.saveProfile, from: .palette)
    try bench.type("mine\r")
    try bench.type("yes\r")
    #expect(
      try contents(path)
        == "[profile.other]\nbaud = 300\n[profile.mine]\nbaud = 9600 # slow\ntarget = \"fake:1\"\n")
    bench.end()
  }

  @Test func `A file that changes while the question is open is left alone`() throws {
    let folder = try TemporaryFolder()
    let path = folder("config.toml")
    try write("[profile.a]\nhex = true\n", to: path)
    let bench = try bench(path)
    bench.interface.perform(.saveProfile, from: .palette)
    try bench.type("a\r")
    try write("[profile.a]\nhex = false\n", to: path)
    try bench.type("yes\r")
    #expect(answers(bench).contains("the file has changed meanwhile"))
    #expect(try contents(path) == "[profile.a]\nhex = false\n")
    bench.end()
  }

  @Test func `A broken file, an inline table and a bad name are refused in words`() throws {
    let folder = try TemporaryFolder()
    let path = folder("config.toml")
    try write("[profile.a]\nnonsense = 1\n", to: path)
    let broken = try bench(path)
    broken.interface.perform(.saveProfile, from: .palette)
    try broken.turn()
    #expect(answers(broken).contains("config.toml:2: unknown key 'nonsense'"))
    broken.end()
    try write("profile.a = { hex = true }\n", to: path)
    let inline = try bench(path)
    inline.interface.perform(.saveProfile, from: .palette)
    try inline.type("a\r")
    #expect(
      answers(inline).contains("the profile cannot be changed: 'profile.a' is an inline table"))
    inline.interface.perform(.saveProfile, from: .palette)
    try inline.type("a/b\r")
    #expect(inline.interface.dialogs.isOpen, "the name is off in the list")
    inline.end()
    #expect(try contents(path) == "profile.a = { hex = true }\n")
  }
}
