import EventLoop
import Glibc
import NetworkLinks
import Observing
import Posix
import Reconnecting
import SerialCore
import SystemPackage
import Telnet
import TestSupport
import Testing
import Time

@testable import Sessions

/// A session over a link that the test controls, which others join through real sockets.
final class SharingBench {
  let loop: IOLoop
  let link: FakeLink
  let controller: SessionController
  let server: PortServer
  private let folder: TemporaryFolder
  private let pipe: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
  private var control: ControlServer?
  var news: [PortServer.News] = []
  private var serverNews: ObservationToken<PortServer.News>?
  /// Who of the clients has set what.
  var changes: [String] = []
  private var settingsNews: ObservationToken<SessionNews>?
  private var names = 0

  init(
    _ rule: Roster.Rule = .one, home: String? = "home", lines: ModemLines? = [.dtr, .rts],
    clock: TestClock? = nil
  ) throws {
    // As in the program, writing to a disconnected client is an error of write(2).
    signal(SIGPIPE, SIG_IGN)
    folder = try TemporaryFolder()
    let loop = try clock.map { clock in try IOLoop(clock: { clock.now }) } ?? IOLoop()
    self.loop = loop
    let endpoint = Endpoint(FakeProvider().kind, "fake:board")
    let link = FakeLink(to: endpoint)
    // Nothing is ever read from this pipe: the test reports when the device sends.
    pipe = try FileDescriptor.pipe()
    link.pollable = pipe.readEnd
    link.lines = lines
    self.link = link
    controller = SessionController(
      Self.configuration(of: endpoint), among: DeviceCatalog(), on: loop,
      from: LinkProviders([FakeProvider { _ in link }]), writeCapacity: 4_096)
    server = PortServer(
      for: controller,
      program: ServedClient.Program(signature: "serialterm test", words: { "\($0)" }), on: loop)
    controller.server = server
    controller.session.owner = .keyboard
    settingsNews = controller.news.observe { [unowned self] in
      if case .settings(let settings, let name) = $0 {
        changes.append("\(name ?? "?"): \(settings)")
      }
    }
    controller.sharing.begin(
      rule, home: home.map { home in { MemberName(given: home) } }, answers: true)
    serverNews = server.news.observe { [unowned self] in news.append($0) }
    _ = try controller.device.bind(mayAsk: false)
    let place = ControlFolder.Place(
      path: folder.path.appending("control"), owner: UserID(rawValue: geteuid()))
    control = try ControlServer(in: place, on: loop) { [unowned self] in [controller] }
  }

  deinit {
    controller.session.close()
    try? pipe.readEnd.close()
    try? pipe.writeEnd.close()
  }

  private static func configuration(
    of endpoint: Endpoint, baudRate: UInt32 = 115_200
  ) -> SessionConfiguration {
    SessionConfiguration(
      target: .endpoint(endpoint), settings: LineSettings(baudRate: baudRate),
      linkOptions: LinkOptions(),
      onOpen: nil, reconnects: true, waitsForAbsentDevice: false, pacing: Pacing(),
      log: LogConfiguration(), isQuiet: true)
  }

  /// Runs the loop until a condition is met.
  func wait(_ condition: () -> Bool) throws -> Bool {
    let deadline = MonotonicTime.now + .seconds(60)
    while !condition(), deadline > .now { try loop.turn(waitingAtMost: .milliseconds(5)) }
    return condition()
  }

  /// Runs the loop until nothing is ready any more.
  func settle() throws {
    for _ in 0..<20 { try loop.turn(waitingAtMost: .milliseconds(1)) }
  }

  func deviceSends(_ bytes: [UInt8]) {
    link.incoming.append(FakeLink.Input(bytes))
    controller.session.handle(.readable)
  }

  var sent: [UInt8] { link.sent }

  /// Connects a client to a Unix socket.
  func client(_ clientProtocol: StreamProtocol) throws -> Client {
    names += 1
    let path = folder.path.appending("\(names).sock")
    try server.listen(at: PortServer.ListenAddress(.path(path), speaking: clientProtocol))
    let before = controller.sharing.roster.members.count
    let socket = try UnixSocket.make()
    try UnixSocket.connect(socket.borrowed, to: path)
    let client = Client(socket)
    #expect(try wait { controller.sharing.roster.members.count > before })
    return client
  }

  /// A person who joins the session.
  ///
  /// - Parameter shown: the name that the others see, if it is another one.
  func viewer(named name: String, shown: String? = nil) throws -> Viewer {
    let path = folder.path.appending("control").appending("\(getpid()).sock")
    let session = RunningSession(pid: getpid(), socket: path, summary: server.summary)
    let viewer = SessionController(
      Self.configuration(of: session.endpoint), among: DeviceCatalog(), on: loop,
      from: .joining(session, as: .init(name: name)), writeCapacity: 4_096)
    let made = Viewer(viewer)
    _ = try viewer.device.bind(mayAsk: false)
    #expect(try wait { controller.sharing.roster.members.contains { $0.name == shown ?? name } })
    #expect(try wait { viewer.session.isOpen && viewer.userSharing.remote?.isShared == true })
    return made
  }

  /// A person whose serialterm has opened the port through RFC 2217, at 9600 bit/s.
  func person(isReadOnly: Bool) throws -> Viewer {
    names += 1
    let path = folder.path.appending("\(names).sock")
    try server.listen(at: PortServer.ListenAddress(.path(path), speaking: .rfc2217))
    let endpoint = Endpoint(.rfc2217, "rfc2217://\(path)")
    let person = SessionController(
      Self.configuration(of: endpoint, baudRate: 9_600), among: DeviceCatalog(), on: loop,
      from: LinkProviders([NetworkProvider.rfc2217]), writeCapacity: 4_096)
    person.userSharing.isReadOnly = isReadOnly
    let made = Viewer(person)
    _ = try person.device.bind(mayAsk: false)
    #expect(try wait { person.session.isOpen && person.userSharing.remote?.isShared == true })
    return made
  }

  /// A program at the other end of a socket.
  final class Client {
    let socket: OwnedDescriptor
    private(set) var isEnded = false

    init(_ socket: consuming OwnedDescriptor) { self.socket = socket }

    func send(_ text: String) throws { try socket.borrowed.writeAll(Array(text.utf8)) }

