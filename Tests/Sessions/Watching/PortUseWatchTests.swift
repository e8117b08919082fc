import EventLoop
import Logs
import Loopback
import Posix
import Reconnecting
import SerialCore
import SystemPackage
import TestSupport
import Testing
import Time

@testable import Sessions

@Suite("Watching for programs that share a port", .timeLimit(.minutes(30)))
struct PortUseWatchTests {
  @Test("the sessions of a program share the searches for all their ports when they start")
  func sharedSearches() throws {
    let loop = try IOLoop()
    let searches = Guarded<[[FilePath]]>([])
    let catalog = DeviceCatalog(
      searchingBy: PortHolderSearch { paths in
        searches.withLock { $0.append(paths) }
        return paths.map { _ in [] }
      })
    let terminals = try (0..<16).map { _ in try PseudoTerminal() }
    let controllers = terminals.map { terminal in
      SessionController(
        SessionConfiguration(
          target: .endpoint(.tty(terminal.path)), settings: LineSettings(),
          linkOptions: LinkOptions(), onOpen: nil, reconnects: true,
          waitsForAbsentDevice: false, pacing: Pacing(), log: LogConfiguration(), isQuiet: true),
        among: catalog, on: loop, from: .standard, writeCapacity: 4_096)
    }
    for controller in controllers { _ = try controller.device.bind(mayAsk: false) }
    func searched() -> Set<FilePath> { Set(searches.withLock { $0.joined() }) }
    let deadline = MonotonicTime.now + .seconds(60)
    while searched().count < 16, .now < deadline {
      try loop.turn(waitingAtMost: .milliseconds(20))
    }
    #expect(searched() == Set(terminals.map(\.path)))
    // One, or a few if opening the ports takes longer than the search waits for other questions.
    #expect(searches.withLock { $0.count } < 8)
  }
}
