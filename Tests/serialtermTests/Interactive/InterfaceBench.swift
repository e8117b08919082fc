import EventLoop
import Observing
import Options
import Posix
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TestSupport
import Time
import TransferProtocols

@testable import serialterm

/// The front end for a person with its environment: the device, the terminal, the time.
final class InterfaceBench {
  let clock = TestClock()
  let terminal: FakeTerminal
  let presence = FakePresence()
  let interface: UserInterface
  private let ports: FakePorts
  private let made: Links

  static let prefix = "\u{14}"
  static let endpoint = Endpoint(Endpoint.Kind("fake"), "fake:1")

  /// The options of a session that differ from the defaults.
  struct Options {
    /// The folder for files that the device offers; nil to ask.
    var autoReceiveFolder: FilePath?
    var portCount = 1
    var isReadOnly = false
    var editsLines = false
    var printsLists = false
    var showsStatus = false
    /// The state folder of the user.
    var stateFolder: FilePath?
    var reconnects = true
    var opensLate = false
    var appetite = Int.max
    var hasKeyboard = true
    var screen = ScreenKind.drawing
    var escape = EscapeKey.none
    var settings = LineSettings()
    /// The rules of `--on-match` and `--on-disconnect`.
    var alerts: [AlertRule] = []
    /// The script of `--script`.
    var script: Script?
    /// The names of logs.
    var logs: [String] = []
    var snippets: [Snippet] = []
    var sequences: [NamedSequence] = []
    var pacing = Pacing()
    var plot = PlotController.Configuration()
    var size = ScreenSize(rows: 24, columns: 80)

    /// The options as on a command line.
    fileprivate var values: Values {
      get throws {
        var texts: [String: String] = [:]
        if escape != .none { texts["escape"] = "\(escape)" }
        for (name, isOn) in [
          ("read-only", isReadOnly), ("plain", printsLists), ("status", showsStatus),
        ] where isOn {
          texts[name] = "true"
        }
        if editsLines { texts["input-mode"] = "line" }
        texts["auto-receive"] = autoReceiveFolder?.string
        return try Values(
          texts.reduce(Given()) { $0.with($1.key, [$1.value]) },
          of: ConnectCommand.description.declarations)
      }
    }
  }

  init(_ options: Options = Options()) throws {
    terminal = try FakeTerminal(options.screen, size: options.size)
    ports = try FakePorts()
    let made = try Links(options)
    self.made = made
    let provider = FakeProvider { made.make(to: $0) }
    provider.presence = presence
    let requests = try (1...options.portCount).map { number in
      UserInterface.PortRequest(
        configuration: try Self.configuration(
          options, Endpoint(Self.endpoint.kind, "fake:\(number)")),
        forDevice: nil)
    }
    interface = try UserInterface(
      requests, alerts: options.alerts, running: options.script,
      among: DeviceCatalog { [ports] () throws(Errno) in ports },
      in: .init(
        streams: terminal.streams, terminal: options.hasKeyboard ? terminal : nil,
        providers: LinkProviders([provider]), historyFolder: options.stateFolder,
        clock: { [clock] in clock.now }))
  }

  /// The links of all ports. Their descriptors never become ready; the test reports readiness.
  private final class Links {
    private(set) var all: [FakeLink] = []
    private let options: Options
    private var descriptors: [FileDescriptor]

    init(_ options: Options) throws {
      self.options = options
      let pipe = try FileDescriptor.pipe()
      descriptors = [pipe.readEnd, pipe.writeEnd]
    }

    func make(to endpoint: Endpoint) -> FakeLink {
      let link = FakeLink(to: endpoint)
      link.pollable = try? descriptors[0].duplicate()
      if let descriptor = link.pollable { descriptors.append(descriptor) }
      link.opensLate = options.opensLate
      link.appetite = options.appetite
      all.append(link)
      return link
    }

    deinit { for descriptor in descriptors { _ = try? descriptor.close() } }
  }