    /// Sends a message of RFC 2217.
    func ask(_ message: UInt8...) throws {
      try socket.borrowed.writeAll([255, 250, 44] + message + [255, 240])
    }

    /// Ends its stream, and goes on reading.
    func endStream() { shutdown(socket.borrowed.rawValue, CInt(SHUT_WR)) }

    private(set) var received: [UInt8] = []
    func receive() -> String {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let outcome = buffer.withUnsafeMutableBytes { try? socket.borrowed.readAvailable(into: $0) }
      switch outcome {
      case .bytes(let count): received += buffer[..<count]
      case .endOfFile, nil: isEnded = true
      case .wouldBlock: break
      }
      return String(decoding: received, as: UTF8.self)
    }
  }

  /// A person's session that has joined.
  final class Viewer {
    let controller: SessionController
    var received: [UInt8] = []
    var history: [UInt8] = []
    /// The screen that a program has drawn before, and the part of ``history`` that it comes from.
    var screen: [UInt8] = []
    var drawn: [UInt8] = []
    var events: [String] = []
    /// Who has set what.
    var changes: [String] = []
    private var tokens: [Any] = []

    init(_ controller: SessionController) {
      self.controller = controller
      controller.session.owner = .keyboard
      tokens.append(
        controller.news.observe { [unowned self] in
          if case .settings(let settings, let name) = $0 {
            changes.append("\(name ?? "?"): \(settings)")
          }
        })
      tokens.append(
        controller.session.observe(.received) { [unowned self] in received += Array($0) })
      tokens.append(
        controller.userSharing.remoteNews.observe { [unowned self] in
          switch $0 {
          case .history(let bytes, _, let isOnScreen):
            history += bytes
            if isOnScreen { drawn += bytes }
          case .screen(let text): screen += text
          default: events.append("\($0)")
          }
        })
    }

    var sharing: Sharing { controller.userSharing.sharing }
    func type(_ text: String) { _ = try? controller.session.write(Array(text.utf8).span.bytes) }
  }
}

