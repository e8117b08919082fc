import EventLoop
import Loopback
import Posix
import Reconnecting
import SerialCore
import SystemPackage
import TestSupport
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct PortLenderTests {
  /// A program that borrows a port, with the replies that it received.
  private final class Tool: Borrower {
    let name: String
    private(set) var heard: [ControlReply] = []

    init(_ name: String) { self.name = name }
    func receive(_ reply: ControlReply) { heard.append(reply) }
  }

  /// The news for the user.
  private final class News {
    var list: [SessionNews] = []
  }

  private final class Guardian: SessionDelegate {
    func sessionShouldRelease(_ session: Session) -> Bool { false }
  }

  private let loop: IOLoop
  private let port: PseudoTerminal
  private let session: Session
  private let lender: PortLender
  private let news = News()
  private let device: DeviceID

  init() throws {
    loop = try IOLoop()
    port = try PseudoTerminal()
    session = Session(settings: LineSettings())
    try session.open(.tty(port.path))
    lender = PortLender(session, on: loop) { [news] in news.list.append($0) }
    lender.patience = Drain.Patience(total: .seconds(1))
    device = try #require(port.path.deviceNumber)
  }

  private var isReleased: Bool { session.state == .released(.tty(port.path)) }

  /// Runs the deferred work.
  private func settle() throws {
    for _ in 0..<3 { try loop.turn(waitingAtMost: .zero) }
  }

  private func bringBack() throws {
    session.deviceDidReturn(at: .tty(port.path))
    try settle()
  }

  @Test func port_isTakenBack_whenTheLastClaimHasEnded() throws {
    let (one, other) = (Tool("one"), Tool("other"))
    lender.lend(.device(device), to: one)
    lender.lend(.device(device), to: other)
    try settle()
    #expect(isReleased)
    #expect(one.heard == [.released(port.path.string)])
    #expect(other.heard == one.heard)
    #expect(lender.borrowerNames == "one, other")

    lender.end(one)
    try settle()
    #expect(isReleased)
    #expect(one.heard.last == .released(port.path.string))
    #expect(one.heard.count == 2)

    lender.end(other)
    #expect(session.state == .waitingForDevice(.tty(port.path), .released))
    try bringBack()
    #expect(other.heard == [.released(port.path.string), .back(port.path.string)])
    #expect(lender.borrowerNames == nil)
  }

  @Test func user_hasAClaimOfTheirOwn() throws {
    let tool = Tool("tool")
    lender.toggle()
    try settle()
    #expect(isReleased)
    lender.lend(.device(device), to: tool)
    lender.toggle()
    #expect(isReleased)
    guard case .claim(false, borrowers: "tool") = try #require(news.list.last) else {
      Issue.record("reported \(news.list)")
      return
    }
    lender.toggle()
    lender.end(tool)
    #expect(isReleased)
    lender.toggle()
    #expect(session.state == .waitingForDevice(.tty(port.path), .released))
  }

  @Test func claimThatIsWithdrawn_beforeThePortIsLetGoOf_changesNothing() throws {
    lender.toggle()
    lender.toggle()
    try settle()
    #expect(session.state.isOpen)
    let tool = Tool("tool")
    lender.lend(.device(device), to: tool)
    lender.forget(tool)
    try settle()
    #expect(session.state.isOpen)
    #expect(tool.heard.isEmpty)
  }

  @Test func anotherDevice_isNotLent() throws {
    let tool = Tool("tool")
    lender.lend(.device(DeviceID(majorNumber: 4, minorNumber: 64)), to: tool)
    try settle()
    #expect(tool.heard == [.other])
    #expect(session.state.isOpen)
  }

  @Test func pseudoTerminalWithTheNumberOfALostOne_isNotLent() throws {
    // The path may now lead to another program's terminal: the lender cannot see the difference.
    session.deviceDidDisappear()
    try settle()
    guard case .waitingForDevice = session.state else {
      Issue.record("the session does not wait: \(session.state)")
      return
    }
    let tool = Tool("tool")
    lender.lend(.device(device), to: tool)
    try settle()
    #expect(tool.heard == [.other])
    #expect(lender.borrowerNames == nil)
  }

  @Test func sessionThatMayNotRelease_saysSo_toAllWhoAsked() throws {
    let guardian = Guardian()
    session.delegate = guardian
    let tool = Tool("tool")
    lender.lend(.device(device), to: tool)
    try settle()
    guard case .no = tool.heard.last else {
      Issue.record("heard \(tool.heard)")
      return
    }
    #expect(session.state.isOpen)
    guard case .releaseRefused(because: "the session keeps the port") = try #require(news.list.last)
    else {
      Issue.record("reported \(news.list)")
      return
    }
    session.delegate = nil
    lender.toggle()
    try settle()
    #expect(isReleased)
  }

  @Test func portThatMayNotBeReleased_isNotLent_andTheReasonIsReported() throws {
    let tool = Tool("tool")
    let lender = PortLender(session, on: loop, refusal: { "a script has it" }) { _ in }
    lender.lend(.device(device), to: tool)
    try settle()
    #expect(tool.heard == [.no("a script has it")])
    #expect(session.state.isOpen)
    #expect(lender.borrowerNames == nil)
  }

  @Test func deviceThatStaysAway_isReportedAfterAWhile() throws {
    let tool = Tool("tool")
    lender.lend(.device(device), to: tool)
    try settle()
    lender.end(tool)
    while tool.heard.count < 2 { try loop.turn() }
    #expect(tool.heard.last == .waiting(port.path.string))
  }

  @Test func `A port elsewhere is lent by its name: its connection ends, and is made again`() throws
  {
    let lab = Endpoint(.rfc2217, "rfc2217://Lab:4001/")
    var links: [FakeLink] = []
    let session = Session(settings: LineSettings()) {
      links.append(FakeLink(to: $0))
      return links[links.count - 1]
    }
    let lender = PortLender(session, on: loop) { _ in }
    lender.patience = Drain.Patience(total: .seconds(1))
    let reconnector = Reconnector(session, to: nil, on: Scheduler(loop))
    try session.open(lab)
    try reconnector.start()
    let tool = Tool("tool")
    lender.lend(.endpoint("rfc2217://lab:4002"), to: tool)
    lender.lend(.endpoint("tcp://lab:4001"), to: tool)
    #expect(tool.heard == [.other, .other])
    lender.lend(.endpoint("rfc2217://lab:4001"), to: tool)
    try settle()
    #expect(session.state == .released(lab))
    #expect(links[0].closeCount == 1)
    #expect(tool.heard.last == .released("rfc2217://Lab:4001/"))
    lender.end(tool)
    try settle()
    #expect(session.state.isOpen)
    #expect(links.count == 2)
    #expect(tool.heard.last == .back("rfc2217://Lab:4001/"))
  }
}
