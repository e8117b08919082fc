import DeviceWatch
import EventLoop
import Glibc
import Posix
import SerialCore
import SystemPackage
import TestSupport
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct LinkProviderTests {
  private let standard = LinkProviders.standard

  @Test func everyForm_hasOneMeaning() throws {
    let cases: [(String, Target)] = [
      ("loopback:", .endpoint(LoopbackProvider.echo)),
      ("loopback:board", .endpoint(LoopbackProvider.board)),
      ("latest", .device(.latest)), ("new", .device(.next)),
      ("tcp://lab:4001", .endpoint(Endpoint(.tcp, "tcp://lab:4001"))),
      ("rfc2217://[::1]:4001", .endpoint(Endpoint(.rfc2217, "rfc2217://[::1]:4001"))),
      ("rfc2217:///run/X", .endpoint(Endpoint(.rfc2217, "rfc2217:///run/X"))),
      ("unix:/run/x", .endpoint(Endpoint(.unix, "unix:/run/x"))),
      ("ssh://ana@pi/x", .endpoint(Endpoint(.ssh, "ssh://ana@pi/x"))),
      ("labgrid:board", .endpoint(Endpoint(.labgrid, "labgrid:board"))),
      ("labgrid:board/main", .endpoint(Endpoint(.labgrid, "labgrid:board/main"))),
      ("serial:A1", .device(.fitting(.serial("A1")))),
      ("/dev/ttyUSB0", .endpoint(.tty("/dev/ttyUSB0"))), ("x", .endpoint(.tty("/dev/x"))),
    ]
    for (text, target) in cases { #expect(try standard.parse(text) == target) }
  }

  @Test func `A port elsewhere has one name, however it is written`() throws {
    #expect(Endpoint(.tcp, "tcp://LAB:4001/").canonicalName == "tcp://lab:4001")
    #expect(
      Endpoint(.rfc2217, "rfc2217://[2001:DB8::7]:1").canonicalName == "rfc2217://[2001:db8::7]:1")
    let folder = try TemporaryFolder()
    let real = try #require(folder("").realPath)
    try systemCall { symlink(real.string, folder("link").string) }
    let socket = try UnixSocket.make()
    try UnixSocket.bind(socket.borrowed, to: folder("Board"))
    #expect(Endpoint(.unix, "unix:\(folder("link"))/Board").canonicalName == "unix:\(real)/Board")
    #expect(
      Endpoint(.rfc2217, "rfc2217://\(folder("link"))/Board").canonicalName
        == "rfc2217://\(real)/Board")
    // A socket that does not exist has no links to resolve.
    #expect(Endpoint(.unix, "unix:/nowhere/x/../y").canonicalName == "unix:/nowhere/y")
    let here = try #require(FilePath(".").realPath)
    #expect(Endpoint(.unix, "unix:nothing").canonicalName == "unix:\(here)/nothing")
  }

  @Test func malformedTargets_nameTheExpectedForm() {
    #expect(throws: TargetError.empty) { try standard.parse("") }
    #expect(
      throws: TargetError.malformed("loopback:x", expected: ["loopback:", "loopback:board"])
    ) { try standard.parse("loopback:x") }
    for text in [
      "tcp://x", "tcp://x:0", "tcp://:1", "tcp://::1:23", "tcp:x:1", "socket://x:1", "rfc2217://",
      "rfc2217://x:y", "rfc2217:///", "rfc2217:///run/", "telnet:x:1", "telnet:///", "RFC2217:x:1",
      "unix:",
      "unix:///run/x", "ssh://x",
      "ssh://-x/y", "ssh:x/y", "labgrid:", "labgrid:-x", "labgrid:*", "labgrid:a/", "labgrid:a b",
    ] {
      let error = #expect(throws: TargetError.self, "\(text)") { try standard.parse(text) }
      guard case .malformed(text, let forms) = error else {
        Issue.record("\(text): \(String(describing: error))")
        continue
      }
      #expect(forms.count == 1)
    }
    #expect(throws: TargetError.self) { try standard.parse("usb:x") }
  }

  @Test func providerOfAnotherKind_isOneMoreInTheList() throws {
    let fake = FakeProvider()
    let providers = LinkProviders([fake, TerminalDeviceProvider()])
    let target = try providers.parse("fake:1")
    guard case .endpoint(let endpoint) = target else {
      Issue.record("\(target)")
      return
    }
    #expect(!target.mayBeDevice)
    let loop = try IOLoop()
    #expect(
      providers.link(to: endpoint, options: LinkOptions(), on: loop).endpoint == endpoint)
    #expect(try providers.parse("/dev/x").mayBeDevice)
    #expect(providers.completions(of: "f") { [] } == [TargetCompletion("fake:")])
  }

  @Test func completions_areThePresentNodes_andTheSimulations() throws {
    let ports = try FakePorts()
    try ports.plug(0, inPort: 1)
    try ports.plug(1, inPort: 2, hasHardware: false)
    let completions = standard.completions(of: "") { ports.present }
    let texts = completions.map(\.text)
    #expect(texts == ["/dev/ttyFAKE0", "latest", "new", "loopback:", "loopback:board"])
    #expect(completions.compactMap(\.device) == [ports.present[0]])
    for text in texts { #expect(throws: Never.self) { try standard.parse(text) } }
  }

  @Test func completions_ofABeginning_haveEveryForm_andAreTargets() throws {
    let ports = try FakePorts()
    try ports.plug(0, serialNumber: "A:1", inPort: 1)
    for (text, expected) in [
      ("ttyF", ["ttyFAKE0"]), ("usb", ["usb:0403:6001", "usb:0403:6001:A:1"]),
      ("se", ["serial:A:1"]), ("ss", ["ssh://"]), ("la", ["latest", "labgrid:"]),
      ("p", ["port:pci-0000:00:14.0-usb-0:1:1.0"]), ("loopback:b", ["loopback:board"]), ("x", []),
    ] {
      let texts = standard.completions(of: text) { ports.present }.map(\.text)
      #expect(texts == expected)
      for text in texts where !text.hasSuffix("://") && text != "labgrid:" {
        #expect(throws: Never.self) { try standard.parse(text) }
      }
    }
  }

  @Test func simulation_isOneForEachSession_andExistsAsLongAsItIsKept() throws {
    let loop = try IOLoop()
    let provider = LoopbackProvider()
    var one: PreparedEndpoint? = try provider.prepare(LoopbackProvider.board, on: loop)
    let other = try provider.prepare(LoopbackProvider.board, on: loop)
    let path = try #require(one?.endpoint.path)
    #expect(path != other.endpoint.path)
    #expect("\(other.endpoint)" == "loopback:board")
    // Keeps the descriptor open, because its number could be reused.
    let port = try OwnedDescriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    #expect(!Self.isHungUp(port.borrowed))
    one = nil
    #expect(Self.isHungUp(port.borrowed))
  }

  private static func isHungUp(_ port: FileDescriptor) -> Bool {
    var request = pollfd(fd: port.rawValue, events: 0, revents: 0)
    return poll(&request, 1, 0) > 0 && request.revents & Int16(POLLHUP) != 0
  }
}