  private static func configuration(
    _ options: Options, _ endpoint: Endpoint
  ) throws -> ConnectConfiguration {
    var configuration = ConnectConfiguration(
      session: SessionConfiguration(
        target: .endpoint(endpoint), settings: options.settings, linkOptions: LinkOptions(),
        onOpen: nil, reconnects: options.reconnects, waitsForAbsentDevice: false,
        pacing: options.pacing, log: LogConfiguration(files: options.logs), isQuiet: false),
      profile: ProfileInUse(snippets: options.snippets, sequences: options.sequences),
      values: try options.values, linger: .zero)
    configuration.plot = options.plot
    return configuration
  }

  // MARK: The program

  /// Starts to send a file without a protocol.
  func sendFile(_ path: FilePath) throws {
    try interface.transfer(TransferOrder(fileProtocol: .raw, files: .send([path])))
  }

  var app: App { interface.app }
  var session: Session { interface.focus.port.session }
  var state: TerminalState { interface.model.state }

  /// Opens the ports and starts.
  func begin() throws {
    app.frontEnd = interface
    try interface.open()
    interface.begin()
    try turn()
  }

  /// Runs the turns that are due, until the program would end.
  func turn() throws {
    for _ in 0..<6 where app.outcome == nil { try app.loop.turn(waitingAtMost: .zero) }
    terminal.look()
  }

  /// Runs turns until a condition is met, with a deadline that only a hang reaches. It is for
  /// processes, which run in real time.
  ///
  /// - Returns: whether the condition is met.
  func wait(until isMet: () -> Bool) throws -> Bool {
    let deadline = MonotonicTime.now + .seconds(60)
    while !isMet(), .now < deadline {
      try app.loop.turn(waitingAtMost: .milliseconds(20))
      terminal.look()
    }
    return isMet()
  }

  /// Lets time pass.
  func pass(_ duration: Duration) throws {
    clock.advance(by: duration)
    try turn()
  }

  // Objects that still run after a test report their end to objects that must still exist.
  deinit { for port in interface.focus.ports { port.controller.finishSending() } }

  /// Ends the program.
  func end() {
    app.close(interface)
    terminal.look()
  }

  // MARK: The user

  func type(_ text: String) throws {
    terminal.type(Array(text.utf8))
    try turn()
  }

  /// Types the key of a command.
  func command(_ key: Character) throws { try type("\(Self.prefix)\(key)") }

  /// Creates a file for the user to send.
  func file(
    of count: Int, in folder: TemporaryFolder, lowest: UInt8 = 0
  ) throws -> FilePath {
    let path = folder("image.bin")
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
    try file.closeAfter {
      _ = try file.writeAll((0..<count).map { lowest | UInt8(truncatingIfNeeded: $0) })
    }
    return path
  }

  /// Creates a script for the user to run.
  func script(_ text: String, in folder: TemporaryFolder) throws -> FilePath {
    try Self.script(text, in: folder)
  }

  static func script(_ text: String, in folder: TemporaryFolder) throws -> FilePath {
    let path = folder("login.txt")
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
    try file.closeAfter { _ = try file.writeAll(text.utf8) }
    return path
  }

  // MARK: The device

  /// The links that were created, in order.
  var links: [FakeLink] { made.all }

  /// The latest link to the port with the focus.
  var link: FakeLink? { links.last { $0.endpoint == session.state.endpoint } }

  /// All bytes that were sent to the devices.
  var sent: [UInt8] { links.flatMap(\.sent) }

  func receive(_ text: String) throws {
    link?.incoming.append(FakeLink.Input(Array(text.utf8)))
    session.handle(.readable)
    try turn()
  }

  /// Makes the device take bytes again.
  func accept(_ count: Int = .max) throws {
    link?.appetite = count
    session.handle(.writable)
    try turn()
  }

  func unplug() throws {
    link?.error = SerialError(.lost, in: "read", at: Self.endpoint)
    session.handle([.readable, .hungUp])
    try turn()
  }

  func plug() throws {
    presence.finding = .present(Self.endpoint, nil)
    presence.events.notify(.appeared)
    presence.finding = .absent
    try turn()
  }
}

/// Keeps a failed expectation from printing the whole program.
extension InterfaceBench: CustomReflectable {
  var customMirror: Mirror { Mirror(self, children: ["state": session.state]) }
}
