import EventLoop
import Logs
import Loopback
import Posix
import SerialCore
import SessionKit
import SystemPackage
import TestSupport
import Testing

@testable import serialterm

@Suite struct SessionControllerTests {
  @Test func `The log has the bytes before a view that came first`() throws {
    let folder = try TemporaryFolder()
    let file = folder.path.appending("log")
    let terminal = try PseudoTerminal()
    let app = try App(among: DeviceCatalog(), isQuiet: true, isRaw: false)
    let port = app.add(
      SessionConfiguration(
        target: .endpoint(.tty(terminal.path)), settings: LineSettings(),
        linkOptions: LinkOptions(),
        onOpen: nil, reconnects: false, waitsForAbsentDevice: false, pacing: Pacing(),
        log: LogConfiguration(files: [file.string]), isQuiet: true),
      in: TerminalState(), writeCapacity: 4_096)
    var logged: [UInt8]?
    // Ends the log as soon as it is shown something: what the log has then, it had before.
    let view = port.controller.hub.subscribe(as: .view) { _ in
      port.log.finish()
      logged = try? file.contents()
    }
    _ = try port.controller.bind(mayAsk: false)
    let words = Array("first words".utf8)
    _ = try words.withUnsafeBytes { try terminal.write($0) }
    let deadline = MonotonicTime.now + .seconds(10)
    while logged == nil, .now < deadline {
      try app.loop.turn(waitingAtMost: .milliseconds(20))
    }
    #expect(logged == words)
    withExtendedLifetime(view) {}
  }
}
