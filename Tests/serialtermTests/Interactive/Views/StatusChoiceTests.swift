import SerialCore
import SystemPackage
import Terminal
import TestSupport
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct StatusChoiceTests {
  /// Whether a new session shows the status line.
  private static func begins(_ options: InterfaceBench.Options) throws -> Bool {
    let bench = try InterfaceBench(options)
    try bench.begin()
    defer { bench.end() }
    return bench.state.showsStatus
  }

  @Test func whatIsChosenByKey_isThatOfTheNextSession() throws {
    let folder = try TemporaryFolder()
    var options = InterfaceBench.Options()
    options.stateFolder = folder.path
    #expect(try !Self.begins(options))
    for isOn in [true, false, true] {
      let bench = try InterfaceBench(options)
      try bench.begin()
      try bench.type(InterfaceBench.prefix + "u")
      #expect(bench.state.showsStatus == isOn)
      bench.end()
      #expect(try Self.begins(options) == isOn)
    }
  }

  @Test func theCommandLine_wins() throws {
    let folder = try TemporaryFolder()
    var options = InterfaceBench.Options()
    options.stateFolder = folder.path
    options.showsStatus = true
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.type(InterfaceBench.prefix + "u")
    #expect(!bench.state.showsStatus)
    bench.end()
    #expect(try Self.begins(options))
    options.showsStatus = false
    #expect(try !Self.begins(options))
  }

  @Test func aTerminalThatCannotDraw_andAPipe_haveNone() throws {
    let folder = try TemporaryFolder()
    var options = InterfaceBench.Options()
    options.stateFolder = folder.path
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.type(InterfaceBench.prefix + "u")
    bench.end()
    #expect(try Self.begins(options))
    options.screen = .printing
    #expect(try !Self.begins(options))
    options.screen = .drawing
    options.hasKeyboard = false
    #expect(try !Self.begins(options))
  }

  @Test func severalPorts_shareTheChoice() throws {
    let folder = try TemporaryFolder()
    var options = InterfaceBench.Options()
    options.stateFolder = folder.path
    options.portCount = 2
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.type(InterfaceBench.prefix + "u")
    bench.end()
    let next = try InterfaceBench(options)
    try next.begin()
    defer { next.end() }
    try next.interface.connect(to: Endpoint(InterfaceBench.endpoint.kind, "fake:3"))
    #expect(next.interface.focus.ports.map(\.model.state.showsStatus) == [true, true, true])
  }

  @Test func theLastChoiceOfAnySession_counts() throws {
    let folder = try TemporaryFolder()
    var options = InterfaceBench.Options()
    options.stateFolder = folder.path
    let (one, other) = (try InterfaceBench(options), try InterfaceBench(options))
    one.interface.rememberStatusLine(true)
    other.interface.rememberStatusLine(false)
    #expect(try !Self.begins(options))
    one.interface.rememberStatusLine(true)
    #expect(try Self.begins(options))
    for bench in [one, other] { bench.end() }
  }

  @Test func aFileWithoutAChoice_isNone() throws {
    var options = InterfaceBench.Options()
    // A state folder that is a file.
    options.stateFolder = "/dev/null/state"
    #expect(try !Self.begins(options))
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.type(InterfaceBench.prefix + "u")
    #expect(bench.state.showsStatus)
    bench.end()
  }
}