@Suite(.timeLimit(.minutes(30))) struct SharingTests {
  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  // MARK: Viewers

  @Test func newMember_getsTheShownText_thenTheNewBytes_withoutAGap() throws {
    let bench = try SharingBench()
    var all: [UInt8] = []
    func deviceSends(_ count: Int) {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: (all.count + $0) % 251) }
      all += bytes
      bench.deviceSends(bytes)
    }
    for _ in 0..<30 { deviceSends(1_000) }
    let viewer = try bench.viewer(named: "anna")
    for _ in 0..<30 { deviceSends(1_000) }
    #expect(try bench.wait { viewer.history.count + viewer.received.count >= all.count })
    let isWhole = viewer.history + viewer.received == all
    #expect(isWhole)
    #expect(!viewer.history.isEmpty && !viewer.received.isEmpty)
  }

  @Test func history_isBounded_andHasTheLastBytes() {
    var history = ReceivedHistory()
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 % 253) }
    for start in stride(from: 0, to: bytes.count, by: 700) {
      Array(bytes[start..<min(start + 700, bytes.count)]).withUnsafeBytes {
        history.add($0, at: UInt64(start) * 1_000_000)
      }
    }
    let kept = history.all.flatMap(\.bytes)
    #expect(kept.count <= ReceivedHistory.capacity && kept.count > ReceivedHistory.capacity / 2)
    let isSuffix = kept == Array(bytes.suffix(kept.count))
    #expect(isSuffix)
    #expect(history.all.map(\.time) == history.all.map(\.time).sorted())
  }

  @Test func history_givesBytesByTheirPosition_andForgetsOldOnes() {
    var history = ReceivedHistory(capacity: 1_000, resolution: 10)
    let bytes = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
    for start in stride(from: 0, to: bytes.count, by: 70) {
      Array(bytes[start..<min(start + 70, bytes.count)]).withUnsafeBytes {
        history.add($0, at: UInt64(start))
      }
      #expect(history.end == min(start + 70, bytes.count))
    }
    #expect(history.start == 4_000)
    var (position, read) = (history.start, [UInt8]())
    while position < history.end {
      let part = history.bytes(from: position, atMost: 300)
      #expect((1...300).contains(part.count))
      read += part
      position += part.count
    }
    #expect(read == Array(bytes[4_000...]))
    #expect(history.bytes(from: history.end, atMost: 300).isEmpty)
    history.forget(before: 4_500)
    #expect(history.start == 4_500)
    // Runs are forgotten as a whole.
    history.forget(before: UInt64(4_700))
    #expect(history.start == 4_690 + 10 + 60)
    history.forget(before: UInt64.max)
    #expect(history.start == history.end)
    [1, 2].withUnsafeBytes { history.add($0, at: 0) }
    #expect(history.start == 5_000 && history.end == 5_000 + 2 * MemoryLayout<Int>.size)
  }

  @Test func history_ofAPieceLargerThanItsMemory_isTheEndOfThePiece() {
    var history = ReceivedHistory(capacity: 100)
    let bytes = (0..<250).map { UInt8($0) }
    for _ in 0..<2 { bytes.withUnsafeBytes { history.add($0, at: 1) } }
    #expect((history.start, history.end) == (400, 500))
    #expect(history.all.flatMap(\.bytes) == Array(bytes[150...]))
  }

  @Test func aViewersKeys_goNowhere_untilItHasThePen() throws {
    let bench = try SharingBench()
    let viewer = try bench.viewer(named: "anna")
    viewer.type("lost")
    try bench.settle()
    #expect(bench.sent.isEmpty)
    viewer.controller.userSharing.control.ask()
    #expect(
      try bench.wait { bench.controller.sharing.sharing.applicants.map(\.person.name) == ["anna"] })
    bench.controller.sharing.give(to: 1)
    #expect(try bench.wait { viewer.sharing.pen == .mine })
    viewer.type("hello\r")
    #expect(try bench.wait { text(bench.sent) == "hello\r" })
    // The local user does not have the pen any more.
    #expect(throws: SerialError.self) {
      try bench.controller.session.write(Array("x".utf8).span.bytes, by: .keyboard)
    }
    #expect(
      bench.controller.sharing.sharing.pen == .others(.init(id: 1, name: "anna", answers: true)))
  }

  @Test func whenAViewerLeaves_theMembersChange_andThePenIsReturned() throws {
    let bench = try SharingBench()
    var viewer: SharingBench.Viewer? = try bench.viewer(named: "anna")
    viewer?.controller.userSharing.control.takePen()
    #expect(try bench.wait { bench.controller.session.writer.name == "anna" })
    viewer?.controller.close()
    viewer = nil
    #expect(try bench.wait { bench.controller.sharing.roster.members.count == 1 })
    #expect(bench.controller.session.writer == .keyboard)
    try bench.controller.session.write(Array("x".utf8).span.bytes, by: .keyboard)
    #expect(text(bench.sent) == "x")
  }

  @Test func viewers_seeEachOther_andWhoAsks() throws {
    let bench = try SharingBench()
    let anna = try bench.viewer(named: "anna")
    let bert = try bench.viewer(named: "bert")
    #expect(try bench.wait { anna.sharing.others.map(\.name) == ["home", "bert"] })
    #expect(try bench.wait { bert.sharing.others.map(\.name) == ["home", "anna"] })
    anna.controller.userSharing.control.takePen()
    #expect(try bench.wait { anna.sharing.pen == .mine })
    bert.controller.userSharing.control.ask()
    #expect(try bench.wait { anna.sharing.applicants.map(\.person.name) == ["bert"] })
    anna.controller.userSharing.control.keep()
    #expect(try bench.wait { bert.events.contains("kept") && !bert.sharing.isAsking })
  }

  // MARK: Names

  @Test func holderWithANewName_keepsThePen_andItsQueuedBytes() throws {
    let bench = try SharingBench()
    let anna = try bench.viewer(named: "anna")
    anna.controller.userSharing.control.takePen()
    #expect(try bench.wait { anna.sharing.pen == .mine })
    var authors: [String] = []
    let token = bench.controller.session.observe(.sent) { sent in
      authors += sent.bytes.map { _ in sent.author.name }
    }
    defer { token.cancel() }
    bench.link.appetite = 0
    anna.type("one")
    #expect(try bench.wait { bench.controller.session.queuedByteCount == 3 })
    anna.controller.userSharing.rename("Anna")
    #expect(try bench.wait { bench.controller.session.writer.name == "Anna" })
    anna.type("two")
    #expect(try bench.wait { bench.controller.session.queuedByteCount == 6 })
    #expect(bench.controller.sharing.unsentByteCount(by: 1) == 6)
    #expect(anna.sharing.pen == .mine)
    #expect(anna.sharing.ownName == "Anna")
    // Her old name stays hers until its bytes are sent.
    let other = try bench.viewer(named: "anna", shown: "anna (2)")
    bench.link.appetite = .max
    bench.controller.session.handle(.writable)
    #expect(try bench.wait { text(bench.sent) == "onetwo" })
    #expect(authors == ["anna", "anna", "anna", "Anna", "Anna", "Anna"])
    other.controller.userSharing.rename("anna")
    #expect(try bench.wait { bench.controller.sharing.member(2)?.name == "anna" })
  }

  @Test func bytesUnderAFormerName_canBeDiscarded_andTheNameTakenAgain() throws {
    let bench = try SharingBench()
    let anna = try bench.viewer(named: "anna")
    anna.controller.userSharing.control.takePen()
    #expect(try bench.wait { anna.sharing.pen == .mine })
    bench.link.appetite = 0
    anna.type("one")
    #expect(try bench.wait { bench.controller.session.queuedByteCount == 3 })
    anna.controller.userSharing.rename("Anna")
    #expect(try bench.wait { anna.sharing.ownName == "Anna" })
    anna.controller.userSharing.rename("anna")
    #expect(try bench.wait { anna.sharing.ownName == "anna" })
    anna.controller.userSharing.rename("Anna")
    #expect(try bench.wait { anna.sharing.ownName == "Anna" })
    anna.type("two")
    #expect(try bench.wait { bench.controller.session.queuedByteCount == 6 })
    #expect(bench.controller.sharing.discardUnsent(by: 1) == 6)
    #expect(bench.controller.session.queuedByteCount == 0)
  }

  @Test func manyNamesInAMoment_areTwo_theFirstAndTheNewest() throws {
    let bench = try SharingBench()
    let anna = try bench.viewer(named: "anna")
    var names: [String] = []
    let token = bench.controller.sharing.events.observe {
      if case .changed(_, let member) = $0 { names.append(member.name) }
    }
    defer { token.cancel() }
    for number in 1...100 { anna.controller.userSharing.rename("anna \(number)") }
    #expect(try bench.wait { bench.controller.sharing.member(1)?.name == "anna 100" })
    #expect(names == ["anna 1", "anna 100"])
  }

  @Test func applicantWithANewName_staysOne_forTheHolder() throws {
    let bench = try SharingBench()
    let (anna, bert) = (try bench.viewer(named: "anna"), try bench.viewer(named: "bert"))
    anna.controller.userSharing.control.takePen()
    #expect(try bench.wait { anna.sharing.pen == .mine })
    bert.controller.userSharing.control.ask()
    #expect(try bench.wait { anna.sharing.applicants.map(\.person.name) == ["bert"] })
    bert.controller.userSharing.rename("Bert")
    #expect(try bench.wait { anna.sharing.others.map(\.name) == ["home", "Bert"] })
    #expect(anna.sharing.applicants.map(\.person.name) == ["Bert"])
    #expect(anna.sharing.others.filter { anna.sharing.isAsked(by: $0) }.map(\.name) == ["Bert"])
    #expect(bert.sharing.isAsking)
    #expect(bench.controller.sharing.roster.applicants.map(\.id) == [2])
    // The holder is seen with its new name, and the local user too.
    anna.controller.userSharing.rename("Anna")
    bench.controller.userSharing.rename("Home")
    #expect(
      try bench.wait {
        bert.sharing.pen == .others(.init(id: 1, name: "Anna", answers: true))
          && bert.sharing.others.map(\.name) == ["Home", "Anna"]
      })
    #expect(bench.controller.userSharing.sharing.ownName == "Home")
    #expect(bert.events.contains { $0.hasPrefix("renamed") && $0.contains("from: \"home\"") })
    #expect(anna.events.contains(#"ownNameChanged(to: "Anna")"#))
  }

  @Test func localUserWithANewName_isTheSameAuthor() throws {
    let bench = try SharingBench()
    let anna = try bench.viewer(named: "anna")
    bench.controller.userSharing.rename("anna")
    #expect(try bench.wait { anna.sharing.others.map(\.name) == ["anna (2)"] })
    #expect(bench.controller.session.writer == .keyboard)
    try bench.controller.session.write(Array("x".utf8).span.bytes, by: .keyboard)
    #expect(text(bench.sent) == "x")
    bench.controller.userSharing.rename("")
    #expect(try bench.wait { anna.sharing.others.map(\.name) == ["home"] })
  }

  @Test func aNewName_hasWhatThisProgramAdds_andStaysAfterTheLinkWasMadeAgain() throws {
    let bench = try SharingBench()
    let person = try bench.person(isReadOnly: false)
    person.controller.userSharing.rename("Max (agent)")
    #expect(try bench.wait { person.sharing.ownName?.hasPrefix("Max [agent] (") == true })
    let anna = try bench.viewer(named: "anna")
    anna.controller.userSharing.rename("Anna")
    #expect(try bench.wait { anna.sharing.ownName == "Anna" })
    let link = NetworkLink(
      to: anna.controller.session.state.endpoint!, at: .session("/nowhere", request: ""),
      speaking: .rfc2217, options: LinkOptions(), as: .init(name: "anna"), on: bench.loop)
    anna.controller.userSharing.observe(link)
    #expect(link.introduction.name == "Anna")
  }

  @Test func `Who sets the line is named to the others, once, and the port is not back`() throws {
    let bench = try SharingBench()
    let viewer = try bench.viewer(named: "anna")
    bench.controller.session.apply(LineSettings(baudRate: 9_600, parity: .even)) { _ in }
    #expect(try bench.wait { !viewer.changes.isEmpty })
    #expect(viewer.changes == ["home: 9600 8E1"])
    // The local user has the answer of the command.
    #expect(bench.changes.isEmpty)
    viewer.controller.userSharing.control.takePen()
    #expect(try bench.wait { viewer.sharing.pen == .mine })
    viewer.controller.session.apply(LineSettings(baudRate: 300)) { _ in }
    #expect(try bench.wait { !bench.changes.isEmpty })
    #expect(bench.changes == ["anna: 300 8N1"])
    try bench.settle()
    #expect(viewer.changes.count == 1)
    #expect(!viewer.events.contains { $0.hasPrefix("port(") })
  }

  @Test func theEndOfASession_isReported_withItsReason() throws {
    let bench = try SharingBench()
    let viewer = try bench.viewer(named: "anna")
    bench.controller.sharing.end(because: "the session was ended")
    #expect(try bench.wait { !viewer.controller.session.isOpen })
    #expect(viewer.controller.userSharing.remote?.endReason == "the session was ended")
  }

  /// Also of a port without modem lines, whose state is not sent with them.
  @Test(arguments: [nil, ModemLines.dtr])
  func aViewer_hasTheSettings_andSeesThemChange_andCannotChangeThem(lines: ModemLines?) throws {
    let bench = try SharingBench(lines: lines)
    let viewer = try bench.viewer(named: "anna")
    #expect(viewer.controller.session.requestedSettings.baudRate == 115_200)
    var settings = LineSettings()
    settings.baudRate = 9_600
    var answered = false
    viewer.controller.session.apply(settings) { _ in answered = true }
    #expect(try bench.wait { answered })
    #expect(bench.link.settings.baudRate == 115_200)
    bench.controller.session.apply(settings) { _ in }
    #expect(
      try bench.wait {
        if case .open(_, let seen) = viewer.controller.session.state {
          seen.baudRate == 9_600
        } else {
          false
        }
      })
  }

  // MARK: Programs

  @Test func withoutHome_theFirstProgramWrites_andTheNextWhenItHasGone() throws {
    let bench = try SharingBench(home: nil)
    var first: SharingBench.Client? = try bench.client(.raw)
    let second = try bench.client(.raw)
    try second.send("dropped")
    try first?.send("one ")
    #expect(try bench.wait { text(bench.sent) == "one " })
    #expect(bench.news.contains { if case .client(_, .mayNotWrite) = $0 { true } else { false } })
    bench.deviceSends(Array("answer".utf8))
    #expect(try bench.wait { first?.receive() == "answer" && second.receive() == "answer" })
    first = nil
    #expect(try bench.wait { bench.controller.sharing.roster.members.count == 1 })
    try second.send("two")
    #expect(try bench.wait { text(bench.sent) == "one two" })
  }

  /// pyserial and other clients give up if an answer does not match their request.
  @Test(arguments: [nil, []] as [ModemLines?])
  func aViewersProgram_isAnsweredAsItAsks_ifThePortHasNoLines(_ lines: ModemLines?) throws {
    let bench = try SharingBench(lines: lines)
    let client = try bench.client(.rfc2217)
    // WILL COM-PORT-OPTION; SET-CONTROL: DTR on.
    try client.socket.borrowed.writeAll([255, 251, 44, 255, 250, 44, 5, 8, 255, 240])
    let end: [UInt8] = [255, 250, 44, 105, lines == nil ? 8 : 9, 255, 240]
    #expect(
      try bench.wait {
        _ = client.receive()
        return client.received.suffix(end.count) == end
      })
    #expect(bench.link.lines == lines)
  }

  @Test func aProgram_doesNotWrite_whereALocalUserHasThePen() throws {
    let bench = try SharingBench()
    let clients = try StreamProtocol.allCases.map { try bench.client($0) }
    for client in clients { try client.send("dropped") }
    // Longer than the time for a telnet client's answer.
    #expect(try bench.wait { bench.news.count == clients.count })
    #expect(bench.sent.isEmpty)
  }

  @Test func noAuthorWrites_whereNoneMay() throws {
    let bench = try SharingBench(.none, home: nil)
    let client = try bench.client(.raw)
    try client.send("dropped")
    let viewer = try bench.viewer(named: "anna")
    viewer.controller.userSharing.control.ask()
    viewer.type("dropped")
    try bench.settle()
    #expect(bench.sent.isEmpty)
    #expect(viewer.sharing.pen == .nobody)
  }

  @Test func severalWriters_interleaveWholeLines() throws {
    let bench = try SharingBench(.all, home: nil)
    let clients = try (0..<4).map { _ in try bench.client(.raw) }
    for round in 0..<20 {
      for (index, client) in clients.enumerated() { try client.send("\(index)\(index)"); _ = round }
      try bench.settle()
      for (index, client) in clients.enumerated() { try client.send("\(index)\n") }
    }
    #expect(try bench.wait { bench.sent.count == 4 * 20 * 4 })
    let lines = text(bench.sent).split(separator: "\n")
    #expect(lines.count == 80)
    for line in lines { #expect(["000", "111", "222", "333"].contains(line), "\(line)") }
  }

  @Test func whoEndsItsStreamInTheMiddleOfALine_doesNotKeepTheOthers() throws {
    let bench = try SharingBench(.all, home: nil, clock: TestClock())
    let first = try bench.client(.raw)
    let second = try bench.client(.raw)
    try first.send("begun")
    first.endStream()
    try second.send("whole\n")
    #expect(try bench.wait { text(bench.sent) == "begunwhole\n" })
  }

  @Test func whoLeavesInTheMiddleOfALine_doesNotKeepTheOthers() throws {
    let bench = try SharingBench(.all, home: nil)
    var first: SharingBench.Client? = try bench.client(.raw)
    let second = try bench.client(.raw)
    try first?.send("begun")
    #expect(try bench.wait { text(bench.sent) == "begun" })
    try second.send("whole\n")
    try bench.settle()
    #expect(text(bench.sent) == "begun")
    first = nil
    #expect(try bench.wait { text(bench.sent) == "begunwhole\n" })
  }

  // MARK: One author among others

  private func discarded(_ bench: SharingBench) -> Int? {
    bench.news.lazy.compactMap {
      if case .client(_, .discarded(let count)) = $0 { count } else { nil }
    }
    .first
  }

  @Test func aPurge_discardsItsAuthorsBytesAlone_andIsReported() throws {
    let bench = try SharingBench(.all, home: nil)
    bench.link.appetite = 0
    let first = try bench.client(.rfc2217)
    let second = try bench.client(.rfc2217)
    for (client, line) in [(first, "one\n"), (second, "another\n"), (first, "two\n")] {
      let count = bench.controller.session.queuedByteCount
      try client.send(line)
      #expect(
        try bench.wait { bench.controller.session.queuedByteCount == count + line.utf8.count })
    }
    try first.ask(12, 2)
    #expect(try bench.wait { discarded(bench) == 8 })
    bench.link.appetite = .max
    bench.controller.session.handle(.writable)
    #expect(text(bench.sent) == "another\n")
  }

  @Test func aViewersPurge_discardsNothing() throws {
    let bench = try SharingBench()
    bench.link.appetite = 0
    try bench.controller.session.write(Array("home".utf8).span.bytes, by: .keyboard)
    let client = try bench.client(.rfc2217)
    try client.ask(12, 3)
    #expect(
      try bench.wait {
        _ = client.receive()
        return client.received.suffix(7) == [255, 250, 44, 112, 3, 255, 240]
      })
    bench.link.appetite = .max
    bench.controller.session.handle(.writable)
    #expect(text(bench.sent) == "home" && discarded(bench) == nil)
  }

  @Test func membersOfOneName_areToldApart() throws {
    let bench = try SharingBench()
    let anna = try bench.viewer(named: "anna")
    let other = try bench.viewer(named: "anna")
    #expect(
      try bench.wait {
        bench.controller.sharing.roster.members.map(\.name) == ["home", "anna", "anna (2)"]
      })
    withExtendedLifetime((anna, other)) {}
  }

  // MARK: Read-only

  @Test func whereTheSessionIsReadOnly_nothingOfAnybodyReachesTheDevice() throws {
    let bench = try SharingBench(home: nil)
    bench.controller.sharing.isReadOnly = true
    let before = (bench.link.settings, bench.link.lines)
    let clients = try StreamProtocol.allCases.map { ($0, try bench.client($0)) }
    for (clientProtocol, client) in clients {
      try client.send("dropped\r")
      guard clientProtocol == .rfc2217 else { continue }
      try client.ask(1, 0, 0, 37, 128)
      for control: UInt8 in [5, 6, 9, 12, 2] { try client.ask(5, control) }
      // The BRK of telnet.
      try client.socket.borrowed.writeAll([255, 243])
    }
    let viewer = try bench.viewer(named: "anna")
    #expect(viewer.sharing.pen == .nobody)
    viewer.controller.userSharing.control.takePen()
    viewer.controller.userSharing.control.ask()
    viewer.type("dropped")
    _ = try? viewer.controller.session.setBreak(true)
    var end: Result<Void, SerialError>?
    viewer.controller.session.play(try LineSequence(parsing: "rts=off,wait=1,break=on")) {
      end = $0
    }
    #expect(try bench.wait { end != nil })
    guard case .failure(let error)? = end else {
      Issue.record("it was played")
      return
    }
    #expect("\(error)".contains("read-only"))
    #expect(try bench.wait { bench.news.count >= 3 })
    #expect(bench.sent.isEmpty && bench.link.breaks.isEmpty)
    #expect(bench.link.settings == before.0 && bench.link.lines == before.1)
    // The pen is where it was when the session may be written to again.
    bench.controller.sharing.isReadOnly = false
    #expect(try bench.wait { viewer.sharing.pen != .nobody })
    viewer.controller.userSharing.control.takePen()
    #expect(try bench.wait { viewer.sharing.pen == .mine })
    viewer.type("written")
    #expect(try bench.wait { text(bench.sent) == "written" })
    bench.controller.sharing.isReadOnly = true
    #expect(try bench.wait { viewer.sharing.pen == .nobody })
  }

  @Test func `Who only reads gives the pen of a joined session back`() throws {
    let bench = try SharingBench()
    let reader = try bench.viewer(named: "anna")
    reader.controller.userSharing.isReadOnly = true
    var holders: [String?] = []
    let moves = bench.controller.sharing.events.observe {
      if case .moved(_, let new, _) = $0 { holders.append(new?.name) }
    }
    bench.controller.sharing.give(to: 1)
    #expect(try bench.wait { holders == ["anna", "home"] })
    // It has the pen when it becomes a reader.
    reader.controller.userSharing.isReadOnly = false
    bench.controller.sharing.give(to: 1)
    #expect(try bench.wait { reader.sharing.pen == .mine })
    reader.controller.userSharing.isReadOnly = true
    #expect(try bench.wait { holders == ["anna", "home", "anna", "home"] })
    withExtendedLifetime(moves) {}
  }

  @Test func `Who only reads a served port leaves the pen to others, and sets the line`() throws {
    let bench = try SharingBench(home: nil)
    let reader = try bench.person(isReadOnly: true)
    #expect(try bench.wait { reader.sharing.pen == .free })
    #expect(bench.controller.sharing.roster.holder == nil)
    #expect(bench.link.settings.baudRate == 9_600)
    let program = try bench.client(.raw)
    try program.send("x")
    #expect(try bench.wait { text(bench.sent) == "x" })
  }

  // MARK: What ends with the pen

  @Test func aBreak_endsWithThePen_andALateEnd_doesNothingToTheNext() throws {
    let bench = try SharingBench(home: nil)
    let first = try bench.client(.rfc2217)
    let viewer = try bench.viewer(named: "anna")
    try first.ask(5, 5)
    #expect(try bench.wait { bench.link.breaks == [true] })
    viewer.controller.userSharing.control.takePen()
    #expect(try bench.wait { viewer.sharing.pen == .mine })
    #expect(bench.link.breaks == [true, false])
    try viewer.controller.session.setBreak(true)
    #expect(try bench.wait { bench.link.breaks == [true, false, true] })
    try first.ask(5, 6)
    try first.send("x")
    #expect(
      try bench.wait {
        bench.news.contains { if case .client(_, .mayNotWrite) = $0 { true } else { false } }
      })
    first.endStream()
    #expect(try bench.wait { bench.controller.sharing.roster.members.count == 1 })
    #expect(bench.link.breaks == [true, false, true])
    try viewer.controller.session.setBreak(false)
    #expect(try bench.wait { bench.link.breaks == [true, false, true, false] })
  }

  @Test func aBreak_endsWithThePort_andCanBeSentAgain() throws {
    let bench = try SharingBench(home: nil)
    let client = try bench.client(.rfc2217)
    try client.ask(5, 5)
    #expect(try bench.wait { bench.link.breaks == [true] })
    bench.controller.session.deviceDidDisappear()
    bench.controller.session.deviceDidReturn(at: bench.link.endpoint)
    #expect(try bench.wait { bench.controller.session.isOpen })
    try client.ask(5, 5)
    #expect(try bench.wait { bench.link.breaks == [true, true] })
  }

  @Test func breaksOfSeveralWriters_endEachByItself() throws {
    let bench = try SharingBench(.all, home: nil)
    let first = try bench.client(.rfc2217)
    let second = try bench.client(.rfc2217)
    try first.ask(5, 5)
    #expect(try bench.wait { bench.link.breaks == [true] })
    try second.ask(5, 5)
    #expect(try bench.wait { bench.link.breaks == [true, true] })
    try first.ask(5, 6)
    try first.send("\n")
    #expect(try bench.wait { !bench.sent.isEmpty })
    #expect(bench.link.breaks == [true, true])
    second.endStream()
    #expect(try bench.wait { bench.link.breaks == [true, true, false] })
  }

  @Test func aSequence_endsWithThePen_andItsLinesAreRestored() throws {
    let bench = try SharingBench(home: nil)
    let anna = try bench.viewer(named: "anna")
    let bert = try bench.viewer(named: "bert")
    anna.controller.userSharing.control.takePen()
    #expect(try bench.wait { anna.sharing.pen == .mine })
    anna.controller.session.play(try LineSequence(parsing: "rts=off,break=on,wait=10000")) { _ in }
    #expect(try bench.wait { bench.link.breaks == [true] && bench.link.lines == .dtr })
    bert.controller.userSharing.control.takePen()
    #expect(try bench.wait { bert.sharing.pen == .mine })
    #expect(bench.link.breaks == [true, false] && bench.link.lines == [.dtr, .rts])
    bert.type("sent")
    #expect(try bench.wait { text(bench.sent) == "sent" })
  }

  @Test func aSuspendedFlow_endsWithThePen() throws {
    let bench = try SharingBench(home: nil)
    let client = try bench.client(.rfc2217)
    try client.ask(8)
    #expect(try bench.wait { !bench.controller.session.interest.contains(.reading) })
    // Alone, the device may wait for it without a limit; a member who comes sees
    // the device's bytes.
    let viewer = try bench.viewer(named: "anna")
    viewer.controller.userSharing.control.takePen()
    #expect(try bench.wait { bench.controller.session.interest.contains(.reading) })
    bench.deviceSends(Array("seen".utf8))
    #expect(try bench.wait { text(viewer.received) == "seen" })
  }

  // MARK: Who takes nothing

  @Test(arguments: [false, true])
  func thePensHolder_holdsTheDeviceTwoSecondsInAMinute_howeverOftenItSuspends(
    _ isLogged: Bool
  ) throws {
    let clock = TestClock()
    let bench = try SharingBench(home: nil, clock: clock)
    let folder = try TemporaryFolder()
    if isLogged {
      bench.controller.log.configuration = LogConfiguration(
        files: [folder.path.appending("log").string])
      try bench.controller.log.start(at: nil)
    }
    let client = try bench.client(.rfc2217)
    try client.send("x")
    #expect(try bench.wait { bench.sent.count == 1 })
    let viewer = isLogged ? nil : try bench.viewer(named: "anna")
    var held = Duration.zero
    func pass(_ time: Duration) throws {
      for _ in 0..<20 {
        if !bench.controller.session.interest.contains(.reading) { held += time / 20 }
        clock.advance(by: time / 20)
        for _ in 0..<2 { try bench.loop.turn(waitingAtMost: .zero) }
      }
    }
    for cycle in 0..<32 {
      try client.ask(8)
      if cycle == 0 {
        #expect(try bench.wait { !bench.controller.session.interest.contains(.reading) })
      } else {
        try bench.settle()
      }
      try pass(.milliseconds(1_800))
      try client.ask(9)
      try bench.settle()
      try pass(.milliseconds(20))
    }
    #expect(held >= .milliseconds(1_900) && held <= .milliseconds(2_200), "\(held)")
    let overstays = bench.news.count {
      if case .client(_, .overstayed) = $0 { true } else { false }
    }
    #expect(overstays == 1)
    withExtendedLifetime(viewer) {}
  }

  @Test func whoIsAlone_holdsTheDevice_untilOthersCome() throws {
    let clock = TestClock()
    let bench = try SharingBench(home: nil, clock: clock)
    let client = try bench.client(.rfc2217)
    try client.ask(8)
    #expect(try bench.wait { !bench.controller.session.interest.contains(.reading) })
    clock.advance(by: .seconds(100))
    try bench.settle()
    #expect(!bench.controller.session.interest.contains(.reading))
    let other = try bench.client(.raw)
    #expect(!bench.controller.session.interest.contains(.reading), "it has two seconds now")
    clock.advance(by: .milliseconds(2_100))
    #expect(try bench.wait { bench.controller.session.interest.contains(.reading) })
    withExtendedLifetime(other) {}
  }

  // MARK: Who has ended its stream

  @Test(arguments: [StreamProtocol.raw, .telnet])
  func whoEndsItsStream_getsTheAnswer_andLosesThePen(_ clientProtocol: StreamProtocol) throws {
    let clock = TestClock()
    let bench = try SharingBench(home: nil, clock: clock)
    bench.link.appetite = 4
    let client = try bench.client(clientProtocol)
    try client.send("command")
    client.endStream()
    #expect(
      try bench.wait { bench.sent.count == 4 && bench.controller.sharing.roster.holder == nil })
    func pass(_ time: Duration) throws {
      clock.advance(by: time)
      try bench.settle()
    }
    // The device takes its time, for the command and for each part of the answer.
    try pass(.seconds(10))
    bench.link.appetite = .max
    bench.controller.session.handle(.writable)
    #expect(text(bench.sent) == "command")
    for _ in 0..<20 {
      try pass(.milliseconds(900))
      bench.deviceSends(Array("answer ".utf8))
    }
    let answer = String(repeating: "answer ", count: 20)
    #expect(try bench.wait { client.receive().hasSuffix(answer) })
    #expect(!client.isEnded)
    try pass(.milliseconds(900))
    #expect(!bench.controller.sharing.roster.members.isEmpty)
    for _ in 0..<3 { try pass(.milliseconds(200)) }
    #expect(bench.controller.sharing.roster.members.isEmpty)
    _ = client.receive()
    #expect(client.isEnded)
  }

  @Test func whoEndsItsStream_isDisconnected_evenIfTheDeviceIsNeverSilent() throws {
    let clock = TestClock()
    let bench = try SharingBench(home: nil, clock: clock)
    let client = try bench.client(.raw)
    client.endStream()
    try bench.settle()
    for second in 0..<61 {
      bench.deviceSends([0x61])
      clock.advance(by: .milliseconds(500))
      try bench.settle()
      bench.deviceSends([0x61])
      clock.advance(by: .milliseconds(500))
      try bench.settle()
      #expect(
        bench.controller.sharing.roster.members.count == (second < 59 ? 1 : 0) || second == 59)
    }
    #expect(
      try bench.wait {
        _ = client.receive()
        return client.isEnded
      })
    #expect(client.received.count > 100)
  }

  @Test func aStalledViewer_losesItsOwnView_andLearnsHowMuch() throws {
    let bench = try SharingBench()
    let viewer = try bench.viewer(named: "anna")
    let pause = viewer.controller.session.pauseReading()
    let piece = [UInt8](repeating: 0x61, count: 4_096)
    var total = 0
    for _ in 0..<400 {
      bench.deviceSends(piece)
      total += piece.count
    }
    #expect(bench.controller.session.receivedByteCount == total)
    pause.end()
    #expect(try bench.wait { viewer.events.contains { $0.hasPrefix("missed") } })
    let missed = try #require(viewer.events.first { $0.hasPrefix("missed(") })
    let count = try #require(Int(missed.dropFirst("missed(".count).dropLast()))
    #expect(try bench.wait { viewer.received.count + count == total })
  }

  @Test func `A CR that a telnet client did not get has no NUL behind it`() throws {
    let bench = try SharingBench()
    let client = try bench.client(.telnet)
    // It agrees to nothing.
    try client.send("key")
    #expect(try bench.wait { client.receive().hasSuffix("goes nowhere]\r\n") })
    for _ in 0..<400 { bench.deviceSends([UInt8](repeating: 0x61, count: 4_096)) }
    bench.deviceSends([0x61, 0x0D])
    #expect(try bench.wait { client.receive().hasSuffix(" of the device not shown]\r\n") })
    let end = String(decoding: client.received.suffix(80), as: UTF8.self)
    #expect(end.contains("a\r\n[serialterm: "))
  }

  @Test func aStalledRawClient_isDisconnected_andHoldsNobodyUp() throws {
    let bench = try SharingBench()
    let client = try bench.client(.raw)
    let other = try bench.viewer(named: "anna")
    let piece = [UInt8](repeating: 0x61, count: 4_096)
    for _ in 0..<400 {
      bench.deviceSends(piece)
      try bench.loop.turn(waitingAtMost: .zero)
    }
    #expect(try bench.wait { other.received.count == 400 * 4_096 })
    #expect(
      try bench.wait {
        _ = client.receive()
        return client.isEnded
      })
    #expect(bench.news.contains { if case .client(_, .stalled) = $0 { true } else { false } })
  }

  @Test func `A client that asks and does not read is disconnected, with the reason`() throws {
    let bench = try SharingBench()
    let client = try bench.client(.rfc2217)
    var telnet = TelnetMachine(accepting: [], from: [])
    for _ in 0..<1_000 { telnet.send([0], about: .comPort) }
    let questions = telnet.output
    let isReported = {
      bench.news.contains { if case .client(_, .answersUnread) = $0 { true } else { false } }
    }
    var asked = 0
    _ = try bench.wait {
      let outcome = questions.withUnsafeBytes { try? client.socket.borrowed.writeAvailable($0) }
      if case .bytes(let count) = outcome { asked += count }
      return isReported()
    }
    #expect(isReported())
    // The answers have three times the size of the questions.
    #expect(asked < 2 * ClientOutput.limit)
    #expect(bench.controller.sharing.roster.members.count == 1)
  }

  @Test func `Requests are performed in many turns, and every one is answered`() throws {
    let bench = try SharingBench(home: nil)
    let client = try bench.client(.rfc2217)
    var telnet = TelnetMachine(accepting: [], from: [])
    let ask = ComPortMessage.control(.askDTR).parameters(fromServer: false)
    for _ in 0..<1_000 { telnet.send(ask, about: .comPort) }
    try client.socket.borrowed.writeAll(telnet.output)
    let answer = ComPortMessage.control(.dtrOn).parameters(fromServer: true)
    var answerCount: Int {
      _ = client.receive()
      var (decoder, data) = (TelnetMachine(accepting: [], from: []), [UInt8]())
      return client.received.withUnsafeBytes { decoder.receive($0, into: &data) }
        .count { $0 == .subnegotiation(.comPort, answer) }
    }
    try bench.loop.turn(waitingAtMost: .seconds(5))
    // Once for the socket, once for what was left.
    #expect(answerCount <= 2 * 64)
    #expect(try bench.wait { answerCount == 1_000 })
  }

  @Test func `What a client asked before it left is still performed`() throws {
    let bench = try SharingBench(home: nil)
    let client = try bench.client(.rfc2217)
    var telnet = TelnetMachine(accepting: [], from: [])
    for _ in 0..<500 {
      telnet.send(ComPortMessage.control(.askDTR).parameters(fromServer: false), about: .comPort)
    }
    try client.socket.borrowed.writeAll(telnet.output + Array("last words".utf8))
    shutdown(client.socket.borrowed.rawValue, CInt(SHUT_WR))
    #expect(try bench.wait { bench.sent == Array("last words".utf8) })
  }

  @Test func `The history for a viewer is bounded, and its newest part is complete`() {
    let short = (0..<60_000).map { ReceivedHistory.Piece(time: UInt64($0) << 24, bytes: [255]) }
    let messages = ReceivedHistory.messages(of: short)
    let size = messages.reduce(0) {
      $0 + ComPortMessage.sharing($1.bytes).parameters(fromServer: true).count + 7
    }
    #expect(size <= ReceivedHistory.messageLimit)
    #expect(messages.last == .history(time: short[59_999].time, [255]))
    // Lines that came together are together.
    let fast = (0..<1_000).map { ReceivedHistory.Piece(time: UInt64($0), bytes: [1, 2]) }
    #expect(ReceivedHistory.messages(of: fast).count < 20)
    var bytes: [UInt8] = []
    for case .history(_, let part) in ReceivedHistory.messages(of: fast) { bytes += part }
    #expect(bytes == fast.flatMap(\.bytes))
  }

  @Test func `Who joins while a program draws gets its screen, and all bytes once`() throws {
    let bench = try SharingBench()
    var all: [UInt8] = []
    func deviceSends(_ text: String) {
      all += text.utf8
      bench.deviceSends(Array(text.utf8))
    }
    deviceSends("$ vi\r\n\u{1B}[?1049h\u{1B}[2J\u{1B}[5;5Hthe title")
    for number in 0..<3_000 { deviceSends("\u{1B}[2;2H\(number)") }
    let viewer = try bench.viewer(named: "anna")
    deviceSends("\u{1B}[3;3Hmore")
    #expect(try bench.wait { viewer.history.count + viewer.received.count >= all.count })
    let isWhole = viewer.history + viewer.received == all
    #expect(isWhole)
    #expect(text(viewer.screen).contains("the title") && text(viewer.screen).contains("2999"))
    #expect(viewer.history == Array("$ vi\r\n".utf8) + viewer.drawn)
  }

  // MARK: The device

  @Test func clients_stay_whenTheDeviceIsLost_orAreEnded() throws {
    for ends in [false, true] {
      let bench = try SharingBench(home: nil)
      bench.server.rules.endsClientsOnLoss = ends
      let client = try bench.client(.raw)
      let viewer = try bench.viewer(named: "anna")
      bench.controller.session.deviceDidDisappear()
      if ends {
        #expect(
          try bench.wait {
            _ = client.receive()
            return client.isEnded
          })
      } else {
        #expect(try bench.wait { viewer.sharing.portTrouble == .waiting })
        _ = client.receive()
        #expect(!client.isEnded)
      }
    }
  }
}

@Suite struct SessionRequestTests {
  @Test(
    arguments: [.list, .join(port: nil), .join(port: "/dev/tty USB%0"), .joinNumber(3)]
      as [SessionRequest])
  func line_isReadAsTheSameRequest(_ request: SessionRequest) {
    #expect(SessionRequest(line: request.line) == request)
  }

  @Test(arguments: [
    "", "release 1:2", "session", "joins", "join %", "join-number", "join-number x",
  ])
  func anotherLine_isNone(_ line: String) { #expect(SessionRequest(line: line) == nil) }

  @Test func summary_isReadAsTheSame_andItsNamesAreHarmless() {
    let summary = SessionSummary(
      port: "/dev/ttyUSB0", since: 1_764_000_000, command: "serve", holder: "max on pts/3",
      others: ["a b", "+c"], addresses: ["127.0.0.1:4000"])
    #expect(SessionSummary(line: summary.line) == summary)
    var free = summary
    free.holder = nil
    #expect(SessionSummary(line: free.line) == free)
    var numbered = summary
    (numbered.number, numbered.state) = (2, .waiting)
    numbered.reason = "the device does not answer (No such device)"
    #expect(SessionSummary(line: numbered.line) == numbered)
    for profile in ["", "*my board"] {
      numbered.profile = profile
      #expect(SessionSummary(line: numbered.line) == numbered)
    }
    // Another account does not choose a profile.
    let account = geteuid()
    #expect(numbered.said(by: UserID(rawValue: account)) == numbered)
    #expect(numbered.said(by: UserID(rawValue: account + 1)).profile == nil)
    let hostile = SessionSummary(line: "session %1b[2J 1 connect x +%1b[2J")
    #expect(hostile.map { !$0.port.contains("\u{1B}") && !$0.others[0].contains("\u{1B}") } == true)
    #expect(SessionSummary(line: "session a b c d") == nil)
  }
}
